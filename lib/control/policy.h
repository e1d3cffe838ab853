/* The job's policy on tasks that failed or were requeued, for watchers. */
#ifndef STFM_CONTROL_POLICY_H
#define STFM_CONTROL_POLICY_H

#include "control/policy-rules.h"

/*
 * Apply the job's policy.  Returns 1 if something changed; the table is then
 * out of date.  Else returns 0.
 */
int job_policy_act(const struct job_policy_input *);

#endif
