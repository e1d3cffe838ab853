/*
 * --canary: the first task has to complete its first epoch before the others
 * are let go.  They are queued held, in chunks of their own.  The run of the
 * first task lets them go itself, so that nobody need be watching; a watcher
 * does it as well, and who queues them later queues them free.
 */
#ifndef STFM_CONTROL_CANARY_H
#define STFM_CONTROL_CANARY_H

#include "base/error.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/table.h"

/* Whether the chunk is queued held. */
int job_canary_holds(const struct store_chunk *);

/* Whether the canary has passed: 1, 0, or -1. */
int job_canary_has_passed(const struct store_job *, struct error *e);

/* Whether it did not, so that the others wait in vain. */
int job_canary_is_dead(const struct store_job *, const struct store_table *);

/*
 * The canary has passed: record it, and let go what is held.  Returns 0 when
 * all that is in the queue was let go, now or before, or -1.
 */
int job_canary_pass(const struct store_job *, struct error *e);

/* Let go one chunk that is in the queue, once: 0, or -1. */
int job_canary_release(
    const struct store_job *, const struct store_chunk *, struct error *e);

#endif
