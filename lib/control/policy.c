#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/bad-nodes.h"
#include "control/canary.h"
#include "control/cancel.h"
#include "control/dependency.h"
#include "control/hold.h"
#include "control/policy-rules.h"
#include "control/policy.h"
#include "control/prune.h"
#include "control/restart.h"
#include "control/retry.h"
#include "control/stop-reason.h"
#include "job/location.h"
#include "job/training-log.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/table-row.h"
#include "store/table.h"

/* ---- requeueing ---- */

/* Tasks to requeue with the same options. */
struct group {
	enum job_retry_answer answer;
	struct strlist options;
	struct idset tasks;
};

struct groups {
	struct group *group;
	size_t count;
};

/* Add a task to the group with these options; options is taken over. */
static void
add_to_group(struct groups *all, enum job_retry_answer answer,
    struct strlist *options, uint64_t task)
{
	struct group *g;
	size_t i;

	for (i = 0; i < all->count; i++) {
		g = &all->group[i];
		if (g->answer != answer || !strlist_same(&g->options, options))
			continue;
		idset_add(&g->tasks, task, task);
		strlist_free(options);
		return;
	}
	all->group = xgrow(all->group, all->count, sizeof *all->group);
	g = &all->group[all->count++];
	*g = (struct group){.answer = answer, .options = *options};
	idset_add(&g->tasks, task, task);
}

/* Return the options of the previous attempt, with memory or time raised. */
static struct strlist
options_for(const struct store_policy *p, const struct store_chunk *before,
    enum job_retry_answer answer, int64_t value)
{
	const struct store_retry *retry =
	    answer == JOB_RETRY_MEMORY ? &p->memory : &p->time;
	struct strlist out = {0};
	char *name = NULL;
	size_t i;

	if (answer != JOB_RETRY_RESUME)
		name = xasprintf("--%s=", retry->option);
	for (i = 0; before != NULL && i < before->options.count; i++)
		if (strcmp(before->options.word[i], "--hold") != 0 &&
		    (name == NULL ||
			strncmp(before->options.word[i], name, strlen(name)) !=
			    0))
			strlist_push(&out, before->options.word[i]);
	if (name != NULL)
		strlist_take(&out,
		    xasprintf("%s%" PRId64 "%s", name, value,
			answer == JOB_RETRY_MEMORY ? "M" : ""));
	free(name);
	return out;
}

static void
consider(const struct job_policy_input *s, uint64_t task, struct groups *groups)
{
	const struct store_chunk *newest;
	const struct store_row *row = store_table_row(s->table, task);
	int64_t value;
	enum job_retry_answer answer;
	struct strlist options;

	if (store_is_held(s->requests, task, row->attempt))
		return;
	answer = job_policy_decide(s, task, &newest, &value);
	if (answer == JOB_RETRY_NONE ||
	    state_may_be_late(row, s->now, s->grace))
		return;
	options = options_for(store_job_policy(s->job), newest, answer, value);
	add_to_group(groups, answer, &options, task);
}

static int
restart(const struct job_policy_input *s, const struct group *g)
{
	size_t n = g->options.count;
	const char *last = n > 0 ? g->options.word[n - 1] : "";
	char *why = g->answer == JOB_RETRY_RESUME
	    ? xstrdup(job_retry_name(g->answer))
	    : xasprintf("%s %s", job_retry_name(g->answer), last);
	struct job_restart how = {.resume = g->answer != JOB_RETRY_MEMORY,
	    .options = &g->options,
	    .why = why,
	    .keep = 1}; /* otherwise each pass would add an attempt */
	struct job_restarted done = {0};
	struct error e;
	int rc;

	rc = job_restart(s->job, s->table, &g->tasks, &how, &done, &e);
	if (rc != 0)
		strlist_push(s->trouble, e.text);
	job_restarted_free(&done);
	free(why);
	return rc != -1;
}

static int
queue_again(const struct job_policy_input *s)
{
	struct groups all = {0};
	enum store_state state;
	uint64_t task;
	int done = 0;
	size_t i;

	if (s->queue == NULL || !job_policy_queues(s->job))
		return 0;
	for (task = 0; task < s->table->count; task++) {
		state = store_table_state(s->table, task);
		if (state == STORE_ERROR ||
		    (state == STORE_SUBMITTED &&
			(store_table_brief(s->table, task).facts &
			    STORE_HAS_Q) != 0)) {
			consider(s, task, &all);
			store_table_forget(s->table, task);
		}
	}
	for (i = 0; i < all.count; i++) {
		done |= restart(s, &all.group[i]);
		strlist_free(&all.group[i].options);
		idset_free(&all.group[i].tasks);
	}
	free(all.group);
	return done;
}

/* ---- stopping the rest (--max-fail) ---- */

static int
stop_the_rest(const struct job_policy_input *s)
{
	struct idset open = {0}, failed = {0}, again = {0};
	uint64_t task;
	struct error e;
	char *why;
	enum job_cancel_outcome outcome;
	int rc = 0, some = 0;

	if (store_job_policy(s->job)->max_fail == 0)
		return 0;
	why = job_max_fail_name(s->job);
	if (job_policy_is_enough(s, &failed, &again)) {
		for (task = 0; task < s->table->count; task++)
			if (!state_is_over(s->table, task) &&
			    !store_stop_is_asked(s->requests, task,
				store_table_attempt(s->table, task)))
				idset_add(&open, task, task);
		some = open.count > 0 || again.count > 0;
		/* Do this first: afterwards failures do not count any more. */
		if (again.count > 0)
			rc = job_cancel_retries(
			    s->job, s->table, &again, why, &outcome, &e);
		if (rc != -1 && open.count > 0)
			rc = job_cancel(
			    s->job, s->table, &open, why, NULL, &outcome, &e);
	}
	if (rc == -1)
		strlist_push(s->trouble, e.text);
	idset_free(&open);
	idset_free(&failed);
	idset_free(&again);
	free(why);
	return some;
}

/* ---- applying the policy ---- */

/* Tell Slurm what the policy and the requests say about queued tasks. */
static void
tell_slurm(const struct job_policy_input *s)
{
	const struct store_row *first;
	struct error e;

	if (job_has_canary(s->job)) {
		first = store_table_row(s->table, 0);
		if ((first->state == STORE_FINISHED ||
			(job_training_log_has_epoch(&first->metrics) &&
			    !job_training_log_is_guessed(
				s->job, &first->metrics)) ||
			job_canary_has_passed(s->job, NULL) == 1) &&
		    job_canary_pass(s->job, &e) == -1)
			strlist_push(s->trouble, e.text);
	}
	if (store_job_policy(s->job)->avoid > 0 &&
	    bad_nodes_avoid(s->job, s->table, s->chunks, s->queue, &e) == -1)
		strlist_push(s->trouble, e.text);
	if (job_hold_again(s->job, s->chunks, s->requests, s->queue, &e) == -1)
		strlist_push(s->trouble, e.text);
	if (store_job_after(s->job)->count > 0 &&
	    job_dependency_send(s->job, s->chunks, s->requests, s->queue, &e) ==
		-1)
		strlist_push(s->trouble, e.text);
}

int
job_policy_act(const struct job_policy_input *s)
{
	/* Requests are incomplete; the pass has reported that. */
	if (s->requests->damaged.count > 0)
		return 0;
	switch (job_location(s->job, NULL)) {
	case JOB_COPIED:
		return 0;
	case JOB_MOVED: /* new runs would fail */
		return stop_the_rest(s);
	case JOB_IN_PLACE:
		break;
	}
	if (s->queue != NULL)
		tell_slurm(s);
	/* If enough tasks have failed, do not requeue any. */
	return stop_the_rest(s) || job_search_end_act(s) ||
	    (job_prune_act(s) | queue_again(s));
}
