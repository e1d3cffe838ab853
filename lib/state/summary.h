/*
 * The summary of a job: totals over all rows of its task table.  It is stored
 * in the first line of the table, so that counts, comparisons and progress need
 * no rows.  A reconcile pass updates it with the rows that changed.
 */
#ifndef STFM_STATE_SUMMARY_H
#define STFM_STATE_SUMMARY_H

#include <stdint.h>

#include "base/ascii.h"

#include "store/table.h"

/* The progress of a task. */
struct job_progress {
	double epochs; /* epochs to train, or 0: unknown */
	double done;   /* epochs done */
	double part;   /* 0 to 1, or nan: unknown; FINISHED is 1 */
};

/* Return the values of a task's point, NULL for missing ones; or NULL. */
typedef const char *const *job_point_of(void *arg, uint64_t task);

/* The arguments for making a summary. */
struct job_summing {
	const struct store_job *job;
	job_point_of *point;
	void *arg;

	/* Private: how many epochs a task trains. */
	int guessed;  /* from a hyperparameter with a usual name */
	int name;     /* the index of the hyperparameter, or -1 */
	double every; /* the same number for every task, or 0 */
};

/*
 * Prepare for making a summary.  A task trains as many epochs as --epochs says,
 * or else as a hyperparameter with a usual name says.  job and arg must live as
 * long as the result.
 */
struct job_summing job_summing(
    const struct store_job *job, job_point_of *point, void *arg);

/*
 * Set *out to the progress of a task by its row.  If its log only counts steps,
 * done is the last of them.
 */
void job_progress(const struct job_summing *, const struct store_row *,
    struct job_progress *out);

/* Make the summary of a table from all its rows. */
void job_summary_make(const struct job_summing *, struct store_table *);

/*
 * Update the summary with one row that changed from before to after.  Of the
 * strings of before, only the cause is used.  If other rows would have to be
 * read, as when the best task got worse, the summary becomes unknown.
 */
void job_summary_change(const struct job_summing *, struct store_table *,
    const struct store_row *before, const struct store_row *after);

/* Return the job's objective, or NULL if it is unknown. */
const char *job_summary_metric(
    const struct store_job *, const struct store_summary *);

/* Return the goal of the objective. */
enum metrics_goal job_summary_goal(
    const struct store_job *, const struct store_summary *);

/* Return whether the summary of a log is about the objective. */
int job_summary_is_about(const struct store_job *, const struct store_summary *,
    const struct metrics_summary *);

/*
 * Return an epoch of a log counted from 1, as job_progress counts; the log may
 * count from 0.  Steps are returned as the log counts them.
 */
double job_summary_epoch(const struct metrics_summary *, double epoch);

/* Return whether a log counts epochs, as far as known, and not only steps. */
static inline int
job_summary_has_epochs(const struct metrics_summary *m)
{
	return m->columns == 0 || *m->x_name == '\0' ||
	    ascii_ncasecmp(m->x_name, "epoch", 5) == 0;
}

/*
 * Return how many tasks of a table have failed or were stopped, other than by
 * the search of the job.
 */
static inline uint64_t
job_summary_bad(const struct store_table *table)
{
	return table->in_state[STORE_ERROR] + table->in_state[STORE_STOPPED] -
	    (uint64_t)table->summary.pruned;
}

/* Return the fraction of all epochs of a job that is done, 0 to 1. */
double job_summary_part(const struct store_table *);

#endif
