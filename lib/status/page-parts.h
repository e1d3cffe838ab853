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
struct show_style {
	enum table_format format;
	size_t width; /* columns, or 0 for no limit */
	enum cli_charset charset;
	int colors;  /* whether to use colours */
	int64_t now; /* the current time, seconds since 1970 */
	int alike;   /* print similar tasks of a large job on one line */
	size_t rows; /* do this in tables of more rows, too; 0: no limit */
	/* The columns to print, or NULL. */
	const struct strlist *columns;
	const char *here; /* directory to which paths are relative, or NULL */
};

/*
 * The functions that return an int return 0, or -1 if a chosen column is not
 * there.
 */

/* Print a row for each job, in any format. */
int job_show_jobs(FILE *out, struct job_view *const *views, size_t count,
    const struct show_style *, struct error *e);

/*
 * Print for people the job, a row for each task, and the problems of its tasks.
 * For papers, or with chosen columns, print only the rows.
 */
int job_show_tasks(FILE *out, const struct job_tasks *,
    const struct show_style *, struct error *e);

/* Print for people everything about a task, with its curves. */
void job_show_page(
    FILE *out, struct job_view *, uint64_t task, const struct show_style *);

/* Print jobs' submissions, code and environments, for people or as JSON. */
void job_show_records(FILE *out, struct store_job *const *, size_t count,
    const struct show_style *);

/*
 * List a job's dependencies as the user typed them, "conv2d:ok", in out, which
 * must be empty.
 */
void job_show_after(const struct store_job *, struct strlist *out);

/*
 * Print the uncommitted changes of the code at submission: byte by byte if raw
 * is true, else for a terminal.  Returns 0, 1 if there are none (e says why),
 * or -1.
 */
int job_show_diff(
    FILE *out, const struct store_job *, int raw, struct error *e);

/*
 * Print the tasks in ERROR, in any format: equal failures in one group, the
 * largest group first, each with an example and its log.
 */
int job_show_errors(FILE *out, const struct job_tasks *, size_t count,
    const struct show_style *, struct error *e);

/*
 * Print why pending tasks wait and what can be done, in any format.  expect has
 * Slurm's expected start times, or is NULL if Slurm was not asked.
 */
int job_show_why(FILE *out, const struct job_tasks *, size_t count,
    const struct queue_expect *expect, const struct show_style *,
    struct error *e);

/* How to group repetitions: the options of stfm-status --by. */
struct job_by {
	/*
	 * The hyperparameters in which the tasks of a group differ,
	 * "seed,fold".  If the list starts with "-", tasks differ in all other
	 * hyperparameters.
	 */
	const char *names;
	uint64_t limit; /* maximum groups of a job; 0: all */
	int all;        /* count tasks in any state, not only FINISHED */
};

/* Refuse a name that no job has, or an empty list.  Returns 0 or -1. */
int job_show_by_check(struct job_view *const *views, size_t count,
    const char *names, struct error *e);

/*
 * Print groups of repetitions, in any format: their number of tasks, the mean
 * and standard deviation of the best values, and the tasks left out.  The group
 * with the best mean comes first.
 */
int job_show_by(FILE *out, const struct job_tasks *, size_t count,
    const struct job_by *, const struct show_style *, struct error *e);

/*
 * Print the cost of tasks, in any format: a row for each job and, for people, a
 * total.  The unit is GPU hours, or hours of tasks if no GPU was used, by
 * state.  The wasted share is that of ERROR, STOPPED and earlier attempts, but
 * not of tasks that a search stopped.
 */
int job_show_cost(FILE *out, const struct job_tasks *, size_t count,
    const struct show_style *, struct error *e);

/*
 * Print the properties of at least two jobs side by side, in any format: how
 * they were submitted, the code, the hyperparameters and the results of their
 * tasks.  For people, properties that are the same are one line.  Chosen
 * columns are the properties to print.  Returns 0, or -1 for one that no job
 * has.
 */
int job_show_comparison(FILE *out, const struct job_tasks *, size_t count,
    const struct show_style *, struct error *e);

/*
 * Print the points of tasks as stfm-submit --from takes them: TSV with a column
 * for each hyperparameter, and for each option that points set for Slurm.
 * Returns 0, or -1 if a value is empty, which TSV cannot say.
 */
int job_show_points(
    FILE *out, const struct job_tasks *, size_t count, struct error *e);

/* Print for programs the tasks of all these jobs, with every column. */
int job_show_rows(FILE *out, const struct job_tasks *, size_t count,
    const struct show_style *, struct error *e);

#endif
