#include <stdlib.h>

#include "base/xalloc.h"
#include "reconcile/account.h"
#include "state/run-start.h"

struct wanted {
	struct queue_account_array *list;
	size_t count;
	struct words names;
};

/* Whether a later attempt of the task was queued. */
static int
is_repeated(
    const struct store_chunks *chunks, const struct store_chunk *c, uint64_t t)
{
	const struct store_chunk *other;
	size_t i;

	for (i = 0; i < chunks->count; i++) {
		other = &chunks->chunk[i];
		if (other->attempt > c->attempt && other->array != 0 &&
		    ranges_has(&other->tasks, t))
			return 1;
	}
	return 0;
}

/*
 * The table of a job.  Of tasks that failed the rows tell whether how they
 * ended is known; none are read where there are none.
 */
static struct store_fold *
load_table(const struct store_job *job)
{
	static const struct ranges none = {0};
	struct store_fold *fold = store_fold_load_part(job, &none, NULL);

	if (fold == NULL || fold->in_state[STORE_ERROR] == 0)
		return fold;
	store_fold_free(fold);
	return store_fold_load(job, NULL);
}

static int
is_over(const struct store_fold *fold, uint64_t task)
{
	enum store_state state = store_fold_state(fold, task);

	return store_state_is_final(state) &&
	    (state != STORE_ERROR ||
		(store_fold_brief(fold, task).facts & STORE_END_DUE) == 0);
}

/*
 * Whether a task of this chunk has left the queue with its end unknown.  States
 * do not say of which attempt they are, so those of a second one are asked for
 * once too often rather than not at all.
 */
static int
has_gone(const struct store_chunks *chunks, const struct store_chunk *c,
    const struct store_fold *fold, const struct queue *queue)
{
	uint64_t size = ranges_size(&c->tasks), i, task;
	const struct queue_record *r;

	for (i = 0; i < size; i++) {
		task = ranges_at(&c->tasks, i);
		if (task >= fold->count ||
		    (c->attempt == 0 && is_over(fold, task)))
			continue;
		r = queue_find(
		    queue, c->array, (uint32_t)store_chunk_index(c, task));
		if ((r == NULL || !queue_has_token(r, c->token)) &&
		    !is_repeated(chunks, c, task))
			return 1;
	}
	return 0;
}

/* As which Slurm's accounting knows a chunk; of its token the name is. */
static struct queue_account_array
array_of(
    const struct store_job *job, const struct store_chunk *c, const char *token)
{
	struct queue_account_array a = {
	    .array = c->array, .name = job->name, .since = c->time};

	if (c->adopted) {
		a.name = queue_adopted_name(token, &a.since);
		a.exact = 1;
		a.alone = c->indices.count == 0;
	}
	return a;
}

/* The names in the tokens of chunks, which are freed, are kept in w->names. */
static void
want(struct wanted *w, const struct store_job *job, const struct store_chunk *c)
{
	struct queue_account_array a;

	words_push(&w->names, c->token);
	a = array_of(job, c, w->names.word[w->names.count - 1]);
	if (a.name == NULL)
		return;
	w->list = xgrow(w->list, w->count, sizeof *w->list);
	w->list[w->count++] = a;
}

/* A job that cannot be read is reported by its own part of the pass. */
static void
collect(
    struct wanted *w, const struct store_job *job, const struct queue *queue)
{
	struct store_fold *fold = load_table(job);
	struct store_chunks chunks;
	size_t i;

	if (fold == NULL)
		return;
	if (store_chunks_list(job, &chunks, NULL) == 0)
		for (i = 0; i < chunks.count; i++)
			if (chunks.chunk[i].array != 0 &&
			    has_gone(&chunks, &chunks.chunk[i], fold, queue))
				want(w, job, &chunks.chunk[i]);
	store_chunks_free(&chunks);
	store_fold_free(fold);
}

struct queue_account *
job_account_load(const struct selection *jobs, const struct queue *queue)
{
	struct queue_account *account;
	struct wanted w = {0};
	size_t i;

	for (i = 0; i < jobs->count; i++)
		collect(&w, jobs->item[i].job, queue);
	account = queue_account_load(w.list, w.count);
	free(w.list);
	words_free(&w.names);
	return account;
}

const struct queue_account_record *
job_account_find(const struct queue_account *account,
    const struct store_job *job, const struct store_chunk *c,
    const struct store_row *row)
{
	struct queue_account_array a = array_of(job, c, c->token);
	const struct store_fact run = {.task = row->task,
	    .attempt = row->attempt,
	    .restart = row->restart};
	const struct queue_account_record *r;

	r = queue_account_find(account, &a, (uint32_t)row->index);
	if (r == NULL ||
	    (r->restarts < row->restart &&
		r->restarts < job_begin_count(job, &run)) ||
	    (r->shared && (row->facts & STORE_HAS_S) != 0))
		return NULL;
	return r;
}
