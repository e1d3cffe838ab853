#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "control/policy-rules.h"
#include "control/stop-reason.h"
#include "state/resolve.h"
#include "state/search.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/load.h"
#include "store/table-row.h"
#include "store/table.h"

int
job_policy_queues(const struct store_job *job)
{
	const struct store_policy *p = store_job_policy(job);
	struct job_search search;

	job_search_of(job, &search);
	return p->requeue > 0 || p->memory.factor != NULL ||
	    p->time.factor != NULL || search.pruner.kind == SEARCH_PBT;
}

enum job_retry_answer
job_policy_decide(const struct job_policy_input *s, uint64_t task,
    const struct store_chunk **newest, int64_t *value)
{
	const struct store_row *row = store_table_row(s->table, task);
	struct job_retry r = {.job = s->job,
	    .chunks = s->chunks,
	    .stops = s->requests,
	    .task = task,
	    .attempt = row->attempt,
	    .wants_array = state_wants_array(row)};

	if (row->state == STORE_ERROR &&
	    row->attempt >= job_max_fail_since(s->requests))
		r.cause = row->cause;
	return job_retry_find(&r, newest, value);
}

int
job_policy_retries(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, struct idset *out, struct error *e)
{
	struct store_requests stops = {0};
	struct store_chunks chunks = {0};
	const struct job_policy_input s = {
	    .job = job, .table = table, .chunks = &chunks, .requests = &stops};
	const struct store_chunk *newest;
	struct idset_walk walk = {0};
	uint64_t task;
	int64_t value;
	int rc = 0;

	memset(out, 0, sizeof *out);
	if (!job_policy_queues(job))
		return 0;
	if (store_requests_list(job, STORE_STOPS, &stops, e) == -1 ||
	    store_chunks_list(job, &chunks, e) == -1)
		rc = -1;
	while (rc == 0 && idset_next(tasks, &walk, &task))
		if (store_table_state(table, task) == STORE_ERROR &&
		    job_policy_decide(&s, task, &newest, &value) !=
			JOB_RETRY_NONE)
			idset_add(out, task, task);
	store_requests_free(&stops);
	store_chunks_free(&chunks);
	return rc;
}

int
job_policy_comes_again(const struct store_job *job,
    const struct store_table *table, struct error *e)
{
	struct idset all = {0}, again = {0};
	int rc;

	idset_add(&all, 0, table->count - 1);
	rc = job_policy_retries(job, table, &all, &again, e);
	if (rc == 0)
		rc = again.count > 0;
	idset_free(&all);
	idset_free(&again);
	return rc;
}

int
job_policy_is_over(const struct store_job *job, const struct store_table *table,
    struct error *e)
{
	int again;

	if (table->count == 0 || table->in_state[STORE_SUBMITTED] > 0 ||
	    table->in_state[STORE_RUNNING] > 0)
		return 0;
	again = job_policy_comes_again(job, table, e);
	return again == -1 ? -1 : !again;
}

/* Return whether a rule requeues a task, now or when it is released. */
static int
comes_again(const struct job_policy_input *s, uint64_t task)
{
	const struct store_chunk *newest;
	enum job_retry_answer answer;
	int64_t value;

	if (!job_policy_queues(s->job))
		return 0;
	answer = job_policy_decide(s, task, &newest, &value);
	store_table_forget(s->table, task);
	return answer != JOB_RETRY_NONE;
}

int
job_policy_is_enough(
    const struct job_policy_input *s, struct idset *failed, struct idset *again)
{
	uint32_t since = job_max_fail_since(s->requests);
	uint64_t task;

	for (task = 0; task < s->table->count; task++)
		if (store_table_state(s->table, task) == STORE_ERROR &&
		    store_table_brief(s->table, task).attempt >= since)
			idset_add(
			    comes_again(s, task) ? again : failed, task, task);
	return (int64_t)idset_size(failed) >=
	    store_job_policy(s->job)->max_fail;
}

int
job_policy_forget(const struct store_job *job, const struct store_table *table,
    struct error *e)
{
	struct store_requests stops = {0};
	struct store_chunks chunks = {0};
	const struct job_policy_input s = {
	    .job = job, .table = table, .chunks = &chunks, .requests = &stops};
	struct idset failed = {0}, again = {0};
	char *name, *why;
	int rc = 0;

	if (store_job_policy(job)->max_fail == 0 ||
	    table->in_state[STORE_SUBMITTED] > 0 ||
	    table->in_state[STORE_RUNNING] > 0)
		return 0;
	if (store_requests_whole(job, STORE_STOPS, &stops, e) == -1 ||
	    store_chunks_list(job, &chunks, e) == -1)
		rc = -1;
	name = job_max_fail_name(job);
	why = xasprintf("%s%s", name, stop_over);
	if (rc == 0 && job_policy_is_enough(&s, &failed, &again))
		rc = store_request_add_all(job, STORE_REQUEST_STOP, &failed,
		    store_table_attempt, table, why, e);
	store_requests_free(&stops);
	store_chunks_free(&chunks);
	idset_free(&failed);
	idset_free(&again);
	free(name);
	free(why);
	return rc;
}

/* ---- pruning ---- */

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
