#include "control/canary.h"
#include "control/chunk.h"
#include "control/prune-spares.h"
#include "control/retry.h"
#include "store/chunk.h"

/* Return the chunk in which a task was queued in its attempt, or NULL. */
static const struct store_chunk *
chunk_of(const struct job_policy_input *s, uint64_t task, uint32_t attempt)
{
	const struct store_chunk *c;
	size_t i;

	for (i = 0; i < s->chunks->count; i++) {
		c = &s->chunks->chunk[i];
		if (c->attempt == attempt && idset_has(&c->tasks, task))
			return c;
	}
	return NULL;
}

int
job_prune_is_restarted(
    const struct job_policy_input *s, uint64_t task, uint32_t attempt)
{
	const struct store_chunk *c =
	    attempt > 0 ? chunk_of(s, task, attempt) : NULL;

	return attempt > 0 && (c == NULL || !job_retry_made(c));
}

const char *
job_prune_spares(
    const struct job_policy_input *s, uint64_t task, uint32_t attempt)
{
	if (store_is_held(s->requests, task, attempt))
		return "you hold it";
	if (task == 0 && job_has_canary(s->job) &&
	    job_canary_has_passed(s->job, NULL) != 1)
		return "the canary has not passed yet";
	return job_prune_is_restarted(s, task, attempt) ? "you restarted it"
							: NULL;
}
