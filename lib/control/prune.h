/*
 * Pruning: stopping the tasks of a search that do worse than others at the same
 * epoch.  The decision depends on the recorded values at the rungs alone.
 */
#ifndef STFM_CONTROL_PRUNE_H
#define STFM_CONTROL_PRUNE_H

#include "control/policy-rules.h"

/*
 * Stop the running tasks that the pruner of the job's search rejects; for
 * watchers.  It does not stop:
 * - tasks that the user holds;
 * - tasks that the user has restarted after the search had stopped them;
 * - task 0 of a job with a canary, until the canary has passed.
 *
 * If the number of epochs is unknown, the first training that finished tells
 * it.  The number is then recorded in a change of the job, as by stfm-set
 * --epochs, and nothing is stopped in this pass.  Nothing is decided while
 * facts of the search could not be recorded or read.  Returns 1 if something
 * changed, or 0; errors go to the trouble of the input.
 */
int job_prune_act(const struct job_policy_input *);

/*
 * Stop the tasks of a search that is over: see control/search-end.h.  For
 * watchers.  Tasks that the user has restarted after the search had stopped
 * them are left alone.  Returns as job_prune_act does.
 */
int job_search_end_act(const struct job_policy_input *);

#endif
