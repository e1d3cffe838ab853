/*
 * When a task will be done, judged by how long its epochs take: the median over
 * the last looks at its log, each weighted by the epochs it saw.  The first
 * look of a run is left out, because it also saw the start-up.  Until a task
 * has timed enough epochs, the other tasks of the job tell.  From this follow
 * whether the time limit comes first, and whether a running task hangs.
 *
 * Only job_eta_note, job_eta_end and job_eta_is_stalled look at files.
 */
#ifndef STFM_STATE_ETA_H
#define STFM_STATE_ETA_H

#include <stdint.h>

#include "state/summary.h"
#include "store/job.h"
#include "store/table.h"

/*
 * A task has STALLED when neither its training log nor its output grew for this
 * many epochs, and for this many seconds: FLOOR, or a tenth of its time limit
 * where that is less, but at least LEAST.  After SILENT seconds and as many
 * epochs without a new one, nobody knows when it ends.
 */
enum {
	JOB_ETA_EPOCHS = 5,
	JOB_ETA_FLOOR = 300,
	JOB_ETA_LEAST = 60,
	JOB_ETA_SILENT = 30
};

struct job_eta {
	double pace;     /* seconds for an epoch, or nan: nobody knows */
	double left;     /* seconds until it is done, or nan */
	double room;     /* seconds that its time limit leaves, or nan */
	double patience; /* seconds of silence that it is allowed, or nan */
	int stalled;     /* alive but silent: nothing is left to foretell */
	int64_t since;   /* ... the last sign of life of such a one */
	int silent;      /* its next epoch is overdue: left is not known */
	int late;        /* the time limit comes first */
	int idle;        /* one of its GPUs does nothing; job-view knows */
	int requeues;    /* ... so often, when it goes on each time */
};

/*
 * Take in that the training log went on: before is what was known of it until
 * now, time when it was last written to, in seconds since 1970.
 */
void job_eta_note(
    struct store_row *, const struct metrics_summary *before, double time);

/*
 * The run is over: forget what depends on when it was looked at, so that a fold
 * that is made again is the same.  Keep the average time of its epochs without
 * the start-up, where the time at which its log was made tells that.
 */
void job_eta_end(struct store_row *);

/*
 * Return the seconds that an epoch of the row's task takes by its own log, or
 * nan.  For a task that is over this is the time until its last epoch, divided
 * by its epochs.  The time in which it hung after that does not count, nor does
 * the start-up where job_eta_end has found out how long that was.
 */
double job_eta_pace(const struct store_row *);

/* What the tasks of a job tell together; all 0 at first. */
enum { JOB_ETA_OTHERS = 1000 };

struct job_eta_others {
	size_t count, paces, startups;
	double pace[JOB_ETA_OTHERS], startup[JOB_ETA_OTHERS];
	double seconds, epochs; /* of those that are over */
};

/* What one may expect of a task that tells nothing itself; nan: not known. */
struct job_eta_usual {
	double pace;    /* seconds for an epoch, the median of running tasks */
	double startup; /* seconds before the first epoch, likewise */
	double whole;   /* seconds for an epoch of tasks that are over, with
			   their start-up; their planned epochs count where
			   they finished early */
};

/* Learn from one task.  Returns 0 when enough is known, otherwise 1. */
int job_eta_learn(struct job_eta_others *, const struct store_row *,
    const struct job_progress *);
struct job_eta_usual job_eta_usual(const struct job_eta_others *);

/*
 * Set *out to what is to be expected of a task.  A task that does not run is
 * neither late nor has it room; a waiting task has all its epochs before it, a
 * task that is over has none.  A task is late only when at least three rows of
 * its own log were timed.
 */
void job_eta(const struct store_job *, const struct store_row *,
    const struct job_progress *, const struct job_eta_usual *, int64_t now,
    struct job_eta *out);

/* What is to be said of it beside its state: "STALLED", "LATE", "IDLE", or
 * NULL.
 */
const char *job_eta_mark(const struct job_eta *);

/*
 * Whether the task is alive but silent: its files are only looked at where the
 * last epoch is so long ago.  log is where its output goes, or NULL;
 * *since is then the time of its last sign of life.
 */
int job_eta_is_stalled(const struct store_row *, const struct job_eta *,
    const char *log, int64_t now, int64_t *since);

/*
 * Return whether a task that is over had stalled before its end: it logged its
 * last epoch at least JOB_ETA_LEAST seconds and JOB_ETA_EPOCHS epochs earlier.
 */
int job_eta_had_stalled(const struct store_row *);

/*
 * Return the seconds until all tasks are done, or nan: left has the seconds of
 * each task that runs, slots is how many those are; each is how long a waiting
 * task takes, which begins as soon as one of the slots is free.
 */
double job_eta_all(
    const double *left, size_t slots, double each, double waiting);

#endif
