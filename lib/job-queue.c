#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job-queue.h"
#include "store-wish.h"
#include "xalloc.h"

/*
 * How long an intent without an array may belong to another stfm-submit that
 * is at work, in seconds: longer than any of its calls may take.
 */
enum { PATIENCE = 120 };

/* The share of chunk i of count in a throttle; at least 1. */
static int64_t
share(int64_t throttle, size_t i, size_t count)
{
	int64_t n = (int64_t)count, part;

	if (throttle == 0)
		return 0;
	part = throttle / n + ((int64_t)i < throttle % n);
	return part > 0 ? part : 1;
}

void
job_chunks(const struct store_job *job, struct store_chunks *out)
{
	uint64_t first, last;
	struct store_chunk *c;
	size_t count, i;

	memset(out, 0, sizeof *out);
	count = (size_t)((job->tasks + job->array_size - 1) / job->array_size);
	out->chunk = xcalloc(count, sizeof *out->chunk);
	out->count = count;
	for (i = 0; i < count; i++) {
		c = &out->chunk[i];
		first = i * job->array_size;
		last = first + job->array_size - 1;
		if (last >= job->tasks)
			last = job->tasks - 1;
		ranges_add(&c->tasks, first, last);
		c->name = xasprintf("c%05zu.0", i);
		c->token = xasprintf("stfm-%s-%s", job->id, c->name);
		c->throttle = share(job->parallel, i, count);
	}
}

/* The value of the last "--name=value" among the job's options, or NULL. */
static const char *
option_value(const struct store_job *job, const char *name)
{
	size_t i, n = strlen(name);
	const char *word;

	for (i = job->options.count; i > 0; i--) {
		word = job->options.word[i - 1];
		if (strncmp(word, name, n) == 0 && word[n] == '=')
			return word + n + 1;
	}
	return NULL;
}

/* Options that are put together with ours. */
static int
is_merged(const char *word)
{
	return strncmp(word, "--comment=", 10) == 0 ||
	    strncmp(word, "--dependency=", 13) == 0;
}

void
job_queue_words(const struct store_job *job, const struct store_chunk *chunk,
    uint32_t after, struct words *out)
{
	const char *comment = option_value(job, "--comment");
	const char *dependency = option_value(job, "--dependency");
	size_t i;

	for (i = 0; i < job->options.count; i++)
		if (!is_merged(job->options.word[i]))
			words_push(out, job->options.word[i]);
	words_take(out, xasprintf("--job-name=%s", job->name));
	words_take(out,
	    xasprintf("--comment=%s%s%s", chunk->token, comment ? " " : "",
		comment ? comment : ""));
	if (chunk->throttle > 0)
		words_take(out,
		    xasprintf("--array=0-%" PRIu64 "%%%" PRId64,
			ranges_size(&chunk->tasks) - 1, chunk->throttle));
	else
		words_take(out,
		    xasprintf(
			"--array=0-%" PRIu64, ranges_size(&chunk->tasks) - 1));
	if (after != 0)
		words_take(out,
		    xasprintf("--dependency=%s%safterany:%" PRIu32,
			dependency ? dependency : "", dependency ? "," : "",
			after));
	else if (dependency != NULL)
		words_take(out, xasprintf("--dependency=%s", dependency));
	words_take(out, xasprintf("%s/batch.sh", job->path));
	words_push(out, chunk->name);
}

void
job_queued_free(struct job_queued *q)
{
	free(q->array);
	memset(q, 0, sizeof *q);
}

/* What is known of a chunk before it is queued. */
static const struct store_chunk *
find_chunk(const struct store_chunks *known, const char *name)
{
	size_t i;

	for (i = 0; i < known->count; i++)
		if (strcmp(known->chunk[i].name, name) == 0)
			return &known->chunk[i];
	return NULL;
}

/* Cancel an array that lost the claim; it would not train anyway. */
static void
cancel_array(uint32_t array, const char *token)
{
	struct queue_cancel cancel = {.array = array, .token = token};

	queue_cancel(&cancel, 1, NULL);
}

/* Claim the chunk for one of the arrays that carry its token. */
static int
claim(const struct store_job *job, const char *chunk, const char *token,
    uint32_t *array, struct error *e)
{
	uint32_t ours = *array;

	if (store_claim(job, chunk, array, e) == -1)
		return -1;
	if (*array != ours)
		cancel_array(ours, token);
	return 0;
}

/* Whether something of an array is still to come. */
static int
is_alive(const struct queue *queue, uint32_t array)
{
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		if (r->array == array && r->alive)
			return 1;
	}
	return 0;
}

/*
 * The array to claim among those with the chunk's token: the first that is
 * alive, else the first.  The others that are alive are cancelled.  Returns
 * whether there is one.
 */
static int
best_array(
    const struct queue *queue, const struct store_chunk *chunk, uint32_t *array)
{
	size_t count = 0, i, best = 0;
	uint32_t *ids = queue_find_tokens(queue, chunk->token, &count);

	while (best < count && !is_alive(queue, ids[best]))
		best++;
	if (best == count)
		best = 0;
	for (i = 0; i < count; i++)
		if (i != best && is_alive(queue, ids[i]))
			cancel_array(ids[i], chunk->token);
	if (count > 0)
		*array = ids[best];
	free(ids);
	return count > 0;
}

/*
 * An intent without a claim: somebody was interrupted, or is at work now.
 * QUEUE_QUEUED with *array, QUEUE_REFUSED when it may be queued again, or
 * QUEUE_UNKNOWN.
 */
static enum queue_answer
look_again(const struct store_job *job, const struct store_chunk *known,
    uint32_t *array, struct error *e)
{
	struct queue *queue;
	int64_t now;
	int found;

	if (queue_load(&queue, e) == -1 || fs_now(job->dir, &now, e) == -1)
		return QUEUE_UNKNOWN;
	found = best_array(queue, known, array);
	queue_free(queue);
	if (found)
		return claim(job, known->name, known->token, array, e) == 0
		    ? QUEUE_QUEUED
		    : QUEUE_UNKNOWN;
	if (now - known->time < PATIENCE) {
		error_set(e,
		    "%s: an earlier sbatch may still be under way; try again "
		    "in %d seconds",
		    job->name, (int)(PATIENCE - (now - known->time)));
		return QUEUE_UNKNOWN;
	}
	return QUEUE_REFUSED;
}

static enum queue_answer
submit(const struct store_job *job, const struct store_chunk *chunk,
    uint32_t after, uint32_t *array, struct error *e)
{
	enum queue_answer answer;
	struct words words = {0};

	job_queue_words(job, chunk, after, &words);
	answer = queue_submit(words.word, chunk->token, array, e);
	words_free(&words);
	if (answer == QUEUE_QUEUED &&
	    claim(job, chunk->name, chunk->token, array, e) == -1)
		return QUEUE_UNKNOWN;
	return answer;
}

/* Whether somebody wished all tasks of the chunk to stop. */
static int
is_stopped(const struct store_job *job, const struct store_chunk *chunk)
{
	uint64_t size = ranges_size(&chunk->tasks), i;
	struct store_wishes wishes;
	int all = 1;

	if (store_wishes_list(job, &wishes, NULL) == -1)
		return 0;
	for (i = 0; i < size && all; i++)
		all = store_wished(
		    &wishes, ranges_at(&chunk->tasks, i), chunk->attempt);
	store_wishes_free(&wishes);
	return all;
}

static int
is_claimed(const struct store_chunk *known)
{
	return known != NULL && known->array != 0;
}

/* Bring one chunk into the queue, whatever happened to it before. */
static enum queue_answer
queue_chunk(const struct store_job *job, const struct store_chunk *chunk,
    const struct store_chunk *known, uint32_t after, uint32_t *array,
    struct error *e)
{
	enum queue_answer answer;
	int rc;

	if (is_stopped(job, chunk))
		return QUEUE_QUEUED; /* it needs no array any more */
	if (is_claimed(known)) {
		*array = known->array;
		return QUEUE_QUEUED;
	}
	if (known != NULL) {
		answer = look_again(job, known, array, e);
		if (answer != QUEUE_REFUSED)
			return answer;
	} else {
		rc = store_intent(job, chunk, e);
		if (rc == 1)
			error_set(e, "%s: somebody else is queueing it now",
			    job->name);
		if (rc != 0)
			return QUEUE_UNKNOWN;
	}
	answer = submit(job, chunk, after, array, e);
	if (answer == QUEUE_QUEUED && is_stopped(job, chunk))
		cancel_array(*array, chunk->token);
	return answer;
}

/*
 * With fewer tasks at once than arrays, as many arrays as that are let go at
 * once, and each of the others waits for one of them.
 */
static uint32_t
predecessor(const struct store_job *job, const struct job_queued *out, size_t i)
{
	if (job->parallel == 0 || job->parallel >= (int64_t)out->count ||
	    (int64_t)i < job->parallel)
		return 0;
	return out->array[i - (size_t)job->parallel];
}

enum queue_answer
job_queue(const struct store_job *job, struct job_queued *out, struct error *e)
{
	enum queue_answer answer = QUEUE_QUEUED;
	struct store_chunks plan, known;
	size_t i;

	memset(out, 0, sizeof *out);
	if (store_chunks_list(job, &known, e) == -1)
		return QUEUE_UNKNOWN;
	job_chunks(job, &plan);
	out->count = plan.count;
	out->array = xcalloc(plan.count, sizeof *out->array);
	for (i = 0; i < plan.count && answer == QUEUE_QUEUED; i++) {
		answer = queue_chunk(job, &plan.chunk[i],
		    find_chunk(&known, plan.chunk[i].name),
		    predecessor(job, out, i), &out->array[i], e);
		out->done += answer == QUEUE_QUEUED;
		out->queued += out->array[i] != 0;
		out->fresh += out->array[i] != 0 &&
		    !is_claimed(find_chunk(&known, plan.chunk[i].name));
	}
	store_chunks_free(&plan);
	store_chunks_free(&known);
	return answer;
}
