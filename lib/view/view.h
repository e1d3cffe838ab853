/*
 * A view of a job: its progress, its best value, elapsed times and estimates,
 * computed from its record, its table and its points.  A view reads only the
 * store and changes nothing.
 */
#ifndef STFM_VIEW_VIEW_H
#define STFM_VIEW_VIEW_H

#include <stdint.h>

#include "base/error.h"
#include "base/num.h"
#include "job/empty-logs.h"
#include "job/points.h"
#include "state/eta.h"
#include "state/history.h"
#include "state/summary.h"
#include "store/chunk.h"
#include "store/load.h"

struct job_view {
	const struct store_job *job;
	struct store_table *table; /* table->damaged: why records are bad */
	int64_t now;        /* seconds since 1970, by the store's clock */
	const char *metric; /* the objective; NULL while unknown */
	enum metrics_goal goal;
	int64_t best; /* the task with the best value, or -1 */
	double best_value, best_epoch;

	/*
	 * Metrics besides the objective that columns show, each at the epoch of
	 * the objective's best value.  value[task * names.count + i] is metric
	 * i of a task; it is set if has, with the same index, is 1.
	 */
	struct {
		struct strlist names;
		double *value;
		char *has;
	} metrics;

	/* Private. */
	struct job_points *points;
	const char **none; /* NULLs, for an unreadable point */
	struct store_chunks chunks;
	struct job_empty_logs empty_logs;
	int points_tried, points_bad, chunks_tried, empty_logs_tried,
	    usual_known;
	struct job_eta_usual usual; /* typical values of its tasks */
	struct idset tasks;         /* tasks to read, unless all is set */
	int all;
	struct job_summing summing;
	int looked;      /* the table was computed in memory */
	int passed_over; /* a newer table on disk is damaged */
};

/* Tasks of a job, in the order in which to show them. */
struct job_tasks {
	struct job_view *view;
	uint64_t *task;
	size_t count;
};

/*
 * Return a view of a job, or NULL if the table cannot be read.  The job must
 * outlive the view.  If the job is unfinished, the time of the view is that of
 * the last pass, or of Slurm's last answer if Slurm did not answer then; else
 * it is now, in seconds since 1970.  Rows are available for tasks, or for all
 * tasks if tasks is NULL.
 */
struct job_view *job_view_new(const struct store_job *,
    const struct idset *tasks, int64_t now, struct error *e);
void job_view_free(struct job_view *);

/*
 * Load the table from the store again.  now is that of job_view_new.  Returns
 * 0, or -1 with the view unchanged.
 */
int job_view_reload(struct job_view *, int64_t now, struct error *e);

/*
 * Make a current table in memory: a reconcile pass that neither asks Slurm nor
 * writes.  now is that of job_view_new.  Returns 0, or -1 with the view
 * unchanged.
 */
int job_view_look(struct job_view *, int64_t now, struct error *e);

/* Return the seconds since the table was made, or -1 if there is no table. */
static inline int64_t
job_view_age(const struct job_view *v)
{
	return v->looked ? 0 : store_table_age(v->job, NULL);
}

/*
 * Return whether the table is new enough to be shown without a reconcile pass.
 *
 * A table is new enough for a tenth of the time since tasks were last queued,
 * because most changes come soon after that: at least 3 seconds, at most 60.
 * Two cases shorten this:
 * - to 10 seconds, if Slurm did not answer;
 * - to 3 seconds, if a task is about to end or has left a fact that the table
 *   lacks.
 *
 * A table of job_view_look is always new enough.
 */
int job_view_is_fresh(const struct job_view *);

/*
 * Return the row of a task.  It belongs to the view and is valid until the
 * table is loaded again or store_table_forget releases the row.  A log may
 * have another metric than the objective: then the row has no best value.
 */
const struct store_row *job_view_row(const struct job_view *, uint64_t task);

/*
 * Add why to the table's damaged, unless it is there: a reason why something
 * cannot be read.
 */
void job_view_note(struct job_view *, const char *why);

/* Add each of the reasons in damaged, as job_view_note does. */
void job_view_note_all(struct job_view *, const struct strlist *damaged);

/*
 * Return the readable chunks; they belong to the view.  Unreadable chunks are
 * noted as job_view_note does.  A task that is in no readable chunk may be in
 * an unreadable one.
 */
const struct store_chunks *job_view_chunks(struct job_view *);

/* Return whether the log of a task in an attempt was empty and removed. */
int job_view_log_was_empty(struct job_view *, uint64_t task, uint32_t attempt);

/*
 * Return whether all tasks are over according to the table, and their logs were
 * read by the current settings.
 */
int job_view_is_final(const struct job_view *);

/*
 * Read what is new in the logs of those of these tasks that run.  Their rows,
 * the best value and the time of the view are then as new as their curves.
 */
void job_view_read_logs(struct job_view *, const uint64_t *task, size_t count);

/*
 * Return the values of a task's point; a value that the point lacks is NULL.
 * They are valid until the next call.  If the points cannot be read, all are
 * NULL.
 */
const char *const *job_view_point(struct job_view *, uint64_t task);

/*
 * Return an array of job->names.count bytes, to free.  A byte is 1 if all tasks
 * have the same value of that hyperparameter, else 0.
 */
char *job_view_constant(struct job_view *);

/* Put the progress of a task into out. */
void job_view_progress(
    struct job_view *, uint64_t task, struct job_progress *out);

/*
 * List the runs of a task before its current run; call job_history_free on out.
 * Notes records whose damage may hide runs.  Returns whether there are such
 * records.
 */
int job_view_attempts(
    struct job_view *, uint64_t task, struct job_history *out);

/*
 * Estimate when a task will be done, and whether it hits its time limit first.
 * A STALLED task gets no estimate.
 */
void job_view_eta(struct job_view *, uint64_t task, struct job_eta *out);

/*
 * Return the mark of a running task: "STALLED", "LATE", "IDLE" if one of its
 * GPUs is idle, or NULL.  It is a constant.
 */
const char *job_view_mark(struct job_view *, uint64_t task);

/*
 * The outlook of a job.  left assumes that the number of tasks that train at
 * once does not change; it covers running and pending tasks except STALLED
 * ones.  It is nan if unknown or if no task runs.
 */
struct job_outlook {
	double left;      /* seconds until all tasks are done, or nan */
	uint64_t stalled; /* number of running tasks that are STALLED */
	uint64_t late;    /* number of running tasks that are LATE */
	uint64_t idle;    /* number of running tasks that are IDLE */
};

/* Compute the outlook.  Returns 1, or 0 if the view has not read all rows. */
int job_view_outlook(struct job_view *, struct job_outlook *out);

/*
 * Read all rows of a job for job_view_outlook, if job_view_new read only some;
 * then as job_view_reload.  Returns 0, or -1 with the view unchanged.
 */
int job_view_whole(struct job_view *, struct error *e);

/*
 * Return the seconds from a task's start to its end, or to now if it runs.
 * Returns -1 if the task has not started.
 */
int64_t job_view_elapsed(const struct job_view *, uint64_t task);

/*
 * Return the number of the copy of the code that a task's current attempt runs;
 * the copy of the submission is number 0.  Returns -1 if the attempt is not
 * queued yet.
 */
int64_t job_view_code(struct job_view *, uint64_t task);

/*
 * Return when a task's current attempt was submitted, in seconds since 1970, or
 * -1 if its record may be damaged.
 */
int64_t job_view_submitted(struct job_view *, uint64_t task);

/*
 * Return the sbatch options of a task's current attempt that are not options of
 * the job; they belong to the view.  Returns NULL while the task is not queued.
 */
const struct strlist *job_view_options(struct job_view *, uint64_t task);

/*
 * Return how many tasks, including this one, share the allocation of the row's
 * run.
 */
uint64_t job_view_packed(struct job_view *, const struct store_row *);

/* Return the path of a task's output, to free, or NULL if unknown. */
char *job_view_log(const struct job_view *, uint64_t task);

/*
 * Return the path of a task's standard error, which may be the path of its
 * output; to free, or NULL if unknown.
 */
char *job_view_errors(const struct job_view *, uint64_t task);

/*
 * Write a value of the objective for people.  It has 4 decimals, 2 from 100 on
 * and 1 from 1000 on; below 0.01 and from 1e6 on it has 3 significant digits.
 * Returns out.
 */
char *job_view_value(double value, char out[NUM_TEXT]);

#endif
