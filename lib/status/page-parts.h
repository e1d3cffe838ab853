/*
 * Pages of jobs and tasks, for people and programs: the table of all jobs, the
 * table of a job's tasks, the page of a task.
 */
#ifndef STFM_STATUS_PAGE_PARTS_H
#define STFM_STATUS_PAGE_PARTS_H

#include <stdio.h>

#include "slurm/start-time.h"
#include "term/cli.h"
#include "term/table.h"
#include "view/view.h"

/* How to print a page. */
struct job_look {
	enum table_format format;
	size_t width; /* columns, or 0 for no limit */
	enum cli_charset charset;
	int colors;  /* 0: none */
	int64_t now; /* the time */
	int alike;   /* similar tasks of a large job are one line */
	size_t rows; /* so are those of a job with more rows; 0: no limit */
	const char *here; /* print paths relative to it, or NULL */
};

/* Print a row for each job, in any format. */
void job_show_jobs(FILE *out, struct job_view *const *views, size_t count,
    const struct job_look *);

/*
 * Print for people the job, a row for each task, and what is wrong with them.
 * For LaTeX, print only the rows.
 */
void job_show_tasks(
    FILE *out, const struct job_tasks *, const struct job_look *);

/* Print for people everything about a task, with its curves. */
void job_show_page(
    FILE *out, struct job_view *, uint64_t task, const struct job_look *);

/* Print a job's submission, code and environment, for people or as JSON. */
void job_show_record(
    FILE *out, const struct store_job *, const struct job_look *);
void job_show_records(FILE *out, struct store_job *const *, size_t count,
    const struct job_look *);

/*
 * List a job's dependencies as the user typed them, "conv2d:ok".  out is empty
 * at the start.
 */
void job_show_after(const struct store_job *, struct strlist *out);

/*
 * Print the uncommitted changes of the code at submission: byte by byte if raw
 * is true, else for a terminal.  Returns 0, 1 if there are none (see e), or -1.
 */
int job_show_diff(
    FILE *out, const struct store_job *, int raw, struct error *e);

/*
 * Print the tasks in ERROR, in any format: equal failures in one group, the
 * largest group first, each with an example and its log.
 */
void job_show_errors(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

/*
 * Print why pending tasks wait and what can be done, in any format.  expect is
 * what Slurm expects, or NULL if it was not asked.
 */
void job_show_why(FILE *out, const struct job_tasks *, size_t count,
    const struct queue_expect *expect, const struct job_look *);

/* How to group repetitions. */
struct job_by {
	/*
	 * Tasks in a group differ only in these hyperparameters.  If the list
	 * starts with "-", they differ only in the others.
	 */
	const char *names; /* "seed,fold" */
	uint64_t limit;    /* at most this many groups of a job; 0: all */
	int all;           /* count tasks in any state, not only FINISHED */
};

/* Refuse a name that no job has, or an empty list.  Returns 0 or -1. */
int job_show_by_check(struct job_view *const *views, size_t count,
    const char *names, struct error *e);

/*
 * Print groups of repetitions, in any format: how many, mean and standard
 * deviation of their best values, tasks left out.  The best mean is first.
 */
void job_show_by(FILE *out, const struct job_tasks *, size_t count,
    const struct job_by *, const struct job_look *);

/*
 * Print the cost of these tasks, in any format: a row for each job and, for
 * people, a total.  The unit is hours of GPUs, or of tasks if no GPU was used,
 * by state.  The wasted share is that of ERROR, STOPPED and earlier attempts.
 */
void job_show_cost(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

/* Print for programs the tasks of all these jobs, with every column. */
void job_show_rows(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

#endif
