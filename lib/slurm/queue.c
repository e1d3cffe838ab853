#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/private.h"

/* The kinds of records, in search order: a task's own record comes first. */
enum manner { OWN, SPAN, WHOLE };

/* A range of tasks of an array, and the record that covers it. */
struct entry {
	uint32_t array;
	enum manner manner;
	uint64_t first, last;
	const struct queue_record *record;
};

struct queue {
	struct queue_jobs jobs;
	struct entry *entry; /* sorted */
	size_t entries;
};

static void
add_entry(struct queue *q, const struct queue_record *r, enum manner manner,
    uint64_t first, uint64_t last)
{
	q->entry = xgrow(q->entry, q->entries, sizeof *q->entry);
	q->entry[q->entries++] =
	    (struct entry){r->array, manner, first, last, r};
}

/* Add entries for a record's tasks; a record without a list has all tasks. */
static void
add_entries(struct queue *q, const struct queue_record *r)
{
	struct idset tasks = {0};
	size_t i;

	if (r->indices == NULL || idset_parse(&tasks, r->indices, NULL) == -1) {
		add_entry(q, r, WHOLE, 0, UINT64_MAX);
		return;
	}
	for (i = 0; i < tasks.count; i++)
		add_entry(q, r,
		    r->indices[strspn(r->indices, "0123456789")] == '\0' ? OWN
									 : SPAN,
		    tasks.run[i].first, tasks.run[i].last);
	idset_free(&tasks);
}

static int
compare(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->manner != b->manner)
		return a->manner < b->manner ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void
sort_entries(struct queue *q)
{
	size_t i;

	for (i = 0; i < q->jobs.count; i++)
		add_entries(q, &q->jobs.record[i]);
	if (q->entries > 0)
		qsort(q->entry, q->entries, sizeof *q->entry, compare);
}

struct queue *
queue_read(struct queue_input *in, struct error *e)
{
	struct queue *q = xcalloc(1, sizeof *q);

	if (queue_get_jobs(in, &q->jobs, e) == 0) {
		sort_entries(q);
		return q;
	}
	queue_free(q);
	return NULL;
}

int
queue_load(struct queue **out, struct error *e)
{
	struct queue *q;
	int64_t ms;

	*out = NULL;
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	q = xcalloc(1, sizeof *q);
	if (queue_way()->jobs(ms, &q->jobs, e) == -1) {
		queue_free(q);
		return -1;
	}
	sort_entries(q);
	*out = q;
	return 0;
}

void
queue_jobs_free(struct queue_jobs *jobs)
{
	size_t i;

	proc_result_free(&jobs->raw);
	for (i = 0; i < jobs->lists; i++)
		free(jobs->list[i]);
	free(jobs->list);
	free(jobs->record);
}

void
queue_free(struct queue *q)
{
	if (q == NULL)
		return;
	queue_jobs_free(&q->jobs);
	free(q->entry);
	free(q);
}

size_t
queue_count(const struct queue *q)
{
	return q->jobs.count;
}

const struct queue_record *
queue_record(const struct queue *q, size_t i)
{
	return &q->jobs.record[i];
}

/* Return the number of entries that are not greater than wanted. */
static size_t
find_behind(const struct queue *q, const struct entry *wanted)
{
	size_t low = 0, high = q->entries, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare(&q->entry[middle], wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
is_like(const struct entry *e, const struct entry *wanted)
{
	return e->array == wanted->array && e->manner == wanted->manner;
}

const struct queue_record *
queue_find_until(
    const struct queue *q, uint32_t array, uint32_t index, uint64_t *until)
{
	struct entry wanted = {array, OWN, index, index, NULL};
	const struct entry *e;
	int manner;
	size_t at;

	*until = UINT64_MAX;
	for (manner = OWN; manner <= WHOLE; manner++) {
		wanted.manner = (enum manner)manner;
		at = find_behind(q, &wanted);
		e = at > 0 ? &q->entry[at - 1] : NULL;
		if (e != NULL && is_like(e, &wanted) && e->last >= index) {
			if (e->last < *until)
				*until = e->last;
			return e->record;
		}
		e = at < q->entries ? &q->entry[at] : NULL;
		if (e != NULL && is_like(e, &wanted) && e->first - 1 < *until)
			*until = e->first - 1;
	}
	return NULL;
}

const struct queue_record *
queue_find_any(const struct queue *q, uint32_t array)
{
	size_t low = 0, high = q->entries, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (q->entry[middle].array < array)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == q->entries || q->entry[low].array != array)
		return NULL;
	return q->entry[low].record;
}

int
queue_find_token(const struct queue *q, const char *token, uint32_t *array)
{
	const struct queue_record *r;
	int found = 0;
	size_t i;

	for (i = 0; i < q->jobs.count; i++) {
		r = &q->jobs.record[i];
		if (r->refused || !queue_is_queued_for(r, token))
			continue;
		if (!found || r->array < *array)
			*array = r->array;
		found = 1;
	}
	return found;
}

static int
compare_ids(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

uint32_t *
queue_find_tokens(const struct queue *q, const char *token, size_t *count)
{
	const struct queue_record *r;
	uint32_t *ids = NULL;
	size_t i, n = 0;

	for (i = 0; i < q->jobs.count; i++) {
		r = &q->jobs.record[i];
		if (r->refused || !queue_is_queued_for(r, token))
			continue;
		ids = xgrow(ids, n, sizeof *ids);
		ids[n++] = r->array;
	}
	if (n > 0)
		qsort(ids, n, sizeof *ids, compare_ids);
	*count = 0;
	for (i = 0; i < n; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			ids[(*count)++] = ids[i];
	return ids;
}

/* ---- the two ways to ask ---- */

const struct queue_way *
queue_way(void)
{
#ifndef STFM_NO_LIBSLURM
	const char *wanted = getenv("STFM_SLURM");

	if (wanted == NULL || strcmp(wanted, "text") != 0)
		return &queue_library;
#endif
	return &queue_text;
}
