/*
 * When Slurm expects to start the tasks that wait.  It is asked by squeue, with
 * one call for all jobs of this user, so that who only reads the store does not
 * load Slurm's library.
 */
#ifndef STFM_SLURM_START_TIME_H
#define STFM_SLURM_START_TIME_H

#include <stdint.h>

#include "base/error.h"

struct queue_expect;

/* Ask; to queue_expect_free.  NULL when Slurm did not answer. */
struct queue_expect *queue_expect_load(struct error *e);

/*
 * Read lines of squeue, "ARRAY|TASKS|START|BEGIN|": for queue_expect_load and
 * its tests.
 */
struct queue_expect *queue_expect_read(const char *text);

/* Takes NULL too. */
void queue_expect_free(struct queue_expect *);

/* Whether a task waits, as Slurm has it. */
int queue_expect_waits(
    const struct queue_expect *, int64_t array, int64_t index);

/*
 * When a task is expected to start, in seconds since 1970, or -1 when Slurm
 * does not say.
 */
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
