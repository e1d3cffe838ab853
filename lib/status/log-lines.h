/*
 * Printing lines of logs: the lines that the user wants, each after the name of
 * its task if there are several.
 */
#ifndef STFM_STATUS_LOG_LINES_H
#define STFM_STATUS_LOG_LINES_H

#include <regex.h>
#include <stdio.h>

#include "status/lines-file.h"
#include "status/logs.h"
#include "store/store.h"

#define JOB_LINES_ALL (UINT64_MAX - 1)

/* What to print of all logs, and the state of the output. */
struct job_lines {
	FILE *out;
	const regex_t *regex; /* only lines that match, or NULL */
	uint64_t most;        /* last lines of each file, or JOB_LINES_ALL */
	int raw;              /* print every byte as it is */
	int grows;            /* a last line without newline may still grow */
	int names;            /* print task names before lines */
	int jobs;             /* print job names with them */
	size_t width;         /* width of the names */
	int live;             /* also show the line without newline */
	/* The line without newline as shown; NULL at first. */
	char *drawn;
	uint64_t shown;
};

/* One file of a task: its output, or its standard error. */
struct job_stream {
	struct lines_file file;
	char *path; /* path of the file, or NULL */
	const struct job_log *log;
	int errors;
	uint64_t skip; /* number of matches before the last most ones */
	int begun;
};

/* Free what the stream holds and set it to zero. */
void job_stream_close(struct job_stream *);

/* Set width to the widest name of these logs. */
void job_lines_measure(
    struct job_lines *, const struct job_log *, size_t count);

/*
 * Print the new lines of a file; the first call starts where the last wanted
 * lines start.  Returns whether there were new lines, or -1.  errno is ENOENT
 * if there is no file; if writing failed, ferror(out) is true.
 */
int job_lines_read(struct job_lines *, struct job_stream *, struct error *e);

/* Print the last line although it has no newline. */
void job_lines_end(struct job_lines *, struct job_stream *);

/*
 * Show the line of a file that has no newline yet, in at most columns columns.
 */
void job_lines_draw(struct job_lines *, struct job_stream *, size_t columns);

/* Erase the line that job_lines_draw has shown. */
void job_lines_wipe(struct job_lines *);

#endif
