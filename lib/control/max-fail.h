/*
 * --max-fail: when so many tasks of a job have failed, the rest is stopped.
 * The run that fails finds that out by itself, from the facts, so that nobody
 * need be watching: what starts later ends before it trains.  What a rule of
 * the job queues again has not failed; where only Slurm can say whether one
 * does, that is left to whoever asks it.
 */
#ifndef STFM_CONTROL_MAX_FAIL_H
#define STFM_CONTROL_MAX_FAIL_H

#include "base/error.h"
#include "store/cancel.h"
#include "store/job.h"

/*
 * The first attempt in which failures count: one after those that the rule has
 * stopped, so that tasks that are started again have their chance.
 */
uint32_t job_fail_since(const struct store_wishes *);

/* What such a wish is called: "max-fail 3"; to free. */
char *job_fail_name(const struct store_job *);

/*
 * Whether the rule has stopped an attempt of a task, or wants it not to be
 * queued again.
 */
int job_fail_has_stopped(
    const struct store_wishes *, uint64_t task, uint32_t attempt);

/*
 * Where enough tasks have failed, by the facts, wish all that are not over to
 * stop.  Returns 1 when it did, 0 when there was no need, or -1.
 */
int job_fail_check(const struct store_job *, struct error *e);

#endif
