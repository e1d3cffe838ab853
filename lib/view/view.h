/*
 * A view of a job: what follows from its record, its fold and its points, and
 * people want to see: how far it is, what is best, how long it took.
 *
 * It reads the store alone, and changes nothing.
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
	struct store_table *fold; /* what cannot be read is in its damaged */
	int64_t now; /* the time as of which things are told, by the store */
	const char *metric; /* the objective; NULL while nothing tells */
	enum metrics_goal goal;
	int64_t best; /* the task with the best value, or -1 */
	double best_value, best_epoch;

	/* Its own. */
	struct job_points *points;
	const char **none; /* the values of a point that cannot be read */
	struct store_chunks chunks;
	int points_tried, points_bad, chunks_tried, usual_known;
	struct job_eta_usual usual; /* what its tasks tell together */
	struct idset tasks;         /* whose rows are wanted, unless all are */
	int all;
	struct job_summing summing;
	int looked;      /* the fold was made in memory */
	int passed_over; /* a newer one is damaged */
};

/* Tasks of a job, in the order in which to show them. */
struct job_tasks {
	struct job_view *view;
	uint64_t *task;
	size_t count;
};

/*
 * A view of a job; now is the time, for want of one that the store tells.  When
 * Slurm could not be asked, the view is as of the last time it could.  The rows
 * of these tasks can be asked for, of all when tasks is NULL; The job must
 * outlive the view.  Returns NULL when the fold cannot be read.
 */
struct job_view *job_view_new(const struct store_job *,
    const struct idset *tasks, int64_t now, struct error *e);
void job_view_free(struct job_view *);

/* Read the fold again; returns 0, or -1 with the view unchanged. */
int job_view_reload(struct job_view *, int64_t now, struct error *e);

/*
 * Take what the records say now, without asking or writing anything: 0, or -1
 * as before.
 */
int job_view_look(struct job_view *, int64_t now, struct error *e);

/* Seconds since the fold was made, or -1 when that was never done. */
int64_t job_view_age(const struct job_view *);

/*
 * Whether a fold is there that is good enough: for a tenth of the time since
 * tasks were last queued, as much happens soon after, but at least 3 seconds
 * and at most 60; for 3 where a task is over any moment or has left a fact, for
 * 10 when Slurm did not answer.
 */
int job_view_is_fresh(const struct job_view *);

/*
 * The row of a task.  A value of another metric says nothing among those of the
 * objective: such a row has none.
 */
const struct store_row *job_view_row(const struct job_view *, uint64_t task);

/* Say in the fold's damaged that something cannot be read: each thing once. */
void job_view_note(struct job_view *, const char *why);
void job_view_note_all(struct job_view *, const struct strlist *damaged);

/*
 * The chunks that can be read, which belong to the view.  The others are noted:
 * of what seems to be in none nothing is known then.
 */
const struct store_chunks *job_view_chunks(struct job_view *);

/* Whether all its tasks are over, as far as the fold knows. */
int job_view_is_final(const struct job_view *);

/*
 * The values of a task's point, NULL where it has none; they last until the
 * next call.  When the points cannot be read, all are NULL.
 */
const char *const *job_view_point(struct job_view *, uint64_t task);

/*
 * For each hyperparameter whether its value is the same in all tasks; to free.
 */
char *job_view_constant(struct job_view *);

/* How far a task is. */
void job_view_progress(
    struct job_view *, uint64_t task, struct job_progress *out);

/*
 * The runs of a task before its current one, to job_history_free.  What may
 * hide some, or say more of them, is noted; returns whether there was any.
 */
int job_view_attempts(
    struct job_view *, uint64_t task, struct job_history *out);

/* The part of all epochs of a job that is done, 0 to 1. */
double job_view_part(const struct job_view *);

/*
 * When a task will be done, and whether its time limit comes first; nobody
 * knows of one that has STALLED.
 */
void job_view_eta(struct job_view *, uint64_t task, struct job_eta *out);

/*
 * What is to be said of a task that runs beside its state: "STALLED", "LATE",
 * "IDLE" when one of its GPUs does nothing, or NULL.
 */
const char *job_view_mark(struct job_view *, uint64_t task);

/* What is to be expected of a job. */
struct job_outlook {
	double left;      /* seconds until all that run or wait are done, when
			     as many train at once as now; nan when nobody
			     knows, or none runs; without the stalled */
	uint64_t stalled; /* how many of those that run are STALLED */
	uint64_t late;    /* ... LATE */
	uint64_t idle;    /* ... and IDLE */
};

/* Returns 0 where it is not known, because the job's rows were not read. */
int job_view_outlook(struct job_view *, struct job_outlook *out);

/*
 * Read all rows of a job that was opened without, which job_view_outlook needs.
 * Returns 0, or -1 with the view unchanged.
 */
int job_view_whole(struct job_view *, struct error *e);

/* Seconds from its start to its end or to now; -1 when it has not started. */
int64_t job_view_elapsed(const struct job_view *, uint64_t task);

/*
 * When the task's current attempt was submitted; -1 where a record is damaged
 * that may say it.
 */
int64_t job_view_submitted(struct job_view *, uint64_t task);

/*
 * The options of sbatch that its current attempt was queued with besides the
 * job's, or NULL while it is not; they belong to the view.
 */
const struct strlist *job_view_options(struct job_view *, uint64_t task);

/*
 * How many tasks share the allocation of a run that is in this row, 1 where it
 * had it for itself.
 */
uint64_t job_view_beside(struct job_view *, const struct store_row *);

/* Where its output is, to free, or NULL when nobody knows. */
char *job_view_log(const struct job_view *, uint64_t task);

/* Where its errors are: its own file, or its output.  As job_view_log. */
char *job_view_errors(const struct job_view *, uint64_t task);

/*
 * Write a value of the objective for people: four decimals, or three digits
 * where that says more.  Returns out.
 */
char *job_view_value(double value, char out[NUM_TEXT]);

#endif
