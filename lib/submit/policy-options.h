/*
 * The policy options: the rules for failed and requeued tasks, as the user
 * types them at submission.
 */
#ifndef STFM_SUBMIT_POLICY_OPTIONS_H
#define STFM_SUBMIT_POLICY_OPTIONS_H

#include "base/error.h"
#include "submit/plan.h"

/*
 * Set the policy from an option, named without dashes: requeue, signal-before,
 * signal, max-fail, canary, retry-oom, retry-time, avoid-bad-nodes or usage.
 * value is NULL if none was given.  Returns 1, 0 for any other option, or -1.
 */
int job_policy_options_set(struct store_policy *, const char *option,
    const char *value, struct error *e);

/*
 * Complete the policy of a plan from the options of sbatch, which must be
 * complete, and add the options that the policy needs.  Returns 0 or -1.
 */
int job_policy_options_complete(struct job_plan *, struct error *e);

/*
 * Limit retries to what the job's partitions have: 0 or -1.  Refuse a retry
 * that could not ask for more, and a signal before an unset time limit.
 */
int job_policy_options_limits(
    struct job_plan *, const struct queue_cluster *, struct error *e);

#endif
