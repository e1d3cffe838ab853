/*
 * The rules of a job: the policy for tasks that do not go well, as the user
 * types it at submission.
 */
#ifndef STFM_SUBMIT_POLICY_OPTIONS_H
#define STFM_SUBMIT_POLICY_OPTIONS_H

#include "base/error.h"
#include "submit/plan.h"

/*
 * Set what an option asks for, named without dashes: requeue, signal-before,
 * signal, max-fail, canary, retry-oom, retry-time, avoid-bad-nodes or usage.
 * value is NULL where none was given.  Returns 1, 0 when it is none of these,
 * or -1.
 */
int job_policy_options_set(struct store_policy *, const char *option,
    const char *value, struct error *e);

/*
 * Complete the policy of a plan from sbatch's options, which have to be known,
 * and add those that it needs to the plan's.
 */
int job_policy_options_complete(struct job_plan *, struct error *e);

/*
 * No retry asks for more than the job's partitions have; refuse one that could
 * not ask for any more, and a notice of a time limit that is not there.
 */
int job_policy_options_limits(
    struct job_plan *, const struct queue_cluster *, struct error *e);

#endif
