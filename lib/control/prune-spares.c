#include "control/canary.h"
#include "control/chunk.h"
#include "control/prune-spares.h"
#include "control/stop-reason.h"

const char *
job_prune_spares(
    const struct job_policy_input *s, uint64_t task, uint32_t attempt)
{
	if (task == 0 && job_has_canary(s->job) &&
	    job_canary_has_passed(s->job, NULL) != 1)
		return "the canary has not passed yet";
	return job_search_has_stopped(s->requests, task, attempt)
	    ? "you restarted it after it was stopped"
	    : NULL;
}
