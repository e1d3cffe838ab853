#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "control/retry.h"
#include "slurm/names.h"
#include "slurm/sbatch.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/extension.h"
#include "store/load.h"
#include "store/policy.h"

/* ---- the retry decision ---- */

static int
is(const char *cause, const char *state)
{
	return cause != NULL && strcmp(cause, state) == 0;
}

/* Return the next amount to ask for, or 0 if there is none. */
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

/* Return whether Slurm or the cluster ended the run, not the training. */
static int
was_taken_away(const char *cause)
{
	return queue_end_state(cause)->taken_away ||
	    cause_of(cause, NULL) == CAUSE_NOT_REQUEUED ||
	    state_is_unrecorded(cause);
}

enum job_retry_answer
job_retry_decide(const struct job_retry_case *c, int64_t *value)
{
	const struct store_policy *p = c->policy;

	*value = 0;
	if (c->wants_array)
		return JOB_RETRY_RESUME;
	if (is(c->cause, "OUT_OF_MEMORY"))
		*value = more(&p->memory, c->memory, c->more_memory);
	if (*value > 0)
		return JOB_RETRY_MEMORY;
	if (is(c->cause, "TIMEOUT"))
		*value = more(&p->time, c->time, c->more_time);
	if (*value > 0)
		return JOB_RETRY_TIME;
	if (was_taken_away(c->cause) && c->resumed < p->requeue)
		return JOB_RETRY_RESUME;
	return JOB_RETRY_NONE;
}

/* ---- records about a task ---- */

/* The reasons recorded with new attempts, by which they are found again. */
static const char *const names[] = {
    [JOB_RETRY_RESUME] = "requeue",
    [JOB_RETRY_MEMORY] = "retry-oom",
    [JOB_RETRY_TIME] = "retry-time",
};

/* Return for which reason of a rule a chunk was queued, or JOB_RETRY_NONE. */
static enum job_retry_answer
reason_of(const struct store_chunk *c)
{
	int i;

	for (i = JOB_RETRY_RESUME; c->why != NULL && i <= JOB_RETRY_TIME; i++)
		if (strncmp(c->why, names[i], strlen(names[i])) == 0)
			return (enum job_retry_answer)i;
	return JOB_RETRY_NONE;
}

/*
 * Return the amount that the last such option of a chunk asks for, else the
 * job's, in MB or minutes.  A first attempt may have such an option, too.
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

/* Fill in c from the chunks; *newest is the chunk of the last attempt. */
static void
look_up(const struct job_retry *r, struct job_retry_case *c,
    const struct store_chunk **newest)
{
	const struct store_chunk *chunk;
	int64_t *counts[] = {[JOB_RETRY_NONE] = NULL,
	    [JOB_RETRY_RESUME] = &c->resumed,
	    [JOB_RETRY_MEMORY] = &c->more_memory,
	    [JOB_RETRY_TIME] = &c->more_time};
	enum job_retry_answer reason;
	size_t i;

	*newest = NULL;
	for (i = 0; i < r->chunks->count; i++) {
		chunk = &r->chunks->chunk[i];
		if (chunk->claim == STORE_WITHDRAWN ||
		    chunk->claim == STORE_CUT ||
		    !idset_has(&chunk->tasks, r->task))
			continue;
		if (*newest == NULL || chunk->attempt > (*newest)->attempt)
			*newest = chunk;
		reason = reason_of(chunk);
		if (reason != JOB_RETRY_NONE)
			++*counts[reason];
	}
	c->memory =
	    amount(*newest, &store_job_policy(r->job)->memory, sbatch_memory);
	c->time = amount(*newest, &store_job_policy(r->job)->time, sbatch_time);
}

/* Return whether the task was dropped by --sync or given up. */
static int
is_given_up(const struct job_retry *r)
{
	const struct idset *dropped = store_job_dropped(r->job);

	return (dropped != NULL && idset_has(dropped, r->task)) ||
	    state_is_given_up(r->stops, r->task, r->attempt);
}

enum job_retry_answer
job_retry_find(const struct job_retry *r, const struct store_chunk **newest,
    int64_t *value)
{
	struct job_retry_case c = {.policy = store_job_policy(r->job),
	    .cause = r->cause,
	    .wants_array = r->wants_array};

	if ((!c.wants_array && c.cause == NULL) || is_given_up(r))
		return JOB_RETRY_NONE;
	look_up(r, &c, newest);
	/* A newer attempt was queued meanwhile. */
	if (*newest != NULL && (*newest)->attempt > r->attempt)
		return JOB_RETRY_NONE;
	return job_retry_decide(&c, value);
}

int
job_retry_made(const struct store_chunk *c)
{
	return reason_of(c) != JOB_RETRY_NONE;
}

const char *
job_retry_name(enum job_retry_answer answer)
{
	return names[answer];
}
