#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "control/stop-reason.h"
#include "state/words.h"
#include "store/load.h"
#include "store/policy.h"

uint32_t
job_max_fail_since(const struct store_requests *stops)
{
	uint32_t since = 0;
	size_t i;

	for (i = 0; i < stops->count; i++)
		if (stops->request[i].kind == STORE_REQUEST_STOP &&
		    stop_reason_of(stops->request[i].why, NULL) ==
			STOP_MAX_FAIL &&
		    stops->request[i].attempt >= since)
			since = stops->request[i].attempt + 1;
	return since;
}

char *
job_max_fail_name(const struct store_job *job)
{
	return xasprintf("%s%" PRId64, stop_words(STOP_MAX_FAIL),
	    store_job_policy(job)->max_fail);
}

/* Return whether --max-fail made a stop request, or a ban on requeues. */
static int
is_rules(const struct store_request *stop)
{
	return stop_is_by_max_fail(stop->why);
}

int
job_max_fail_has_stopped(
    const struct store_requests *stops, uint64_t task, uint32_t attempt)
{
	return store_stop_for(stops, task, attempt, is_rules) != NULL;
}

static int
is_of_search(const struct store_request *stop)
{
	return stop->by_search || stop_reason_of(stop->why, NULL) == STOP_ENDED;
}

int
job_search_has_stopped(
    const struct store_requests *stops, uint64_t task, uint32_t attempt)
{
	uint32_t earlier;

	for (earlier = 0; earlier < attempt; earlier++)
		if (store_stop_for(stops, task, earlier, is_of_search) != NULL)
			return 1;
	return attempt > 0 && stops->damaged_stops > 0;
}
