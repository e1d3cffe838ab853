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

/* Times in seconds since 1970, or -1 if Slurm does not say. */
struct queue_times {
	int64_t start; /* the expected start */
	/*
	 * Slurm must not start the task before begin.  A time in the future is
	 * that of --begin, or the delay after a requeue; a time in the past
	 * says nothing.
	 */
	int64_t begin;
};

/*
 * Return the times of a pending task, which belong to queue_expect; NULL if the
 * task is not in the queue or not pending.
 */
const struct queue_times *queue_expect_find(
    const struct queue_expect *, int64_t array, int64_t index);

#endif
