/*
 * The policy options: the rules for failed and requeued tasks, as the user
 * types them at submission.
 */
#ifndef STFM_SUBMIT_POLICY_OPTIONS_H
#define STFM_SUBMIT_POLICY_OPTIONS_H

#include "base/error.h"
#include "store/policy.h"
#include "submit/plan.h"

/*
 * Seconds between the signal and the time limit: the default and the maximum.
 */
enum { POLICY_NOTICE = 60, POLICY_NOTICE_MOST = 30 * 86400 };

/*
 * Set the signal from "USR1" or, as sbatch writes it, "B:USR1@60" with the
 * seconds before the time limit.  Returns 0 or -1.
 */
int job_policy_options_signal(
    struct store_policy *, const char *value, struct error *e);

/*
 * Set the retry with more memory or more time from "1.5" or "2,max=64G,n=5".
 * Returns 0 or -1.
 */
int job_policy_options_oom(
    struct store_policy *, const char *value, struct error *e);
int job_policy_options_time(
    struct store_policy *, const char *value, struct error *e);

/*
 * Complete the policy of a plan from the options of sbatch, which must be
 * complete, and add sbatch options that the policy needs.  Returns 0 or -1.
 */
int job_policy_options_complete(struct job_plan *, struct error *e);

/*
 * Limit retries to the limits of the job's partitions.  Refuse a retry that
 * could not ask for more, and a signal without a time limit.  Returns 0 or -1.
 */
int job_policy_options_limits(
    struct job_plan *, const struct queue_cluster *, struct error *e);

#endif
