#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "control/sbatch-argv.h"
#include "control/throttle-share.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/load.h"

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t
most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- arrays in the queue ---- */

static int64_t
count_indices(const struct queue_record *r)
{
	struct idset indices = {0};
	int64_t count = 1;

	if (r->indices != NULL && idset_parse(&indices, r->indices, NULL) == 0)
		count = (int64_t)idset_size(&indices);
	idset_free(&indices);
	return count;
}

static void
add_record(struct job_throttle_share *one, const struct queue_record *r)
{
	int64_t count = count_indices(r);

	one->throttle = r->throttle;
	one->alive += count;
	if (r->state != QUEUE_PENDING || r->completing)
		one->running += count;
	else if (*r->dependency != '\0') /* the pending reason may lag behind */
		one->waits = 1;
}

static struct job_throttle_share
look(const struct store_job *job, const struct store_chunk *c,
    const struct queue *q)
{
	struct job_throttle_share one = {.chunk = c};
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(q); i++) {
		r = queue_record(q, i);
		if (r->array == c->array && r->alive &&
		    queue_has_token(r, c->token))
			add_record(&one, r);
	}
	if (store_job_after(job)->count > 0 ||
	    job_sbatch_option(job, c, "--dependency") != NULL)
		one.waits = 0; /* it may wait for other jobs */
	return one;
}

static int
by_array(const void *one, const void *other)
{
	const struct job_throttle_share *a = one, *b = other;

	return (a->chunk->array > b->chunk->array) -
	    (a->chunk->array < b->chunk->array);
}

void
job_throttle_shares_find(const struct store_job *job,
    const struct store_chunks *chunks, const struct queue *q,
    struct job_throttle_shares *out)
{
	const struct store_chunk *c = chunks->chunk;
	struct job_throttle_share one;

	memset(out, 0, sizeof *out);
	for (; c < chunks->chunk + chunks->count; c++) {
		if (c->claim != STORE_ARRAY || c->array == 0)
			continue;
		one = look(job, c, q);
		if (one.alive == 0)
			continue;
		out->item = xgrow(out->item, out->count, sizeof *out->item);
		out->item[out->count++] = one;
	}
	if (out->count > 0)
		qsort(out->item, out->count, sizeof *out->item, by_array);
}

void
job_throttle_shares_free(struct job_throttle_shares *shares)
{
	free(shares->item);
	memset(shares, 0, sizeof *shares);
}

/* ---- arrays that wait ---- */

/* Return how many indices of an array can run at once. */
static int64_t
width(const struct job_throttle_share *one, int64_t limit)
{
	int64_t width = one->alive;

	if (one->throttle != 0)
		width = least(width, one->throttle > 0 ? one->throttle : limit);
	return most(width, one->running);
}

int64_t
job_throttle_shares_room(
    const struct job_throttle_shares *shares, size_t before, int64_t limit)
{
	int64_t room = limit;
	size_t i;

	for (i = 0; i < before; i++)
		room -= width(&shares->item[i], limit);
	return room;
}

size_t
job_throttle_shares_wait(const struct job_throttle_shares *shares,
    size_t before, int64_t limit, int64_t indices)
{
	int64_t taken = 0;
	size_t i;

	if (limit == 0)
		return 0;
	for (i = before; i > 0; i--) {
		taken += width(&shares->item[i - 1], limit);
		if (taken + indices > limit)
			return i;
	}
	return 0;
}

size_t
job_throttle_shares_behind(
    const struct job_throttle_shares *shares, size_t i, int64_t limit)
{
	return job_throttle_shares_wait(
	    shares, i, limit, least(width(&shares->item[i], limit), limit));
}

char *
job_throttle_shares_dependency(
    const struct job_throttle_shares *shares, size_t count)
{
	char *text = NULL;
	size_t i, length;
	FILE *out = xmemopen(&text, &length);

	fputs("afterany", out);
	for (i = 0; i < count; i++)
		fprintf(out, ":%" PRIu32, shares->item[i].chunk->array);
	xmemclose(out);
	return text;
}

/* ---- shares ---- */

/* Return the indices an array keeps: its old share, or what runs if more. */
static int64_t
kept(const struct job_throttle_share *one)
{
	int64_t share = one->share;

	if (one->throttle > 0)
		share = least(share, one->throttle);
	return most(share, one->running);
}

/* Return whether an array waits or has no tasks for a larger share. */
static int
is_full(const struct job_throttle_share *one)
{
	return one->waits || one->share >= one->alive;
}

/* Count the arrays that are not full; *left is set to their part of limit. */
static size_t
count_open(
    const struct job_throttle_shares *shares, int64_t limit, int64_t *left)
{
	const struct job_throttle_share *l, *end = shares->item + shares->count;
	size_t open = 0;

	*left = limit;
	for (l = shares->item; l < end; l++)
		if (is_full(l))
			*left -= l->share;
		else
			open++;
	if (limit > 0)
		*left = most(*left, 1);
	return open;
}

/* Divide the limit evenly; what an array cannot use goes to the others. */
static void
share_evenly(struct job_throttle_shares *shares, int64_t limit)
{
	struct job_throttle_share *l, *end = shares->item + shares->count;
	size_t open, before = 0, i;
	int64_t left;

	for (l = shares->item; l < end; l++)
		l->share = 0;
	while ((open = count_open(shares, limit, &left)) != before) {
		before = open;
		for (l = shares->item, i = 0; l < end; l++)
			if (!is_full(l))
				l->share = least(
				    l->alive, job_chunk_share(left, i++, open));
	}
}

size_t
job_throttle_shares_share(struct job_throttle_shares *shares, int64_t limit)
{
	struct job_throttle_share *l, *end = shares->item + shares->count;
	int64_t left = limit;
	size_t count = 0;

	share_evenly(shares, limit);
	for (l = shares->item; l < end; l++)
		count += !l->waits;
	for (l = shares->item; l < end; l++)
		left -= l->waits ? 0 : kept(l);
	for (l = shares->item; limit > 0 && l < end; l++) {
		if (l->waits || l->throttle <= 0 || l->share <= l->throttle)
			continue;
		left += kept(l);
		l->share = least(l->share, most(left, l->throttle));
		left -= most(l->share, l->running);
	}
	return count;
}

/* Return the array with the most tasks per share that can grow, or NULL. */
static struct job_throttle_share *
most_crowded(const struct job_throttle_shares *shares)
{
	struct job_throttle_share *l, *most = NULL;

	for (l = shares->item; l < shares->item + shares->count; l++)
		if (!l->waits && l->throttle > 0 && l->share < l->alive &&
		    (most == NULL ||
			l->alive * most->share > most->alive * l->share))
			most = l;
	return most;
}

void
job_throttle_shares_grow(struct job_throttle_shares *shares, int64_t limit)
{
	int64_t left = limit;
	struct job_throttle_share *l, *most;

	for (l = shares->item; l < shares->item + shares->count; l++) {
		l->share = l->throttle;
		if (!l->waits)
			left -= width(l, limit);
	}
	while (left-- > 0 && (most = most_crowded(shares)) != NULL)
		most->share++;
}
