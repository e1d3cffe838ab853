#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job-after.h"
#include "job-canary.h"
#include "job-fail.h"
#include "job-metrics.h"
#include "job-nodes.h"
#include "job-policy.h"
#include "job-restart.h"
#include "job-steer.h"
#include "job-stop.h"
#include "job-truth.h"
#include "num.h"
#include "sbatch.h"
#include "xalloc.h"

/* ---- the decision ---- */

static int
is(const char *cause, const char *state)
{
	return cause != NULL && strcmp(cause, state) == 0;
}

/* The next amount to ask for, or 0 when there is none. */
static int64_t
more(const struct store_retry *retry, int64_t had, int64_t times)
{
	double factor, next;

	if (retry->factor == NULL || times >= retry->times ||
	    !num_parse(retry->factor, &factor))
		return 0;
	next = ceil((double)had * factor);
	if (retry->most > 0 && next > (double)retry->most)
		next = (double)retry->most;
	return next > (double)had && next < 1e15 ? (int64_t)next : 0;
}

/* Whether its end was none of its own doing. */
static int
was_taken_away(const char *cause)
{
	return is(cause, "TIMEOUT") || is(cause, "NODE_FAIL") ||
	    is(cause, "PREEMPTED") || is(cause, "BOOT_FAIL");
}

enum job_policy_answer
job_policy_decide(const struct job_policy_case *c, int64_t *value)
{
	const struct store_policy *p = c->policy;

	*value = 0;
	if (c->wants_array)
		return JOB_POLICY_RESUME;
	if (is(c->cause, "OUT_OF_MEMORY"))
		*value = more(&p->memory, c->memory, c->more_memory);
	if (*value > 0)
		return JOB_POLICY_MEMORY;
	if (is(c->cause, "TIMEOUT"))
		*value = more(&p->time, c->time, c->more_time);
	if (*value > 0)
		return JOB_POLICY_TIME;
	if (was_taken_away(c->cause) && c->resumed < p->requeue)
		return JOB_POLICY_RESUME;
	return JOB_POLICY_NONE;
}

/* ---- what is known of a task ---- */

/* How new attempts are called, and found again. */
static const char *const names[] = {
    [JOB_POLICY_RESUME] = "requeue",
    [JOB_POLICY_MEMORY] = "retry-oom",
    [JOB_POLICY_TIME] = "retry-time",
};

/* Which of the names a chunk was queued by, or JOB_POLICY_NONE. */
static enum job_policy_answer
reason_of(const struct store_chunk *c)
{
	int i;

	for (i = JOB_POLICY_RESUME; c->why != NULL && i <= JOB_POLICY_TIME; i++)
		if (strncmp(c->why, names[i], strlen(names[i])) == 0)
			return (enum job_policy_answer)i;
	return JOB_POLICY_NONE;
}

/*
 * What the last option of this name asks for, or the job: in MB or minutes.
 * The first attempt of a task may have one too.
 */
static int64_t
amount(const struct store_chunk *c, const struct store_retry *retry,
    int (*read)(const char *, int64_t *, struct error *))
{
	int64_t n = retry->base, got;
	const char *word;
	size_t i, length;

	if (retry->factor == NULL || c == NULL)
		return n;
	length = strlen(retry->option);
	for (i = 0; i < c->options.count; i++) {
		word = c->options.word[i];
		if (strncmp(word, "--", 2) == 0 &&
		    strncmp(word + 2, retry->option, length) == 0 &&
		    word[2 + length] == '=' &&
		    read(word + 3 + length, &got, NULL) == 0 && got > 0)
			n = got;
	}
	return n;
}

/* What the chunks say of a task; *newest is that of its last attempt. */
static void
look_up(const struct job_policy_scene *s, uint64_t task,
    struct job_policy_case *c, const struct store_chunk **newest)
{
	const struct store_chunk *chunk;
	int64_t *counts[] = {[JOB_POLICY_NONE] = NULL,
	    [JOB_POLICY_RESUME] = &c->resumed,
	    [JOB_POLICY_MEMORY] = &c->more_memory,
	    [JOB_POLICY_TIME] = &c->more_time};
	enum job_policy_answer reason;
	size_t i;

	*newest = NULL;
	for (i = 0; i < s->chunks->count; i++) {
		chunk = &s->chunks->chunk[i];
		if (chunk->claim == STORE_WITHDRAWN ||
		    chunk->claim == STORE_CUT ||
		    !ranges_has(&chunk->tasks, task))
			continue;
		if (*newest == NULL || chunk->attempt > (*newest)->attempt)
			*newest = chunk;
		reason = reason_of(chunk);
		if (reason != JOB_POLICY_NONE)
			++*counts[reason];
	}
	c->memory = amount(*newest, &s->job->policy.memory, sbatch_memory);
	c->time = amount(*newest, &s->job->policy.time, sbatch_time);
}

/* ---- queueing again ---- */

/* Tasks that are queued again with the same options. */
struct group {
	enum job_policy_answer answer;
	struct words options;
	struct ranges tasks;
};

struct groups {
	struct group *group;
	size_t count;
};

/* Add a task to the group with these options, which are taken over. */
static void
add_to_group(struct groups *all, enum job_policy_answer answer,
    struct words *options, uint64_t task)
{
	struct group *g;
	size_t i;

	for (i = 0; i < all->count; i++) {
		g = &all->group[i];
		if (g->answer != answer || !words_same(&g->options, options))
			continue;
		ranges_add(&g->tasks, task, task);
		words_free(options);
		return;
	}
	all->group = xgrow(all->group, all->count, sizeof *all->group);
	g = &all->group[all->count++];
	*g = (struct group){.answer = answer, .options = *options};
	ranges_add(&g->tasks, task, task);
}

/* The options of the attempt before, with one of them raised. */
static struct words
options_for(const struct store_policy *p, const struct store_chunk *before,
    enum job_policy_answer answer, int64_t value)
{
	const struct store_retry *retry =
	    answer == JOB_POLICY_MEMORY ? &p->memory : &p->time;
	struct words out = {0};
	char *name = NULL;
	size_t i;

	if (answer != JOB_POLICY_RESUME)
		name = xasprintf("--%s=", retry->option);
	for (i = 0; before != NULL && i < before->options.count; i++)
		if (strcmp(before->options.word[i], "--hold") != 0 &&
		    (name == NULL ||
			strncmp(before->options.word[i], name, strlen(name)) !=
			    0))
			words_push(&out, before->options.word[i]);
	if (name != NULL)
		words_take(&out,
		    xasprintf("%s%" PRId64 "%s", name, value,
			answer == JOB_POLICY_MEMORY ? "M" : ""));
	free(name);
	return out;
}

/* Whether somebody wants it not to be queued again. */
static int
is_given_up(const struct job_policy_scene *s, const struct store_row *row)
{
	const struct ranges *dropped = store_job_dropped(s->job);
	const struct store_wish *wish = NULL;

	if (dropped != NULL && ranges_has(dropped, row->task))
		return 1;
	do
		wish = store_wish_for(s->wishes, wish, row->task, row->attempt);
	while (wish != NULL &&
	    (wish->why == NULL || strcmp(wish->why, job_truth_unretried) != 0));
	return wish != NULL;
}

/* What to do about one task; *newest is the chunk of its last attempt. */
static enum job_policy_answer
decide(const struct job_policy_scene *s, uint64_t task,
    const struct store_chunk **newest, int64_t *value)
{
	const struct store_row *row = store_fold_row(s->fold, task);
	struct job_policy_case c = {.policy = &s->job->policy,
	    .wants_array = job_truth_wants_array(row)};

	if (row->state == STORE_ERROR &&
	    row->attempt >= job_fail_since(s->wishes))
		c.cause = row->cause;
	if ((!c.wants_array && c.cause == NULL) || is_given_up(s, row) ||
	    store_is_held(s->orders, task, row->attempt))
		return JOB_POLICY_NONE;
	look_up(s, task, &c, newest);
	/* Somebody else has queued it again meanwhile. */
	if (*newest != NULL && (*newest)->attempt > row->attempt)
		return JOB_POLICY_NONE;
	return job_policy_decide(&c, value);
}

static void
consider(const struct job_policy_scene *s, uint64_t task, struct groups *groups)
{
	const struct store_chunk *newest;
	int64_t value;
	enum job_policy_answer answer = decide(s, task, &newest, &value);
	struct words options;

	if (answer == JOB_POLICY_NONE)
		return;
	options = options_for(&s->job->policy, newest, answer, value);
	add_to_group(groups, answer, &options, task);
}

static char *
describe(const struct group *g)
{
	const char *last =
	    g->options.count > 0 ? g->options.word[g->options.count - 1] : "";

	if (g->answer == JOB_POLICY_RESUME)
		return xstrdup(names[g->answer]);
	return xasprintf("%s %s", names[g->answer], last);
}

static int
restart(const struct job_policy_scene *s, const struct group *g)
{
	char *why = describe(g);
	struct job_restart how = {.resume = g->answer != JOB_POLICY_MEMORY,
	    .options = &g->options,
	    .why = why};
	struct job_restarted done = {0};
	struct error e;
	int rc;

	rc = job_restart(s->job, s->fold, &g->tasks, &how, &done, &e);
	if (rc == -1)
		words_push(s->trouble, e.text);
	job_restarted_free(&done);
	free(why);
	return rc == 0;
}

int
job_policy_queues(const struct store_policy *p)
{
	return p->requeue > 0 || p->memory.factor != NULL ||
	    p->time.factor != NULL;
}

int
job_policy_retries(const struct store_job *job, const struct store_fold *fold,
    const struct ranges *tasks, struct ranges *out, struct error *e)
{
	struct store_wishes wishes = {0};
	struct store_chunks chunks = {0};
	const struct store_orders none = {0}; /* what is held comes again */
	const struct job_policy_scene s = {.job = job,
	    .fold = fold,
	    .chunks = &chunks,
	    .wishes = &wishes,
	    .orders = &none};
	const struct store_chunk *newest;
	struct ranges_walk walk = {0};
	uint64_t task;
	int64_t value;
	int rc = 0;

	memset(out, 0, sizeof *out);
	if (!job_policy_queues(&job->policy))
		return 0;
	if (store_wishes_list(job, &wishes, e) == -1 ||
	    store_chunks_list(job, &chunks, e) == -1)
		rc = -1;
	while (rc == 0 && ranges_next(tasks, &walk, &task))
		if (store_fold_state(fold, task) == STORE_ERROR &&
		    decide(&s, task, &newest, &value) != JOB_POLICY_NONE)
			ranges_add(out, task, task);
	store_wishes_free(&wishes);
	store_chunks_free(&chunks);
	return rc;
}

int
job_policy_comes_again(
    const struct store_job *job, const struct store_fold *fold)
{
	struct ranges all = {0}, again = {0};
	int some;

	ranges_add(&all, 0, fold->count - 1);
	some = job_policy_retries(job, fold, &all, &again, NULL) == -1 ||
	    again.count > 0;
	ranges_free(&all);
	ranges_free(&again);
	return some;
}

int
job_policy_is_over(const struct store_job *job, const struct store_fold *fold)
{
	return fold->count > 0 && fold->in_state[STORE_SUBMITTED] == 0 &&
	    fold->in_state[STORE_RUNNING] == 0 &&
	    !job_policy_comes_again(job, fold);
}

static int
queue_again(const struct job_policy_scene *s)
{
	struct groups all = {0};
	enum store_state state;
	uint64_t task;
	int done = 0;
	size_t i;

	if (s->queue == NULL || !job_policy_queues(&s->job->policy))
		return 0;
	for (task = 0; task < s->fold->count; task++) {
		state = store_fold_state(s->fold, task);
		if (state == STORE_ERROR ||
		    (state == STORE_SUBMITTED &&
			(store_fold_brief(s->fold, task).facts & STORE_HAS_Q) !=
			    0)) {
			consider(s, task, &all);
			store_fold_forget(s->fold, task);
		}
	}
	for (i = 0; i < all.count; i++) {
		done |= restart(s, &all.group[i]);
		words_free(&all.group[i].options);
		ranges_free(&all.group[i].tasks);
	}
	free(all.group);
	return done;
}

/* ---- stopping the rest ---- */

/* What is not over, and not yet wished to stop. */
static void
find_open(const struct job_policy_scene *s, struct ranges *out)
{
	uint64_t task;

	for (task = 0; task < s->fold->count; task++)
		if (!store_state_is_final(store_fold_state(s->fold, task)) &&
		    !store_wished(s->wishes, task,
			store_fold_brief(s->fold, task).attempt))
			ranges_add(out, task, task);
}

static int
stop_the_rest(const struct job_policy_scene *s)
{
	uint32_t since = job_fail_since(s->wishes);
	struct ranges open = {0};
	struct error e;
	char *why;
	uint64_t task;
	int64_t failed = 0;
	int told, rc = 0;

	if (s->job->policy.max_fail == 0)
		return 0;
	for (task = 0; task < s->fold->count; task++)
		failed += store_fold_state(s->fold, task) == STORE_ERROR &&
		    store_fold_brief(s->fold, task).attempt >= since;
	if (failed < s->job->policy.max_fail)
		return 0;
	find_open(s, &open);
	why = job_fail_name(s->job);
	if (open.count > 0)
		rc = job_stop(s->job, s->fold, &open, why, &told, &e);
	if (rc == -1)
		words_push(s->trouble, e.text);
	rc = open.count > 0;
	ranges_free(&open);
	free(why);
	return rc;
}

/* ---- the canary ---- */

/* Whether it has done what the others wait for. */
static int
has_passed(const struct job_policy_scene *s)
{
	const struct store_row *row = store_fold_row(s->fold, 0);

	return row->state == STORE_FINISHED ||
	    job_metrics_has_epoch(&row->metrics) ||
	    job_canary_has_passed(s->job, NULL) == 1;
}

static void
let_go(const struct job_policy_scene *s)
{
	struct error e;

	if (job_has_canary(s->job) && s->queue != NULL && has_passed(s) &&
	    job_canary_pass(s->job, &e) == -1)
		words_push(s->trouble, e.text);
}

/* ---- orders ---- */

static void
steer(const struct job_policy_scene *s)
{
	struct error e;

	if (s->queue != NULL &&
	    job_steer_again(s->job, s->chunks, s->orders, s->queue, &e) == -1)
		words_push(s->trouble, e.text);
	if (s->queue != NULL && s->job->after.count > 0 &&
	    job_after_tell(s->job, s->chunks, s->queue, &e) == -1)
		words_push(s->trouble, e.text);
}

/* ---- bad nodes ---- */

static void
avoid_nodes(const struct job_policy_scene *s)
{
	struct error e;

	if (s->job->policy.avoid > 0 && s->queue != NULL &&
	    job_nodes_avoid(s->job, s->fold, s->chunks, s->queue, &e) == -1)
		words_push(s->trouble, e.text);
}

int
job_policy_act(const struct job_policy_scene *s)
{
	/* What was asked for is not known; the pass has said so. */
	if (s->wishes->damaged.count > 0 || s->orders->damaged.count > 0)
		return 0;
	let_go(s);
	avoid_nodes(s);
	steer(s);
	/* What is queued again has not failed. */
	return queue_again(s) || stop_the_rest(s);
}
