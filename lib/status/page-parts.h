/*
 * Jobs and tasks as people and programs see them: the table of all jobs, the
 * table of a job's tasks, the page of a task.
 */
#ifndef STFM_STATUS_PAGE_PARTS_H
#define STFM_STATUS_PAGE_PARTS_H

#include <stdio.h>

#include "slurm/start-time.h"
#include "term/cli.h"
#include "term/table.h"
#include "view/view.h"

/* How to show them. */
struct job_look {
	enum table_format format;
	size_t width; /* columns, or 0 for no limit */
	enum cli_charset charset;
	int colors;  /* 0: none */
	int64_t now; /* the time */
	int folds;   /* tasks of a large job that are alike are one line */
	size_t rows; /* ... of any that does not fit so many; 0: no limit */
	const char *here; /* paths are shown relative to it, or NULL */
};

/* A row for each job, in any format. */
void job_show_jobs(FILE *out, struct job_view *const *views, size_t count,
    const struct job_look *);

/*
 * For people: the job, a row for each task, what is wrong with them.  For LaTeX
 * the rows alone.
 */
void job_show_tasks(
    FILE *out, const struct job_tasks *, const struct job_look *);

/* For people: all there is to say about a task, with its curves. */
void job_show_page(
    FILE *out, struct job_view *, uint64_t task, const struct job_look *);

/*
 * For people, and for programs as JSON: how the job was submitted, its code
 * and its environment.
 */
void job_show_record(
    FILE *out, const struct store_job *, const struct job_look *);
void job_show_records(FILE *out, struct store_job *const *, size_t count,
    const struct job_look *);

/*
 * What the code had more than its commit, to the byte where raw is true, else
 * for a terminal.  Returns 0, 1 when there is nothing, which e tells, or -1.
 */
int job_show_diff(
    FILE *out, const struct store_job *, int raw, struct error *e);

/*
 * The tasks among these that are in ERROR, in any format: equal ends together,
 * the most frequent first, each with an example and its log.
 */
void job_show_errors(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

/*
 * Why those of these tasks wait that do, in any format, and what can be done;
 * with what Slurm expects, when it was asked, else NULL.
 */
void job_show_why(FILE *out, const struct job_tasks *, size_t count,
    const struct queue_expect *, const struct job_look *);

/* Which tasks are repetitions of each other. */
struct job_by {
	/*
	 * Those that differ in nothing but these hyperparameters; where the
	 * list begins with "-", those that differ in anything but these.
	 */
	const char *names; /* "seed,fold" */
	uint64_t limit;    /* groups of a job at most; 0: all */
	int all; /* tasks count in any state; else those that are FINISHED */
};

/* Refuse a name that no job has, or a list without one: 0 or -1. */
int job_show_by_check(struct job_view *const *views, size_t count,
    const char *names, struct error *e);

/*
 * Repetitions together, in any format: how many, mean and standard deviation
 * of their best values, who is left out; the best mean comes first.
 */
void job_show_by(FILE *out, const struct job_tasks *, size_t count,
    const struct job_by *, const struct job_look *);

/*
 * What these tasks have cost, in any format: a row for each job, and for people
 * one for all.  Hours of GPUs, or of tasks where no GPU was used, by state; the
 * share that is wasted is that of ERROR, STOPPED and of earlier attempts.
 */
void job_show_cost(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

/* For programs: the tasks of all these jobs, with every column. */
void job_show_rows(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

#endif
