/*
 * When a task will be done, judged by the pace of its training: the median of
 * the last few times that an epoch took.  From it follow whether the time limit
 * comes first, and whether a task that is alive has fallen silent.
 *
 * All but job_eta_is_stalled is arithmetic on a row of the fold.
 */
#ifndef STFM_JOB_ETA_H
#define STFM_JOB_ETA_H

#include <stdint.h>

#include "job-summary.h"
#include "store-fold.h"
#include "store-job.h"

/*
 * A task has STALLED when neither its training log nor its output grew for so
 * many epochs, and for so many seconds.
 */
enum { JOB_ETA_EPOCHS = 5, JOB_ETA_FLOOR = 300 };

struct job_eta {
	double pace;     /* seconds for an epoch, or nan: nobody knows */
	double left;     /* seconds until it is done, or nan */
	double room;     /* seconds that its time limit leaves, or nan */
	double patience; /* seconds of silence that it is allowed, or nan */
	int stalled;     /* alive but silent: nothing is left to foretell */
	int64_t since;   /* ... the last sign of life of such a one */
	int late;        /* the time limit comes first */
	int idle;        /* one of its GPUs does nothing; job-view knows */
	int requeues;    /* ... so often, when it goes on each time */
};

/*
 * Take in that the training log went on: before is what was known of it until
 * now, time when it was last written to.  The row's pace follows.
 */
void job_eta_note(
    struct store_row *, const struct metrics_summary *before, int64_t time);

/*
 * The run is over: forget what depends on when it was looked at, so that a fold
 * that is made again is the same.
 */
void job_eta_end(struct store_row *);

/*
 * The pace of the row's task by its own log, or nan.  Of a task that is over it
 * is the time until the last epoch that it did, divided by its epochs: that in
 * which it hung is not an epoch's.
 */
double job_eta_pace(const struct store_row *);

/*
 * The median of the paces of a job's tasks (of the first thousand that have
 * one), for those that have none yet; nan when none has.
 */
double job_eta_usual(const struct store_fold *);

/*
 * What is to be expected of a task; usual is the pace of a task that has none,
 * or nan.  A task that does not run is neither late nor has it room; one that
 * waits has all its epochs before it, one that is over none.
 */
void job_eta(const struct store_job *, const struct store_row *,
    const struct job_progress *, double usual, int64_t now,
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
 * Seconds until all of them are done: running is the sum of what is left of
 * tasks that run, longest the most of one, waiting the sum of those that wait,
 * slots how many train at once.
 */
double job_eta_all(
    double running, double longest, double waiting, uint64_t slots);

#endif
