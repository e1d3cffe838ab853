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
 * Where enough tasks have failed, by the facts, wish all that are not over to
 * stop.  Returns 1 when it did, 0 when there was no need, or -1.
 */
int job_max_fail_check(const struct store_job *, struct error *e);

#endif
