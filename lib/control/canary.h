/*
 * The canary (--canary): task 0 must complete one epoch before the other tasks
 * may start.  stfm queues the other tasks in separate chunks, which Slurm
 * holds.
 *
 * When task 0 completes an epoch, its run releases these chunks, so no watcher
 * is needed; a watcher releases them too.  Tasks that are queued later are not
 * held.
 */
#ifndef STFM_CONTROL_CANARY_H
#define STFM_CONTROL_CANARY_H

#include "base/error.h"

struct store_chunk;
struct store_job;
struct store_table;

/* Return whether Slurm holds the chunk from its submission on. */
int job_canary_holds(const struct store_chunk *);

/* Return 1 if the canary has passed, 0 if not, or -1. */
int job_canary_has_passed(const struct store_job *, struct error *e);

/* Return whether the canary failed for good: other tasks can never start. */
int job_canary_is_dead(const struct store_job *, const struct store_table *);

/*
 * Record that the canary has passed, and release all queued chunks that are
 * still held for it.  Stops at the first chunk that Slurm refuses to release.
 * Returns 0 if none is left, or -1.
 */
int job_canary_pass(const struct store_job *, struct error *e);

/*
 * Release the tasks of one queued chunk, once; tasks that the user holds stay
 * held.  Returns 0, also if the chunk was released before, or -1.
 */
int job_canary_release(
    const struct store_job *, const struct store_chunk *, struct error *e);

#endif
