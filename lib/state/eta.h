/*
 * The ETA of a task, from the duration of its epochs: the median of the last
 * samples of its log, each weighted by the epochs that it covers.  The first
 * sample of a run is left out because it includes the start-up.  Until enough
 * epochs of a task are timed, the other tasks of the job serve.  The ETA tells
 * whether the task will hit its time limit, and whether it hangs.
 *
 * Only job_eta_note, job_eta_end and job_eta_is_stalled look at files.
 */
#ifndef STFM_STATE_ETA_H
#define STFM_STATE_ETA_H

#include <stdint.h>

#include "state/summary.h"

/*
 * A task is STALLED if neither its training log nor its output grew for this
 * many epochs and for this many seconds: FLOOR, or a tenth of its time limit if
 * that is less, but at least LEAST.  After SILENT seconds and as many epochs
 * without a new one, its ETA is unknown.
 */
enum {
	JOB_ETA_EPOCHS = 5,
	JOB_ETA_FLOOR = 300,
	JOB_ETA_LEAST = 60,
	JOB_ETA_SILENT = 30
};

struct job_eta {
	double pace;     /* seconds per epoch, or nan: unknown */
	double left;     /* seconds until the task is done, or nan: unknown */
	double room;     /* seconds until its time limit, or nan */
	double patience; /* seconds for which it may be silent, or nan */
	int stalled;     /* the task is alive but silent: it has no ETA */
	int64_t since;   /* if stalled, the time of its last sign of life */
	int silent;      /* the next epoch is overdue: left is unknown */
	int late;        /* the task will hit its time limit */
	int idle;        /* one of the task's GPUs is idle; set by lib/view */
	int requeues;    /* if late, how many requeues the task needs */
};

/*
 * Add a sample after the training log has grown.  before is the summary of the
 * log until now; time is when the log was last written, in seconds since 1970.
 */
void job_eta_note(
    struct store_row *, const struct metrics_summary *before, double time);

/*
 * Finish the timing of a run that is over.  Forgets what depends on when stfm
 * looked, so that a table that is made again is the same.  Keeps the average
 * time of its epochs, without the start-up if the creation time of its log
 * tells that.
 */
void job_eta_end(struct store_row *);

/*
 * Return the seconds per epoch of the row's task by its own log, or nan.  For a
 * task that is over this is the time until its last epoch, divided by its
 * epochs.  The time in which it hung after that does not count, nor does the
 * start-up if job_eta_end found out how long that was.
 */
double job_eta_pace(const struct store_row *);

/* Timing of a job's tasks together; zeroed at first. */
enum { JOB_ETA_OTHERS = 1000 };

struct job_eta_others {
	size_t count, paces, startups, over;
	double pace[JOB_ETA_OTHERS], startup[JOB_ETA_OTHERS];
	/* Of the tasks that are over. */
	double epochs[JOB_ETA_OTHERS], seconds[JOB_ETA_OTHERS];
	size_t tasks; /* that run, have finished, or the pruner stopped */
	double saved; /* sum of the parts of their epochs that it saved */
};

/*
 * The expectation for a task without timing of its own; nan: unknown.
 *
 * Tasks that are over tell that n epochs take fixed + n * each seconds.  This
 * is the straight line that fits best; fixed is the start-up, and for tasks
 * that finished early, planned epochs count.  If all these tasks have about as
 * many epochs, no line fits: each is then the median pace of running tasks, or
 * else the average with the start-up, which is not sound.
 */
struct job_eta_usual {
	double pace;    /* seconds per epoch, the median of running tasks */
	double startup; /* median seconds before the first epoch */
	double each, fixed;
	int is_sound; /* each does not contain the start-up */
	double saved; /* part of its epochs that the pruner is likely to save */
};

/* Learn from one task.  Returns 0 if enough is known, else 1. */
int job_eta_learn(struct job_eta_others *, const struct store_row *,
    const struct job_progress *);

/* Return the expectation from all tasks learnt. */
struct job_eta_usual job_eta_usual(const struct job_eta_others *);

/*
 * Set *out to the ETA of a task.  A task that does not run is never late and
 * has no room.  A pending task has all its epochs to do, minus the part that
 * the pruner of a search is likely to save; a task that is over has none.  A
 * task is late only if at least three rows of its own log were timed.
 */
void job_eta(const struct store_job *, const struct store_row *,
    const struct job_progress *, const struct job_eta_usual *, int64_t now,
    struct job_eta *out);

/*
 * Return whether the task is alive but silent.  Its files are only examined if
 * its last epoch is long enough ago.  log is the path of its output, or NULL;
 * *since is set to the time of its last sign of life if it is.
 */
int job_eta_is_stalled(const struct store_row *, const struct job_eta *,
    const char *log, int64_t now, int64_t *since);

/*
 * Return whether a task that is over had stalled before its end: it logged its
 * last epoch at least JOB_ETA_LEAST seconds and JOB_ETA_EPOCHS epochs earlier.
 */
int job_eta_had_stalled(const struct store_row *);

/*
 * Return the seconds until all tasks are done, or nan.  left has the remaining
 * seconds of each running task, and slots is their number.  waiting is the
 * number of pending tasks, and each the seconds that one takes.  A pending task
 * starts as soon as a slot is free.
 */
double job_eta_all(
    const double *left, size_t slots, double each, double waiting);

#endif
