#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job-array.h"
#include "job-stop.h"
#include "job-truth.h"
#include "queue.h"
#include "store-chunk.h"
#include "store-wish.h"
#include "xalloc.h"

/* From an intent to its first try it takes less than so many seconds. */
enum { MOMENT = 10 };

void
job_stop_open(const struct store_fold *fold, const struct ranges *tasks,
    struct ranges *out)
{
	uint64_t i;

	memset(out, 0, sizeof *out);
	for (i = 0; i < fold->count; i++)
		if (!store_state_is_final(store_fold_state(fold, i)) &&
		    ranges_has(tasks, i))
			ranges_add(out, i, i);
}

static int
wish(const struct store_job *job, const struct store_fold *fold,
    const struct ranges *tasks, const char *why, struct error *e)
{
	return store_wish_all(job, tasks, store_fold_attempt, fold, why, e);
}

/* What is asked for, and what is known, when tasks are cancelled. */
struct stopping {
	const struct store_fold *fold;
	const struct ranges *tasks;
	const struct store_wishes *wishes;
};

/* Whether a task is still to train, and nobody wished it to stop. */
static int
is_wanted(const struct stopping *s, uint64_t task)
{
	return task < s->fold->count &&
	    !store_state_is_final(store_fold_state(s->fold, task)) &&
	    !store_wished(
		s->wishes, task, store_fold_brief(s->fold, task).attempt);
}

/*
 * Look at the tasks of one index, which Slurm can end together alone: whether
 * one of them is meant, and whether another is wanted.  That one is then ended
 * by its own run, which looks for the wish.
 */
static void
look(const struct stopping *s, const struct store_chunk *chunk, uint64_t place,
    int *meant, int *wanted)
{
	uint64_t first, count, i, task;

	*meant = *wanted = 0;
	count = store_chunk_beside(chunk, place, &first);
	for (i = 0; i < count; i++) {
		task = ranges_at(&chunk->tasks, first + i);
		if (ranges_has(s->tasks, task))
			*meant = 1;
		else
			*wanted |= is_wanted(s, task);
	}
}

/*
 * What to cancel of one chunk: 0 when none of its tasks is meant.  The whole
 * array when nothing else of it is still to come.
 */
static int
cancellation(const struct stopping *s, const struct store_chunk *chunk,
    struct queue_cancel *out)
{
	uint64_t size = store_chunk_size(chunk), i;
	int64_t index;
	struct ranges indices = {0};
	int others = 0, meant, wanted;

	for (i = 0; i < size; i++) {
		look(s, chunk, i, &meant, &wanted);
		if (meant && !wanted) {
			index = store_chunk_at(chunk, i);
			if (index < 0) /* it is all there is */
				index = 0;
			ranges_add(&indices, (uint64_t)index, (uint64_t)index);
		}
		others |= wanted;
	}
	memset(out, 0, sizeof *out);
	if (indices.count == 0)
		return 0;
	out->array = chunk->array;
	out->token = chunk->token;
	out->indices = others ? ranges_text(&indices) : NULL;
	ranges_free(&indices);
	return 1;
}

int
job_stop_tell(const struct store_job *job, const struct store_fold *fold,
    const struct ranges *tasks, struct error *e)
{
	struct store_wishes wishes = {0};
	const struct stopping stopping = {fold, tasks, &wishes};
	struct store_chunks chunks;
	struct queue_cancel *list;
	size_t count = 0, i;
	int rc = 0, saved;

	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	store_wishes_list(job, &wishes, NULL); /* what is wanted stays */
	list = xcalloc(chunks.count + 1, sizeof *list);
	for (i = 0; i < chunks.count; i++)
		if (chunks.chunk[i].array != 0 &&
		    cancellation(&stopping, &chunks.chunk[i], &list[count]))
			count++;
	if (count > 0)
		rc = queue_cancel(list, count, e);
	if (rc == 0 && chunks.damaged.count > 0) {
		rc = error_set(e, "%s", chunks.damaged.word[0]);
		errno = EBADMSG;
	}
	for (i = 0; i < count; i++)
		free((char *)(uintptr_t)list[i].indices);
	saved = errno;
	free(list);
	store_wishes_free(&wishes);
	store_chunks_free(&chunks);
	errno = saved;
	return rc;
}

int
job_stop(const struct store_job *job, const struct store_fold *fold,
    const struct ranges *tasks, const char *why, int *told, struct error *e)
{
	struct error ignored;
	int unwished = wish(job, fold, tasks, why, e);

	*told = 0;
	/* A rule has time until the next pass, and counts by its wishes. */
	if (unwished == -1 && why != NULL)
		return -1;
	*told = 1;
	if (job_stop_tell(job, fold, tasks, unwished ? &ignored : e) == -1) {
		*told = errno != EAGAIN && errno != ENOENT;
		return -1;
	}
	return unwished;
}

int
job_stop_retries(const struct store_job *job, const struct store_fold *fold,
    const struct ranges *tasks, struct error *e)
{
	return wish(job, fold, tasks, job_truth_unretried, e);
}

/* Whether something alive in the queue belongs to the job: what it queued. */
static int
has_alive(const struct queue *queue, const struct store_job *job)
{
	char *prefix = xasprintf("stfm-%s-", job->id);
	const struct queue_record *r;
	int found = 0;
	size_t i;

	for (i = 0; i < queue_count(queue) && !found; i++) {
		r = queue_record(queue, i);
		found = r->alive &&
		    strncmp(r->comment, prefix, strlen(prefix)) == 0;
	}
	free(prefix);
	return found;
}

/* ... and what it has adopted: only its records tell. */
static int
has_adopted(
    const struct queue *queue, const struct store_job *job, struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	uint32_t array;
	int found = 0;
	size_t i;

	if (!store_job_is_adopted(job))
		return 0;
	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	for (i = 0; i < chunks.count && !found; i++) {
		c = &chunks.chunk[i];
		found = c->adopted &&
		    queue_find_token(queue, c->token, &array) &&
		    job_array_is_alive(queue, array, c->token);
	}
	if (!found && chunks.damaged.count > 0) {
		found = error_set(e,
		    "%s: so nobody knows what of it is in the queue: "
		    "stfm-check --repair first",
		    chunks.damaged.word[0]);
		errno = EBADMSG;
	}
	store_chunks_free(&chunks);
	return found;
}

/* Whether an sbatch for the chunk is under way, or about to begin. */
static int
may_come(const struct store_chunk *c, int64_t now)
{
	if (c->claim != STORE_OPEN || c->refused)
		return 0;
	if (c->tries == 0)
		return now - c->time < MOMENT;
	return now - c->tried < JOB_GRACE;
}

/* Whether an sbatch of the job may be under way; -1 when nobody knows. */
static int
is_being_queued(const struct store_job *job, struct error *e)
{
	struct store_chunks chunks;
	int64_t now, being = 0;
	size_t i;

	if (fs_now(job->dir, &now, NULL) == -1)
		now = time(NULL); /* a full disk must not keep it full */
	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	for (i = 0; i < chunks.count; i++)
		being |= may_come(&chunks.chunk[i], now);
	store_chunks_free(&chunks);
	return (int)being;
}

int
job_is_queued(const struct store_job *job, struct error *e)
{
	struct queue *queue;
	int found;

	found = is_being_queued(job, e);
	if (found != 0)
		return found;
	if (queue_load(&queue, e) == -1)
		return -1;
	found = has_alive(queue, job);
	if (!found)
		found = has_adopted(queue, job, e);
	queue_free(queue);
	return found;
}
