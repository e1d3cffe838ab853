/*
 * The tasks that the pruner of a search spares.  The function uses the job and
 * the requests of their input.
 */
#ifndef STFM_CONTROL_PRUNE_SPARES_H
#define STFM_CONTROL_PRUNE_SPARES_H

#include "control/policy-rules.h"

/*
 * Return why the pruner does not stop an attempt of a task, "you restarted it",
 * or NULL if it may.
 */
const char *job_prune_spares(
    const struct job_policy_input *, uint64_t task, uint32_t attempt);

#endif
