/*
 * Printing lines of logs: the lines that the user wants, each after the name of
 * its task if there are several.
 */
#ifndef STFM_STATUS_LOG_LINES_H
#define STFM_STATUS_LOG_LINES_H

#include <regex.h>
#include <stdio.h>

#include "sys/lines-file.h"
#include "view/logs.h"

#define JOB_LINES_ALL (UINT64_MAX - 1)

/* What to print of all logs, and what was printed. */
struct job_lines {
	FILE *out;
	const regex_t *regex; /* only lines that match, or NULL */
	uint64_t most;        /* last lines of each file, or JOB_LINES_ALL */
	int raw;              /* print every byte as it is */
	int grows;            /* a last line without newline may still grow */
	int names;            /* print task names before lines */
	int jobs;             /* print job names with them */
	size_t width;         /* of these names */
	int live;             /* also show the line without newline */
	char *drawn;          /* that line, as shown; NULL at first */
	uint64_t shown;
};

/* One file of a task: its output, or its errors. */
struct job_stream {
	struct lines_file file;
	char *path; /* or NULL */
	const struct job_log *log;
	int errors;
	uint64_t skip; /* matches before the last ones */
	int begun;
};

/* Release what the stream holds, and set it to zero. */
void job_stream_close(struct job_stream *);

/* Make the names as wide as the widest of these logs'. */
void job_lines_measure(
    struct job_lines *, const struct job_log *, size_t count);

/*
 * Print the new lines of a file, at first from where the last wanted lines
 * start.  Returns whether there were any, or -1.  errno is ENOENT if there is
 * no file; if writing failed, ferror(out) is true.
 */
int job_lines_read(struct job_lines *, struct job_stream *, struct error *e);

/* Print the last line although it has no newline. */
void job_lines_end(struct job_lines *, struct job_stream *);

/* Show the line of a file that has no newline yet, in this many columns. */
void job_lines_draw(struct job_lines *, struct job_stream *, size_t columns);

/* Erase what job_lines_draw has shown. */
void job_lines_wipe(struct job_lines *);

#endif
