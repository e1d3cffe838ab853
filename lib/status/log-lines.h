/*
 * Lines of logs on their way to the screen: those that are wanted, each behind
 * the name of its task where there are many.
 */
#ifndef STFM_STATUS_LOG_LINES_H
#define STFM_STATUS_LOG_LINES_H

#include <regex.h>
#include <stdio.h>

#include "sys/lines-file.h"
#include "view/logs.h"

#define JOB_LINES_ALL (UINT64_MAX - 1)

/* What is shown of all logs, and what was. */
struct job_lines {
	FILE *out;
	const regex_t *regex; /* only lines that match, or NULL */
	uint64_t most;        /* the last ones of each file, or JOB_LINES_ALL */
	int raw;              /* every byte as it is, instead */
	int grows;            /* a last line without an end may get one */
	int names;            /* of tasks, before their lines */
	int jobs;             /* ... with those of their jobs */
	size_t width;         /* of these names */
	int live;             /* the line without an end is shown as well */
	char *drawn;          /* ... and is this one; NULL at first */
	uint64_t shown;
};

/* One file of a task that is read: its output, or its errors. */
struct job_stream {
	struct lines_file file;
	char *path; /* or NULL */
	const struct job_log *log;
	int errors;
	uint64_t skip; /* matches that are not among the last ones */
	int begun;
};

/* Let go of what it has; it is all zero then. */
void job_stream_close(struct job_stream *);

/* Make the names as wide as the widest of these logs'. */
void job_lines_measure(
    struct job_lines *, const struct job_log *, size_t count);

/*
 * Show what is new in a file, at first from where the last lines are that are
 * wanted.  Returns whether there was something, or -1; errno is ENOENT when
 * there is no file, and ferror(out) tells when that is to blame.
 */
int job_lines_read(struct job_lines *, struct job_stream *, struct error *e);

/* The last line is as it is, though it has no end. */
void job_lines_end(struct job_lines *, struct job_stream *);

/* Show, in so many columns, the line of a file that has no end yet. */
void job_lines_draw(struct job_lines *, struct job_stream *, size_t columns);

/* Take away what job_lines_draw has left. */
void job_lines_wipe(struct job_lines *);

#endif
