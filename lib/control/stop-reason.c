#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/stop-reason.h"

static const char rule[] = "max-fail ";

uint32_t
job_max_fail_since(const struct store_stops *wishes)
{
	uint32_t since = 0;
	size_t i;

	for (i = 0; i < wishes->count; i++)
		if (wishes->wish[i].why != NULL &&
		    strncmp(wishes->wish[i].why, rule, sizeof rule - 1) == 0 &&
		    wishes->wish[i].attempt >= since)
			since = wishes->wish[i].attempt + 1;
	return since;
}

char *
job_max_fail_name(const struct store_job *job)
{
	return xasprintf("%s%" PRId64, rule, job->policy.max_fail);
}

/* Also one that only stops what would be queued again. */
static int
is_rules(const struct store_stop *wish)
{
	return wish->why != NULL && strstr(wish->why, rule) != NULL;
}

int
job_max_fail_has_stopped(
    const struct store_stops *wishes, uint64_t task, uint32_t attempt)
{
	return store_stop_for(wishes, task, attempt, is_rules) != NULL;
}
