#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/cancel.h"
#include "control/claim.h"
#include "control/dependency.h"
#include "control/enqueue-chunk.h"
#include "control/enqueue.h"
#include "sys/fs.h"
#include "sys/proc.h"

void
job_queued_free(struct job_queued *q)
{
	free(q->array);
	free(q->fresh);
	memset(q, 0, sizeof *q);
}

char *
job_queue_ids(const uint32_t *array, size_t count, const char *separator)
{
	char *text = NULL;
	size_t i, length;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu32, i > 0 ? separator : "", array[i]);
	xmemclose(out);
	return text;
}

/* All that is known while a job is queued. */
struct work {
	struct job_queueing q;
	struct store_chunks known;
	struct job_queued *out;
	int waited;       /* some is left for that */
	char *waits;      /* "after prep": it waits for other jobs; or NULL */
	int64_t parallel; /* indices at once, or 0 */
	uint32_t last;    /* the array before this one */
	enum queue_answer answer;
};

static int
by_name(const void *name, const void *chunk)
{
	return strcmp(name, ((const struct store_chunk *)chunk)->name);
}

/* What is known of a chunk before it is queued, or NULL. */
static const struct store_chunk *
find_chunk(const struct work *w, const char *name)
{
	if (w->known.count == 0)
		return NULL;
	return bsearch(name, w->known.chunk, w->known.count,
	    sizeof *w->known.chunk, by_name);
}

static void
note_array(struct work *w, const struct store_chunk *c, uint32_t array)
{
	struct job_queued *out = w->out;

	out->array = xgrow(out->array, out->count, sizeof *out->array);
	out->array[out->count++] = w->last = array;
	out->tasks += ranges_size(&c->tasks);
}

static void
note_fresh(struct job_queued *out, uint32_t array)
{
	out->fresh = xgrow(out->fresh, out->fresh_count, sizeof *out->fresh);
	out->fresh[out->fresh_count++] = array;
}

static void queue_tree(struct work *, const struct store_chunk *, uint32_t);

/* With one task at once, the second half waits for the first. */
static void
queue_halves(struct work *w, const struct store_chunk *c, uint32_t after)
{
	struct store_chunk half;
	char which;

	for (which = 'a'; which <= 'b'; which++) {
		if (which == 'b' && c->throttle == 1 && w->parallel > 0)
			after = w->last;
		job_chunk_half(w->q.job, c, which, &half);
		queue_tree(w, &half, after);
		store_chunk_free(&half);
	}
}

static int
is_fresh(const struct job_queued *out, uint32_t array)
{
	size_t i;

	for (i = 0; i < out->fresh_count; i++)
		if (out->fresh[i] == array)
			return 1;
	return 0;
}

/*
 * Slurm has forgotten arrays that ended long ago; they keep nobody waiting.
 * What was queued a moment ago came after it was asked.
 */
static uint32_t
still_there(struct work *w, uint32_t after)
{
	const struct queue *queue =
	    w->q.how->watched != NULL ? w->q.how->watched : w->q.queue;

	if (after != 0 && !is_fresh(w->out, after) && queue != NULL &&
	    !job_array_is_alive(queue, after, NULL))
		return 0;
	return after;
}

static void queue_now(
    struct work *, const struct store_chunk *, int known, uint32_t after);

/* A chunk of a job that waits for others is left, unless Slurm can wait. */
static void
queue_leaf(
    struct work *w, const struct store_chunk *c, int known, uint32_t after)
{
	if (w->waits == NULL || w->q.dependency != NULL) {
		queue_now(w, c, known, after);
	} else if (!job_chunk_is_stopped(&w->q.wishes, c)) {
		w->out->left += ranges_size(&c->tasks);
		w->waited = 1;
	}
}

/* A signal that is to end us does so between two arrays. */
static void
look_for_signals(struct work *w)
{
	if (proc_held() == 0)
		return;
	w->out->interrupted = 1;
	if (w->answer != QUEUE_QUEUED)
		return;
	w->answer = QUEUE_UNKNOWN;
	error_set(w->q.e, "%s: interrupted", w->q.job->name);
}

static void
queue_now(
    struct work *w, const struct store_chunk *c, int known, uint32_t after)
{
	uint32_t array = 0;
	int cut = 0;

	look_for_signals(w);
	if (w->answer == QUEUE_QUEUED)
		w->answer = job_queue_chunk(
		    &w->q, c, known, still_there(w, after), &array, &cut);
	else if (job_chunk_is_stopped(&w->q.wishes, c))
		return;
	else
		array = 0;
	if (cut) {
		w->answer = QUEUE_QUEUED;
		queue_halves(w, c, after);
	} else if (w->answer != QUEUE_QUEUED) {
		w->out->left += ranges_size(&c->tasks);
	} else if (array != 0) {
		note_array(w, c, array);
		note_fresh(w->out, array);
		w->out->made += ranges_size(&c->tasks);
	}
}

/* A chunk, or what it was cut into. */
static void
queue_tree(struct work *w, const struct store_chunk *c, uint32_t after)
{
	const struct store_chunk *known = find_chunk(w, c->name);

	if (known != NULL)
		c = known;
	if (c->claim == STORE_ARRAY && !job_chunk_is_stopped(&w->q.wishes, c))
		note_array(w, c, c->array);
	else if (c->claim == STORE_CUT)
		queue_halves(w, c, after);
	else if (c->claim == STORE_OPEN)
		queue_leaf(w, c, known != NULL, after);
}

/*
 * With fewer tasks at once than arrays, as many arrays as that are let go at
 * once, and each of the others waits for one of them.
 */
static uint32_t
predecessor(int64_t parallel, const uint32_t *last, size_t i, size_t count)
{
	if (parallel == 0 || parallel >= (int64_t)count ||
	    (int64_t)i < parallel)
		return 0;
	return last[i - (size_t)parallel];
}

static int
is_meant(const struct work *w, const struct store_chunk *c)
{
	const struct words *only = w->q.how->only;

	return only == NULL || words_have(only, c->name);
}

static void
queue_all(struct work *w)
{
	struct store_chunks plan;
	uint32_t *last;
	uint64_t first = job_chunk_first_count(w->q.job);
	size_t i;

	job_chunks(w->q.job, &plan);
	last = xcalloc(plan.count + 1, sizeof *last);
	for (i = 0; i < plan.count; i++) {
		if (!is_meant(w, &plan.chunk[i]))
			continue;
		w->last = 0;
		queue_tree(w, &plan.chunk[i],
		    predecessor(w->parallel, last, i, plan.count));
		last[i] = w->last;
	}
	for (i = 0; i < w->known.count; i++)
		if (job_chunk_is_whole(&w->known.chunk[i]) &&
		    job_chunk_number(&w->known.chunk[i]) >= first &&
		    is_meant(w, &w->known.chunk[i])) {
			w->last = 0;
			queue_tree(w, &w->known.chunk[i], 0);
		}
	free(last);
	store_chunks_free(&plan);
}

/* A job that was stored a moment ago is being queued by whoever did that. */
static int
is_too_early(const struct work *w)
{
	int64_t made;

	return w->q.how->watched != NULL && w->known.count == 0 &&
	    w->q.job->after.count == 0 &&
	    fs_changed(w->q.job->dir, "sub", &made, NULL) == 0 &&
	    w->q.now - made < JOB_SBATCH_SECONDS;
}

/* Whether the job waits for others, and whether Slurm can do that: 0 or -1. */
static int
look_at_others(struct work *w)
{
	const struct queue *q = w->q.how->watched;
	enum job_after how;

	w->waited = 0;
	if (job_after_settle(w->q.job, &how, &w->waits, w->q.e) == -1)
		return -1;
	if (how != JOB_AFTER_WAITS)
		return 0;
	if (q == NULL && w->q.queue == NULL)
		queue_load(&w->q.queue, NULL);
	w->q.dependency =
	    job_after_dependency(w->q.job, q != NULL ? q : w->q.queue);
	return 0;
}

/* Queue what may be queued. */
static void
queue_ready(struct work *w)
{
	w->parallel = job_chunk_indices(
	    w->q.job, store_order_limit(w->q.job, &w->q.orders));
	if (look_at_others(w) == -1) {
		w->out->left = w->q.job->tasks;
		w->answer = QUEUE_UNKNOWN;
		w->q.failed = 1;
	} else {
		queue_all(w);
	}
	if (w->answer == QUEUE_QUEUED && w->waited) {
		w->answer = QUEUE_UNKNOWN;
		w->out->waits = 1;
		error_set(w->q.e, "%s: to come %s", w->q.job->name, w->waits);
	}
	free(w->waits);
	free(w->q.dependency);
	w->waits = w->q.dependency = NULL;
}

static enum queue_answer
queue_once(struct work *w)
{
	w->q.again = w->q.failed = 0;
	w->answer = QUEUE_QUEUED;
	free(w->out->array);
	w->out->array = NULL;
	w->out->count = 0;
	w->out->tasks = w->out->left = 0;
	if (fs_now(w->q.job->dir, &w->q.now, w->q.e) == -1 ||
	    store_chunks_list(w->q.job, &w->known, w->q.e) == -1) {
		w->q.failed = 1;
		return QUEUE_UNKNOWN;
	}
	if (store_wishes_whole(w->q.job, &w->q.wishes, w->q.e) == -1 ||
	    store_orders_whole(w->q.job, &w->q.orders, w->q.e) == -1) {
		w->out->damaged = errno == EBADMSG;
		w->answer = QUEUE_UNKNOWN;
		w->q.failed = 1;
	} else if (is_too_early(w)) {
		w->out->left = w->q.job->tasks;
		w->answer = QUEUE_UNKNOWN;
		error_set(w->q.e, "%s: is being queued", w->q.job->name);
	} else {
		queue_ready(w);
	}
	store_wishes_free(&w->q.wishes);
	store_orders_free(&w->q.orders);
	store_chunks_free(&w->known);
	return w->answer;
}

/* There is nothing to train any more; its records may be gone, too. */
static enum queue_answer
leave_removed(struct work *w)
{
	const char *job = w->q.job->name;
	struct error why;

	if (w->q.called && job_stop_all(w->q.job, &why) == -1)
		error_set(w->q.e,
		    "%s: removed meanwhile, and what Slurm has of it could not "
		    "be cancelled: use scancel (%s)",
		    job, why.text);
	else
		error_set(w->q.e, "%s: removed meanwhile%s", job,
		    w->q.called ? ": what was queued of it is cancelled" : "");
	job_queued_free(w->out);
	w->out->gone = 1;
	w->q.failed = 0;
	return QUEUE_REFUSED;
}

enum queue_answer
job_queue(const struct store_job *job, const struct job_queue *how,
    struct job_queued *out, struct error *e)
{
	static const struct job_queue all = {0};
	struct error why = {""};
	struct work w = {
	    .q = {.job = job, .how = how ? how : &all}, .out = out};
	enum queue_answer answer;

	w.q.e = e != NULL ? e : &why;
	memset(out, 0, sizeof *out);
	do
		answer = queue_once(&w);
	while (answer != QUEUE_QUEUED && w.q.again && proc_held() == 0);
	if ((w.q.called || answer != QUEUE_QUEUED) &&
	    store_job_is_gone(job, NULL) == 1)
		answer = leave_removed(&w);
	queue_free(w.q.queue);
	out->failed = w.q.failed;
	out->behind = w.q.behind;
	return answer;
}
