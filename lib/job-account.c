#include <stdlib.h>

#include "job-account.h"
#include "store-chunk.h"
#include "xalloc.h"

struct wanted {
	struct queue_account_array *list;
	size_t count;
};

/* Whether a task of this chunk has left the queue with its end unknown. */
static int
has_gone(const struct store_chunk *c, const struct store_fold *fold,
    const struct queue *queue)
{
	uint64_t size = ranges_size(&c->tasks), i, task;
	const struct queue_record *r;
	struct store_brief row;

	for (i = 0; i < size; i++) {
		task = ranges_at(&c->tasks, i);
		if (task >= fold->count)
			continue;
		row = store_fold_brief(fold, task);
		if (row.attempt > c->attempt ||
		    (row.attempt == c->attempt &&
			store_state_is_final(row.state)))
			continue;
		r = queue_find(queue, c->array, (uint32_t)i);
		if (r == NULL || !queue_has_token(r, c->token))
			return 1;
	}
	return 0;
}

static void
want(struct wanted *w, const struct store_job *job, const struct store_chunk *c)
{
	w->list = xgrow(w->list, w->count, sizeof *w->list);
	w->list[w->count++] =
	    (struct queue_account_array){c->array, job->name, c->time};
}

/* A job that cannot be read is reported by its own part of the pass. */
static void
collect(
    struct wanted *w, const struct store_job *job, const struct queue *queue)
{
	struct store_fold *fold = store_fold_load(job, NULL);
	struct store_chunks chunks;
	size_t i;

	if (fold == NULL)
		return;
	if (store_chunks_list(job, &chunks, NULL) == 0)
		for (i = 0; i < chunks.count; i++)
			if (chunks.chunk[i].array != 0 &&
			    has_gone(&chunks.chunk[i], fold, queue))
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
	return account;
}

const struct queue_account_record *
job_account_find(
    const struct queue_account *account, const struct store_row *row)
{
	const struct queue_account_record *r;

	r = queue_account_find(
	    account, (uint32_t)row->array, (uint32_t)row->index);
	if (r == NULL || r->restarts < row->restart ||
	    (r->shared && (row->facts & STORE_HAS_S) != 0))
		return NULL;
	return r;
}
