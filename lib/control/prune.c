#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "control/cancel.h"
#include "control/prune.h"
#include "control/search-end.h"
#include "control/stop-reason.h"
#include "state/search.h"
#include "state/resolve.h"
#include "store/change.h"
#include "store/load.h"
#include "store/table-row.h"
#include "store/table.h"

/* ---- the number of epochs ---- */

/*
 * Find out how many epochs a training has, from a task that finished, and
 * record it.  All logs are then read again, because the rungs follow from it.
 * Returns 1, 0 if no log tells yet, or -1.
 */
static int
learn_epochs(const struct job_policy_input *s, struct error *e)
{
	int64_t epochs = 0;
	uint64_t task;

	for (task = 0; epochs == 0 && task < s->table->count; task++) {
		if (store_table_state(s->table, task) != STORE_FINISHED)
			continue;
		epochs = job_search_epochs_of(
		    &store_table_row(s->table, task)->metrics);
		store_table_forget(s->table, task);
	}
	if (epochs == 0)
		return 0;
	return job_search_learn(s->job, epochs, e) == -1 ? -1 : 1;
}

/* ---- the decision ---- */

/* Return whether a task is one that the pruner may stop. */
static int
may_stop(const struct job_policy_input *s, uint64_t task, uint32_t attempt)
{
	return store_table_state(s->table, task) == STORE_RUNNING &&
	    !state_is_over(s->table, task) &&
	    !store_stop_is_asked(s->requests, task, attempt) &&
	    job_prune_spares(s, task, attempt) == NULL;
}

/* Stop requests that are not published yet. */
struct rejected {
	struct store_request *request;
	size_t count;
	struct idset tasks;
};

static void
reject(struct rejected *r, uint64_t task, uint32_t attempt,
    const struct stop_pruned *why)
{
	struct store_request one = {.kind = STORE_REQUEST_STOP,
	    .by_search = 1,
	    .attempt = attempt,
	    .why = stop_pruned_text(why)};

	idset_add(&one.tasks, task, task);
	idset_add(&r->tasks, task, task);
	r->request = xgrow(r->request, r->count, sizeof *r->request);
	r->request[r->count++] = one;
}

/*
 * Compare all tasks, and judge those that run.  Note whether another pass would
 * do nothing.  A canary that is spared now may be stopped later.
 */
static void
judge_all(const struct job_policy_input *s, const struct job_search *search,
    struct rejected *out)
{
	struct job_board *board =
	    job_board_of(search, s->table, s->requests, NULL);
	const struct store_row *row;
	struct stop_pruned why;
	int left = 0;
	uint64_t task;

	for (task = 0; task < s->table->count; task++) {
		if (store_table_state(s->table, task) != STORE_RUNNING)
			continue;
		row = store_table_row(s->table, task);
		if (job_board_judge(board, task, row->rungs, &why)) {
			left |= !store_stop_is_asked(
				    s->requests, task, row->attempt) &&
			    !job_search_has_stopped(
				s->requests, task, row->attempt);
			if (may_stop(s, task, row->attempt))
				reject(out, task, row->attempt, &why);
		}
		store_table_forget(s->table, task);
	}
	*s->compared = !left;
	job_board_free(board);
}

int
job_prune_act(const struct job_policy_input *s)
{
	struct rejected all = {NULL, 0, {NULL}};
	struct job_search search;
	struct error e;
	int rc = 0, some = 0;
	size_t i;

	if (!job_search_of(s->job, &search) || s->search_due)
		return 0;
	if (search.epochs == 0) {
		rc = learn_epochs(s, &e);
		some = rc == 1;
	} else if (s->table->in_state[STORE_RUNNING] > 0 && !*s->compared) {
		judge_all(s, &search, &all);
		rc = store_request_add(s->job, all.request, all.count, &e);
		some = rc == 0 && all.count > 0;
	}
	if (some && all.count > 0)
		rc = job_cancel_send(s->job, s->table, &all.tasks, NULL, &e);
	if (rc == -1)
		strlist_push(s->trouble, e.text);
	for (i = 0; i < all.count; i++) {
		idset_free(&all.request[i].tasks);
		free((char *)(uintptr_t)all.request[i].why);
	}
	free(all.request);
	idset_free(&all.tasks);
	return some;
}

/* ---- the end of the search ---- */

int
job_search_end_act(const struct job_policy_input *s)
{
	const struct store_search *search = store_job_search(s->job);
	struct idset tasks = {0};
	struct store_brief row;
	char *why = NULL;
	struct error e;
	uint64_t task;
	int rc;

	if ((search->until == NULL && search->gpu_hours == NULL) ||
	    s->table->in_state[STORE_SUBMITTED] +
		    s->table->in_state[STORE_RUNNING] ==
		0)
		return 0;
	rc = job_search_ended(s->job, &why, &e);
	for (task = 0; task < s->table->count && rc == 1; task++) {
		row = store_table_brief(s->table, task);
		if (!store_state_is_final(row.state) &&
		    !store_stop_is_asked(s->requests, task, row.attempt) &&
		    !job_search_has_stopped(s->requests, task, row.attempt))
			idset_add(&tasks, task, task);
	}
	if (rc == 1 && tasks.count > 0)
		rc = store_request_add_all(s->job, STORE_REQUEST_STOP, &tasks,
			 store_table_attempt, s->table, why, &e) == -1
		    ? -1
		    : 1;
	else if (rc == 1)
		rc = 0;
	if (rc == 1 &&
	    job_cancel_send(s->job, s->table, &tasks, NULL, &e) == -1)
		strlist_push(s->trouble, e.text);
	if (rc == -1)
		strlist_push(s->trouble, e.text);
	idset_free(&tasks);
	free(why);
	return rc == 1;
}
