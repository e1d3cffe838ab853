/*
 * A view of a job: what people want to see of it, computed from its record, its
 * table and its points: its progress, the best value, how long it took.
 *
 * A view reads only the store, and changes nothing.
 */
#ifndef STFM_VIEW_VIEW_H
#define STFM_VIEW_VIEW_H

#include <stdint.h>

#include "base/error.h"
#include "base/num.h"
#include "job/points.h"
#include "metrics/metrics.h"
#include "state/eta.h"
#include "state/history.h"
#include "state/summary.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/table.h"

struct job_view {
	const struct store_job *job;
	struct store_table *table; /* its damaged lists what cannot be read */
	int64_t now;               /* the time of the answers (store clock) */
	const char *metric;        /* the objective; NULL while unknown */
	enum metrics_goal goal;
	int64_t best; /* the task with the best value, or -1 */
	double best_value, best_epoch;

	/* Private. */
	struct job_points *points;
	const char **none; /* NULLs, for a point that cannot be read */
	struct store_chunks chunks;
	int points_tried, points_bad, chunks_tried, usual_known;
	struct job_eta_usual usual; /* typical values of its tasks */
	struct idset tasks;         /* whose rows are read, unless all are */
	int all;
	struct job_summing summing;
	int looked;      /* the table was made in memory */
	int passed_over; /* a newer table is damaged */
};

/* Tasks of a job, in the order in which to show them. */
struct job_tasks {
	struct job_view *view;
	uint64_t *task;
	size_t count;
};

/*
 * Return a view of a job, or NULL if the table cannot be read.  The job must
 * outlive the view.  now is the time if the store has none; if Slurm could not
 * be asked, the view is as of its last answer.  Rows are available for these
 * tasks, or for all if tasks is NULL.
 */
struct job_view *job_view_new(const struct store_job *,
    const struct idset *tasks, int64_t now, struct error *e);
void job_view_free(struct job_view *);

/* Read the table again.  Returns 0, or -1 with the view unchanged. */
int job_view_reload(struct job_view *, int64_t now, struct error *e);

/*
 * Update the view from the records now, without asking Slurm or writing
 * anything.  Returns 0, or -1 with the view unchanged.
 */
int job_view_look(struct job_view *, int64_t now, struct error *e);

/* Return the seconds since the table was made, or -1 if there is none. */
int64_t job_view_age(const struct job_view *);

/*
 * Return whether the table is new enough.  It is for a tenth of the time since
 * tasks were last queued, because much happens soon after, but at least 3 and
 * at most 60 seconds; for 3 seconds if a task is about to end or has left a
 * fact; for 10 if Slurm did not answer.
 */
int job_view_is_fresh(const struct job_view *);

/*
 * Return the row of a task.  If its values are of another metric than the
 * objective, the row has no values.
 */
const struct store_row *job_view_row(const struct job_view *, uint64_t task);

/* Add why something cannot be read to the table's damaged, each reason once. */
void job_view_note(struct job_view *, const char *why);
void job_view_note_all(struct job_view *, const struct strlist *damaged);

/*
 * Return the chunks that can be read; they belong to the view.  The others are
 * noted: nothing is known then of tasks that seem to be in no chunk.
 */
const struct store_chunks *job_view_chunks(struct job_view *);

/* Return whether all tasks are over by the table. */
int job_view_is_final(const struct job_view *);

/*
 * Return the values of a task's point, NULL where it has none.  They last until
 * the next call.  If the points cannot be read, all are NULL.
 */
const char *const *job_view_point(struct job_view *, uint64_t task);

/* Return whether all tasks have the same value, per hyperparameter; to free. */
char *job_view_constant(struct job_view *);

/* Put the progress of a task into out. */
void job_view_progress(
    struct job_view *, uint64_t task, struct job_progress *out);

/*
 * List the runs of a task before its current one; out is to job_history_free.
 * Records that may hide some, or tell more of them, are noted; returns whether
 * there were any such records.
 */
int job_view_attempts(
    struct job_view *, uint64_t task, struct job_history *out);

/* Return the fraction of all epochs of a job that is done, 0 to 1. */
double job_view_part(const struct job_view *);

/*
 * Estimate when a task will be done, and whether its time limit comes first.
 * There is no estimate for a task that has STALLED.
 */
void job_view_eta(struct job_view *, uint64_t task, struct job_eta *out);

/*
 * Return the mark of a running task: "STALLED", "LATE", "IDLE" if one of its
 * GPUs does nothing, or NULL.
 */
const char *job_view_mark(struct job_view *, uint64_t task);

/*
 * The outlook of a job.  left assumes that as many tasks train at once as now;
 * it covers running and pending tasks, without STALLED ones.  nan: unknown, or
 * no task runs.
 */
struct job_outlook {
	double left;      /* seconds until all tasks are done; or nan */
	uint64_t stalled; /* how many running tasks are STALLED */
	uint64_t late;    /* how many running tasks are LATE */
	uint64_t idle;    /* how many running tasks are IDLE */
};

/* Compute the outlook.  Returns 1, or 0 if the job's rows were not read. */
int job_view_outlook(struct job_view *, struct job_outlook *out);

/*
 * Read all rows of a job whose view was made without; job_view_outlook needs
 * them.  Returns 0, or -1 with the view unchanged.
 */
int job_view_whole(struct job_view *, struct error *e);

/* Return the seconds from a task's start to its end or now; -1: not started. */
int64_t job_view_elapsed(const struct job_view *, uint64_t task);

/*
 * Return when a task's current attempt was submitted, or -1 if a record that
 * may say it is damaged.
 */
int64_t job_view_submitted(struct job_view *, uint64_t task);

/*
 * Return the options of sbatch, besides the job's, of a task's current attempt;
 * they belong to the view.  NULL while it is not queued.
 */
const struct strlist *job_view_options(struct job_view *, uint64_t task);

/* Return how many tasks share the allocation of this row's run; 1: its own. */
uint64_t job_view_beside(struct job_view *, const struct store_row *);

/* Return the path of a task's output, to free, or NULL if unknown. */
char *job_view_log(const struct job_view *, uint64_t task);

/*
 * Return the path of a task's standard error, which may be that of its output;
 * to free, or NULL if unknown.
 */
char *job_view_errors(const struct job_view *, uint64_t task);

/*
 * Write a value of the objective for people: four decimals, or three digits if
 * that says more.  Returns out.
 */
char *job_view_value(double value, char out[NUM_TEXT]);

#endif
