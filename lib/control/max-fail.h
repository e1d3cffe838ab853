/*
 * The failure limit (--max-fail): after that many failed tasks, stfm stops the
 * rest of the job.  The run that fails finds this out from the facts, so no
 * watcher is needed.  Tasks that start later end before they train.
 *
 * A task that a rule requeues has not failed.  If only Slurm knows whether a
 * task failed, the next reconcile pass decides.
 */
#ifndef STFM_CONTROL_MAX_FAIL_H
#define STFM_CONTROL_MAX_FAIL_H

#include "base/error.h"
#include "store/request.h"

/*
 * Record stop requests for all tasks that are not over, if enough tasks have
 * failed by the facts.  Returns 1 if it did, 0 if there was no need, or -1.
 */
int job_max_fail_check(const struct store_job *, struct error *e);

#endif
