/*
 * The summary of a job: what follows from all rows of its fold together, kept
 * in the fold's first line so that counting, comparing and saying how far a job
 * is needs no row.  A pass brings it up to date with the rows that changed.
 */
#ifndef STFM_STATE_SUMMARY_H
#define STFM_STATE_SUMMARY_H

#include <stdint.h>

#include "metrics/metrics.h"
#include "store/job.h"
#include "store/table.h"

/* How far a task is. */
struct job_progress {
	double epochs; /* that it will train, or 0 when nobody knows */
	double done;   /* epochs */
	double part;   /* 0 to 1, or nan when nobody knows; FINISHED is 1 */
};

/* The values of a task's point, NULL where it has none; or NULL. */
typedef const char *const *job_point_of(void *arg, uint64_t task);

/* What is needed to make a summary. */
struct job_summing {
	const struct store_job *job;
	job_point_of *point;
	void *arg;

	/* Its own: who tells how many epochs a task trains. */
	int guessed;  /* the name of a hyperparameter */
	int name;     /* its index, or -1 */
	double every; /* every task the same, or 0 */
};

/*
 * How many epochs a task trains is what --epochs says; else it is guessed from
 * a hyperparameter with one of the usual names.  The job and arg are kept, and
 * have to stay as long as what is returned.
 */
struct job_summing job_summing(
    const struct store_job *, job_point_of *point, void *arg);

/*
 * How far a task is by its row.  Where its log counts steps alone, done is the
 * last of them.
 */
void job_progress(const struct job_summing *, const struct store_row *,
    struct job_progress *out);

/* Make the summary of a fold from all its rows. */
void job_summary_make(const struct job_summing *, struct store_table *);

/*
 * Bring it up to date with one row; the texts of before are not looked at, but
 * for its cause.  When that cannot be done from one row alone, the summary is
 * no longer known.
 */
void job_summary_change(const struct job_summing *, struct store_table *,
    const struct store_row *before, const struct store_row *after);

/* The objective of the job: its name, or NULL while nothing tells; which way.
 */
const char *job_summary_metric(
    const struct store_job *, const struct store_summary *);
enum metrics_goal job_summary_goal(
    const struct store_job *, const struct store_summary *);

/* Whether what a log says is about the objective. */
int job_summary_is_about(const struct store_job *, const struct store_summary *,
    const struct metrics_summary *);

/* Whether a log counts epochs, as far as one knows, and not steps alone. */
int job_summary_has_epochs(const struct metrics_summary *);

/* The part of all epochs of a job that is done, 0 to 1. */
double job_summary_part(const struct store_table *);

#endif
