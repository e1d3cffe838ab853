/*
 * Expected start times of pending tasks.  One call of squeue asks for all jobs
 * of this user; libslurm is not needed, so that commands that only read the
 * store do not load it.
 */
#ifndef STFM_SLURM_START_TIME_H
#define STFM_SLURM_START_TIME_H

#include <stdint.h>

#include "base/error.h"

struct queue_expect;

/*
 * Ask Slurm.  Returns the start times, to free with queue_expect_free, or NULL
 * if Slurm did not answer.
 */
struct queue_expect *queue_expect_load(struct error *e);

/*
 * Read lines of squeue, "ARRAY|TASKS|START|BEGIN|", for queue_expect_load and
 * its tests.  Returns the start times, to free with queue_expect_free.
 */
struct queue_expect *queue_expect_read(const char *text);

/* Free start times; does nothing for NULL. */
void queue_expect_free(struct queue_expect *);

/* Return whether a task is in the queue and pending. */
int queue_expect_waits(
    const struct queue_expect *, int64_t array, int64_t index);

/* Return a task's expected start, in seconds since 1970, or -1 if unknown. */
int64_t queue_expect_start(
    const struct queue_expect *, int64_t array, int64_t index);

/*
 * Return the time before which Slurm must not start a task, in seconds since
 * 1970, or -1 if Slurm does not say.  A time in the future is that of --begin,
 * or the delay after a requeue; a time in the past says nothing.
 */
int64_t queue_expect_begin(
    const struct queue_expect *, int64_t array, int64_t index);

#endif
