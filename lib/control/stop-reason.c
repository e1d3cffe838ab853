#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "control/stop-reason.h"
#include "state/words.h"

uint32_t
job_max_fail_since(const struct store_stops *wishes)
{
	uint32_t since = 0;
	size_t i;

	for (i = 0; i < wishes->count; i++)
		if (stop_reason_of(wishes->wish[i].why, NULL) ==
			STOP_MAX_FAIL &&
		    wishes->wish[i].attempt >= since)
			since = wishes->wish[i].attempt + 1;
	return since;
}

char *
job_max_fail_name(const struct store_job *job)
{
	return xasprintf(
	    "%s%" PRId64, stop_words(STOP_MAX_FAIL), job->policy.max_fail);
}

/* Also one that only stops what would be queued again. */
static int
is_rules(const struct store_stop *wish)
{
	return stop_is_by_max_fail(wish->why);
}

int
job_max_fail_has_stopped(
    const struct store_stops *wishes, uint64_t task, uint32_t attempt)
{
	return store_stop_for(wishes, task, attempt, is_rules) != NULL;
}
