/*
 * Pruning: stopping the tasks of a search that do worse than others at the same
 * epoch.  The decision depends on the recorded values at the rungs alone.
 */
#ifndef STFM_CONTROL_PRUNE_H
#define STFM_CONTROL_PRUNE_H

#include "control/policy-rules.h"

/*
 * Stop the running tasks that the pruner of the job's search rejects, for
 * watchers.  Tasks that the user holds or has restarted are left alone, and so
 * is a canary until it has passed.  If nobody said how many epochs a training
 * has, it is found out from the first one that finished, and recorded as
 * stfm-set does.  While a value is due, nothing is decided.  Returns 1 if
 * something changed, or 0.
 */
int job_prune_act(const struct job_policy_input *);

/*
 * Stop the tasks of a search that is over: see control/search-end.h.  For
 * watchers; tasks that the user restarted are left alone.  Returns 1 if
 * something changed, or 0.
 */
int job_search_end_act(const struct job_policy_input *);

#endif
