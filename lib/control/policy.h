/*
 * What a watcher does about tasks that did not go well, by the job's policy.
 */
#ifndef STFM_CONTROL_POLICY_H
#define STFM_CONTROL_POLICY_H

#include "control/policy-rules.h"

/*
 * Do what the policy asks for.  Returns whether something was done, so that the
 * fold is no longer all that is known.
 */
int job_policy_act(const struct job_policy_scene *);

#endif
