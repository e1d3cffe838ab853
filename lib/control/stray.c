#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "control/stray.h"
#include "slurm/names.h"
#include "slurm/queue.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/table-row.h"
#include "store/table.h"

/* ---- the index of queue records ---- */

struct mark {
	char *token;
	const struct queue_record *record;
};

struct job_marked {
	struct mark *mark;
	size_t count;
};

static int
by_token(const void *one, const void *other)
{
	const struct mark *a = one, *b = other;

	return strcmp(a->token, b->token);
}

struct job_marked *
job_marked_new(const struct queue *queue)
{
	struct job_marked *m = xcalloc(1, sizeof *m);
	const struct queue_record *r;
	char *token;
	size_t i;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		token = r->alive ? queue_token_of(r, "stfm-") : NULL;
		if (token == NULL)
			continue;
		m->mark = xgrow(m->mark, m->count, sizeof *m->mark);
		m->mark[m->count++] = (struct mark){token, r};
	}
	if (m->count > 0)
		qsort(m->mark, m->count, sizeof *m->mark, by_token);
	return m;
}

void
job_marked_free(struct job_marked *m)
{
	size_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->count; i++)
		free(m->mark[i].token);
	free(m->mark);
	free(m);
}

/* Return the position of the first token that is not less than text. */
static size_t
find_first(const struct job_marked *m, const char *text)
{
	size_t low = 0, high = m->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(m->mark[middle].token, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- one record of the queue ---- */

static const struct store_chunk *
find_chunk(const struct store_chunks *chunks, const char *token)
{
	size_t i;

	for (i = 0; i < chunks->count; i++)
		if (strcmp(chunks->chunk[i].token, token) == 0)
			return &chunks->chunk[i];
	return NULL;
}

/*
 * Return whether a task that is over has a run in Slurm that will not end by
 * itself: it started after the task's end, or Slurm forgot that it ended.
 */
static int
is_running_again(const struct job_stray_input *s, const struct store_row *row,
    const struct queue_record *r)
{
	int ended = (row->facts & STORE_HAS_E) != 0;

	if (r->start > row->end)
		return s->asked - r->start >= s->grace;
	/* On a lost node, a run that recorded no end may still train. */
	return (ended || !queue_end_state(row->slurm)->node_lost) &&
	    s->asked - row->end >= s->grace;
}

/* Return whether Slurm has a task that is over as pending or running. */
static int
is_again(const struct job_stray_input *s, uint64_t task,
    const struct queue_record *r)
{
	int waits = r->state == QUEUE_PENDING;
	int held = store_table_holds(s->table, task), yes;
	const struct store_row *row = store_table_row(s->table, task);
	int lost = (row->facts & STORE_HAS_E) == 0 && row->slurm != NULL &&
	    strcmp(row->slurm, "LOST") == 0;

	if (row->end == -1 || lost)
		yes = waits;
	else if (waits) /* the queue may be older than the end */
		yes = s->asked - row->end >= JOB_SKEW;
	else
		yes = is_running_again(s, row, r);
	if (!held)
		store_table_forget(s->table, task);
	return yes;
}

/* Return when a later attempt of task than that of c was last queued, or 0. */
static int64_t
queued_later(
    const struct job_stray_input *s, const struct store_chunk *c, uint64_t task)
{
	const struct store_chunk *other = s->chunks->chunk;
	const struct store_chunk *end = other + s->chunks->count;
	int64_t time = 0;

	for (; other < end; other++)
		if (other->attempt > c->attempt && other->time > time &&
		    idset_has(&other->tasks, task))
			time = other->time;
	return time;
}

/* Return whether Slurm should not have a task of the chunk as r shows it. */
static int
is_stray(const struct job_stray_input *s, const struct store_chunk *c,
    uint64_t task, const struct queue_record *r)
{
	struct store_brief b;

	if (task >= s->table->count || r->completing)
		return 0;
	b = store_table_brief(s->table, task);
	if (b.attempt > c->attempt) /* its run ends by itself within s->grace */
		return r->state == QUEUE_PENDING ||
		    s->asked - queued_later(s, c, task) >= s->grace;
	return b.attempt == c->attempt && store_state_is_final(b.state) &&
	    is_again(s, task, r);
}

/* Add the indices of a record at which all tasks are stray. */
static void
find_indices(const struct job_stray_input *s, const struct store_chunk *c,
    const struct queue_record *r, struct idset *out)
{
	struct idset indices = {0};
	struct idset_walk walk = {0};
	uint64_t index, first, count, i;
	int stray;

	if (r->indices == NULL || idset_parse(&indices, r->indices, NULL) == -1)
		return;
	while (idset_next(&indices, &walk, &index)) {
		count =
		    store_chunk_packed(c, store_chunk_place(c, index), &first);
		stray = count > 0;
		for (i = 0; stray && i < count; i++)
			stray =
			    is_stray(s, c, idset_at(&c->tasks, first + i), r);
		if (stray)
			idset_add(out, index, index);
	}
	idset_free(&indices);
}

/* ---- all strays of a job ---- */

/* Add an array, or only these indices of it, to the arrays to cancel. */
static void
add(struct job_strays *out, const struct mark *m, const struct idset *indices,
    const char *why)
{
	struct queue_cancel *c;

	out->list = xgrow(out->list, out->count, sizeof *out->list);
	c = &out->list[out->count++];
	*c = (struct queue_cancel){
	    .array = m->record->array, .token = xstrdup(m->token)};
	if (indices != NULL)
		c->indices = idset_text(indices);
	strlist_take(&out->why,
	    xasprintf("Slurm has %" PRIu32 "%s%s in the queue, %s", c->array,
		indices != NULL ? "_" : "", indices != NULL ? c->indices : "",
		why));
}

/* Return whether the whole array was added: it may have several records. */
static int
has_array(const struct job_strays *out, uint32_t array)
{
	size_t i;

	for (i = 0; i < out->count; i++)
		if (out->list[i].array == array && out->list[i].indices == NULL)
			return 1;
	return 0;
}

/* Note an array without a record, unless the record may still appear. */
static void
add_unknown(const struct job_stray_input *s, const struct queue_record *r,
    struct job_strays *out)
{
	char *text;

	if (s->chunks->damaged.count > 0 || s->asked - r->submit < s->grace)
		return;
	text = xasprintf("Slurm has %" PRIu32 " in the queue, which the store "
			 "has no record of: scancel %" PRIu32 " ends it",
	    r->array, r->array);
	if (!strlist_have(&out->unknown, text))
		strlist_push(&out->unknown, text);
	free(text);
}

static void
look_at(const struct job_stray_input *s, const struct mark *m,
    struct job_strays *out)
{
	const struct store_chunk *c = find_chunk(s->chunks, m->token);
	struct idset indices = {0};

	if (c == NULL) {
		add_unknown(s, m->record, out);
	} else if (c->claim == STORE_OPEN || c->adopted) {
		return;
	} else if (c->claim == STORE_ARRAY && c->array == m->record->array) {
		find_indices(s, c, m->record, &indices);
		if (indices.count > 0)
			add(out, m, &indices, "although it is over");
		idset_free(&indices);
	} else if (!has_array(out, m->record->array)) {
		add(out, m, NULL,
		    "but stfm has queued its tasks in another array");
	}
}

void
job_strays_find(const struct job_stray_input *s, struct job_strays *out)
{
	char *token = job_token_prefix(s->job);
	size_t i = find_first(s->marked, token);

	memset(out, 0, sizeof *out);
	for (; i < s->marked->count &&
	     text_begins(s->marked->mark[i].token, token);
	     i++)
		look_at(s, &s->marked->mark[i], out);
	free(token);
}

void
job_strays_free(struct job_strays *strays)
{
	size_t i;

	for (i = 0; i < strays->count; i++) {
		free((char *)(uintptr_t)strays->list[i].indices);
		free((char *)(uintptr_t)strays->list[i].token);
	}
	free(strays->list);
	strlist_free(&strays->why);
	strlist_free(&strays->unknown);
	memset(strays, 0, sizeof *strays);
}
