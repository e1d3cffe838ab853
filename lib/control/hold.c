#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "control/hold.h"
#include "control/throttle.h"
#include "slurm/names.h"
#include "slurm/queue.h"
#include "slurm/update-array.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/load.h"
#include "store/once.h"
#include "store/table.h"

/* The state of sending requests to Slurm. */
struct sending {
	const struct store_job *job;
	const struct store_requests *requests;
	const struct store_chunk *chunk;
	size_t count;        /* number of chunks */
	uint64_t sent;       /* number of the last request carried out */
	int missed;          /* an array may appear without the last requests */
	struct strlist held; /* chunks that were queued held */
	struct strlist released; /* chunks in held released since */
	int waits_for_canary;
	struct job_held *out;         /* result, or NULL */
	struct job_hold_queue *queue; /* or NULL */
};

const char job_hold_later[] =
    "the order is recorded, but Slurm may not have received it: stfm-watch "
    "will send it, or run this again";

/* ---- marks in the store ---- */

static int
mark(const struct store_job *job, const char *what, const char *of,
    struct error *e)
{
	char *name = xasprintf("%s.%s", what, of);
	int rc = store_once_set(job, name, NULL, e);

	free(name);
	return rc == -1 ? -1 : 0;
}

static uint64_t
last_sent(const struct store_job *job)
{
	struct strlist marks = {0};
	int64_t last = 0, n;
	size_t i;

	store_once_list(job, "told.", &marks, NULL);
	for (i = 0; i < marks.count; i++)
		if (num_int("it", marks.word[i], 1, INT64_MAX, &n, NULL) == 0 &&
		    n > last)
			last = n;
	strlist_free(&marks);
	return (uint64_t)last;
}

/* Record that Slurm has all of these requests. */
static int
mark_sent(const struct store_job *job, const struct store_requests *requests,
    struct error *e)
{
	char *number = xasprintf("%06" PRIu64, store_requests_last(requests));
	int rc = mark(job, "told", number, e);

	free(number);
	return rc;
}

int
job_hold_begin(const struct store_job *job, const struct store_chunk *chunk,
    struct error *e)
{
	return mark(job, "held", chunk->name, e);
}

/* ---- tasks to hold and to release ---- */

enum want { AS_IT_IS, HELD, FREE };

/* Return what Slurm has to do about a pending task: other by default. */
static enum want
want(const struct sending *s, const struct store_chunk *c, uint64_t task,
    enum want other)
{
	const struct store_request *o =
	    store_request_for(s->requests, task, c->attempt);
	enum want w = other;

	if (o != NULL && o->kind == STORE_REQUEST_HOLD)
		return HELD;
	if (o != NULL && o->number > s->sent)
		w = FREE;
	if (w == FREE && s->waits_for_canary && job_canary_holds(c))
		return AS_IT_IS;
	return w;
}

/* Add an index to hold or release, unless Slurm already has it so. */
static void
aim_at(const struct store_chunk *c, const struct queue *q, uint64_t place,
    enum want w, struct idset *hold, struct idset *release)
{
	int64_t at = store_chunk_at(c, place);
	uint64_t index = at < 0 ? 0 : (uint64_t)at;
	const struct queue_record *r;
	enum queue_hold by;

	if (w == AS_IT_IS)
		return;
	r = queue_find(q, c->array, (uint32_t)index);
	if (r == NULL || !queue_has_token(r, c->token) || !r->alive ||
	    r->completing || r->state != QUEUE_PENDING)
		return;
	by = queue_hold_of(r->reason);
	if (w == HELD && by == QUEUE_FREE)
		idset_add(hold, index, index);
	if (w == FREE && by != QUEUE_FREE && by != QUEUE_HELD_BY_ADMIN)
		idset_add(release, index, index);
}

/* Return what to do with tasks of a chunk that no request is about. */
static enum want
want_others(const struct sending *s, const struct store_chunk *c)
{
	return strlist_have(&s->held, c->name) &&
		!strlist_have(&s->released, c->name)
	    ? FREE
	    : AS_IT_IS;
}

/* Find the indices of a chunk that Slurm has to hold or release. */
static void
aim(const struct sending *s, const struct store_chunk *c, const struct queue *q,
    struct idset *hold, struct idset *release)
{
	enum want other = want_others(s, c);
	uint64_t pack = c->pack > 1 ? (uint64_t)c->pack : 1, seen = 0, task;
	uint64_t size = idset_size(&c->tasks);
	struct idset_walk walk = {0};
	enum want w = AS_IT_IS, of;

	memset(hold, 0, sizeof *hold);
	memset(release, 0, sizeof *release);
	while (idset_next(&c->tasks, &walk, &task)) {
		/* Hold all tasks of an index if one of them is held. */
		of = want(s, c, task, other);
		if (of == HELD || w == AS_IT_IS)
			w = of;
		if (++seen % pack != 0 && seen < size)
			continue;
		aim_at(c, q, (seen - 1) / pack, w, hold, release);
		w = AS_IT_IS;
	}
}

/*
 * Send requests for one chunk.  Returns 0 if there was nothing to send, 1 if it
 * was done, 2 if Slurm refused all or a part, with the reason in e, or -1 if
 * Slurm did not answer.
 */
static int
send_chunk(const struct sending *s, const struct store_chunk *c,
    const struct queue *q, struct error *e)
{
	int alone = store_chunk_at(c, 0) < 0, rc = 0;
	struct error why = {""};
	struct idset hold, release;

	aim(s, c, q, &hold, &release);
	if (hold.count > 0)
		rc = queue_hold(
		    1, c->array, alone ? NULL : &hold, c->token, &why);
	if (why.code != ERROR_SILENT && release.count > 0 &&
	    queue_hold(0, c->array, alone ? NULL : &release, c->token, &why) ==
		-1)
		rc = -1;
	if (rc == -1) {
		error_copy(e, &why);
		rc = queue_is_silent(&why) ? -1 : 2;
	} else if (hold.count > 0 || release.count > 0) {
		rc = 1;
	}
	idset_free(&hold);
	idset_free(&release);
	return rc;
}

/* Return whether there is nothing left to send for a chunk. */
static int
is_done(
    const struct sending *s, const struct store_chunk *c, const struct queue *q)
{
	struct idset hold, release;
	int done;

	aim(s, c, q, &hold, &release);
	done = hold.count == 0 && release.count == 0;
	idset_free(&hold);
	idset_free(&release);
	return done;
}

static int
has_array(const struct store_chunk *c)
{
	return c->claim == STORE_ARRAY && c->array != 0;
}

/*
 * Check that Slurm did everything.  After a refusal, e has its reason already;
 * perhaps only a task that had just started was refused.  Returns 0 or -1.
 */
static int
look_again(const struct sending *s, int refused, struct error *e)
{
	const struct store_chunk *c;
	struct queue *q;
	int rc = 0;

	if (queue_load(&q, e) == -1)
		return -1;
	for (c = s->chunk; rc == 0 && c < s->chunk + s->count; c++)
		if (has_array(c) && !is_done(s, c, q))
			rc = -1;
	if (rc == 0 && s->queue != NULL) {
		queue_free(s->queue->after);
		s->queue->after = q;
	} else {
		queue_free(q);
	}
	if (rc == -1 && !refused)
		error_set(e,
		    "Slurm accepted it, but shows something else: another "
		    "command holds or releases these tasks too; try again");
	return rc;
}

/*
 * Return whether the queue has all tasks to hold or release.  If not, it may be
 * older than their array.
 */
static int
has_all(const struct sending *s, const struct queue *q)
{
	const struct store_chunk *c;
	struct idset_walk walk;
	uint64_t task;
	int64_t index;
	enum want other;

	for (c = s->chunk; c < s->chunk + s->count; c++) {
		other = want_others(s, c);
		walk = (struct idset_walk){0};
		while (has_array(c) && idset_next(&c->tasks, &walk, &task)) {
			if (want(s, c, task, other) == AS_IT_IS)
				continue;
			index = store_chunk_index(c, task);
			if (queue_find(q, c->array,
				index < 0 ? 0 : (uint32_t)index) == NULL)
				return 0;
		}
	}
	return 1;
}

/* Hold and release tasks as requested.  Returns 0 or -1. */
static int
send_holds(const struct sending *s, struct error *e)
{
	const struct queue *before = s->queue != NULL ? s->queue->before : NULL;
	struct queue *q = NULL;
	const struct store_chunk *c;
	int rc, news = 0, refused = 0;

	if (before == NULL || !has_all(s, before)) {
		if (queue_load(&q, e) == -1)
			return -1;
		before = q;
	}
	for (c = s->chunk; c < s->chunk + s->count; c++) {
		rc = has_array(c) ? send_chunk(s, c, before, e) : 0;
		if (rc == -1) {
			queue_free(q);
			return -1;
		}
		news |= rc > 0;
		refused |= rc == 2;
	}
	queue_free(q);
	if (news && look_again(s, refused, e) == -1)
		return -1;
	/* Record that arrays queued held are released now, where requested. */
	for (c = s->chunk; c < s->chunk + s->count; c++)
		if (has_array(c) && strlist_have(&s->held, c->name) &&
		    !strlist_have(&s->released, c->name))
			mark(s->job, "released", c->name, NULL);
	return 0;
}

/* ---- sending ---- */

/* Read the marks of work done so far.  Returns 0 or -1. */
static int
begin(struct sending *s, struct error *e)
{
	int passed = 1;

	if (store_once_list(s->job, "held.", &s->held, e) == -1 ||
	    store_once_list(s->job, "released.", &s->released, e) == -1)
		return -1;
	if (job_has_canary(s->job))
		passed = job_canary_has_passed(s->job, e);
	s->waits_for_canary = passed == 0;
	return passed == -1 ? -1 : 0;
}

static void
finish(struct sending *s)
{
	strlist_free(&s->held);
	strlist_free(&s->released);
}

static struct job_throttle
limit_of(const struct sending *s)
{
	return (struct job_throttle){s->job, s->requests, s->chunk, s->count};
}

/*
 * Send the throttle.  For an array without a claim, the program that claims it
 * sends the throttle or, if that program is killed, a watcher does.
 */
static int
send_parallel(struct sending *s, struct error *e)
{
	const struct store_request *o = store_request_parallel(s->requests);
	const struct job_throttle limit = limit_of(s);
	uint64_t arrays;
	int rc;

	if (o == NULL || o->number <= s->sent)
		return 0;
	if (s->queue != NULL) { /* it changes the queue */
		queue_free(s->queue->after);
		s->queue->after = NULL;
	}
	rc = job_throttle_send(&limit, &arrays, e);
	if (rc != -1 && s->out != NULL)
		s->out->arrays = arrays;
	s->missed |= rc == 1;
	return rc == -1 ? -1 : 0;
}

static int
send_all(const struct store_job *job, struct job_hold_queue *queue,
    struct job_held *out, struct error *e)
{
	struct store_requests requests;
	struct store_chunks chunks;
	struct sending s = {
	    .job = job, .requests = &requests, .out = out, .queue = queue};
	int rc = -1;

	if (store_requests_whole(job, STORE_HOLDS, &requests, e) == -1)
		return -1;
	s.sent = last_sent(job);
	if (store_chunks_list(job, &chunks, e) == 0) {
		s.chunk = chunks.chunk;
		s.count = chunks.count;
		rc = begin(&s, e);
		if (rc == 0)
			rc = send_holds(&s, e);
		if (rc == 0)
			rc = send_parallel(&s, e);
		if (rc == 0) /* damaged chunks got no requests */
			rc = store_directory_whole(&chunks.damaged, e);
		if (rc == 0 && !s.missed)
			rc = mark_sent(job, &requests, e);
		finish(&s);
		store_chunks_free(&chunks);
	}
	store_requests_free(&requests);
	return rc;
}

/* Send Slurm the requests it lacks; out->later says that a retry may do it. */
static int
send_now(const struct store_job *job, struct job_hold_queue *queue,
    struct job_held *out, struct error *e)
{
	struct error why;
	int rc = send_all(job, queue, out, &why);

	if (rc == -1) {
		out->later = queue_is_silent(&why) || error_may_pass(&why);
		error_copy(e, &why);
	}
	return rc;
}

int
job_hold_rest(
    const struct store_job *job, struct job_held *out, struct error *e)
{
	struct store_requests requests;
	int due;

	*out = (struct job_held){0};
	if (store_requests_whole(job, STORE_HOLDS, &requests, e) == -1)
		return -1;
	due = last_sent(job) < store_requests_last(&requests);
	store_requests_free(&requests);
	return due ? send_now(job, NULL, out, e) : 0;
}

/* Refuse new requests while one is damaged: the result would be unknown. */
static int
check_requests(const struct store_job *job, struct error *e)
{
	struct store_requests requests;

	if (store_requests_whole(job, STORE_HOLDS, &requests, e) == -1)
		return -1;
	store_requests_free(&requests);
	return 0;
}

int
job_hold_tasks(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, enum store_request_kind kind,
    struct job_hold_queue *queue, struct job_held *out, struct error *e)
{
	*out = (struct job_held){0};
	if (check_requests(job, e) == -1 ||
	    store_request_add_all(
		job, kind, tasks, store_table_attempt, table, NULL, e) == -1)
		return -1;
	return send_now(job, queue, out, e);
}

int
job_hold_parallel(const struct store_job *job, int64_t parallel,
    struct job_held *out, struct error *e)
{
	const struct store_request request = {
	    .kind = STORE_REQUEST_PARALLEL, .parallel = parallel};

	*out = (struct job_held){0};
	if (check_requests(job, e) == -1 ||
	    store_request_add(job, &request, 1, e) == -1)
		return -1;
	return send_now(job, NULL, out, e);
}

uint64_t
job_hold_count(
    const struct store_requests *requests, const struct store_chunk *c)
{
	struct idset_walk walk = {0};
	uint64_t task, count = 0;

	while (store_requests_last(requests) > 0 &&
	    idset_next(&c->tasks, &walk, &task))
		count += (uint64_t)store_is_held(requests, task, c->attempt);
	return count;
}

int
job_hold_chunk(const struct store_job *job, const struct store_chunk *c,
    int64_t had, struct error *e)
{
	struct store_requests requests;
	struct sending s = {
	    .job = job, .requests = &requests, .chunk = c, .count = 1};
	int rc = 0;

	if (store_requests_whole(job, STORE_HOLDS, &requests, e) == -1)
		return -1;
	if (requests.count > 0) {
		rc = begin(&s, e);
		if (rc == 0)
			rc = send_holds(&s, e);
		finish(&s);
	}
	/* If the job waits for other jobs, a watcher sends the dependency. */
	if (rc == 0 && store_job_after(job)->count == 0)
		rc = job_throttle_keep(job, &requests, c, had, e);
	store_requests_free(&requests);
	return rc;
}

int
job_hold_again(const struct store_job *job, const struct store_chunks *chunks,
    const struct store_requests *requests, const struct queue *q,
    struct error *e)
{
	struct sending s = {.job = job,
	    .requests = requests,
	    .chunk = chunks->chunk,
	    .count = chunks->count};
	const struct job_throttle limit = limit_of(&s);
	int rc, due;
	size_t i;

	if (store_requests_last(requests) == 0)
		return job_throttle_tend(&limit, q, e);
	s.sent = last_sent(job);
	rc = begin(&s, e);
	due = s.sent < store_requests_last(requests);
	for (i = 0; rc == 0 && !due && i < s.count; i++)
		due = has_array(&s.chunk[i]) && !is_done(&s, &s.chunk[i], q);
	if (rc == 0 && due)
		rc = send_holds(&s, e);
	if (rc == 0 && due)
		rc = send_parallel(&s, e);
	if (rc == 0 && !due)
		rc = job_throttle_tend(&limit, q, e);
	if (rc == 0 && due && s.sent < store_requests_last(requests) &&
	    !s.missed && chunks->damaged.count == 0)
		rc = mark_sent(job, requests, e);
	finish(&s);
	return rc;
}
