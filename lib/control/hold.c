#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "control/canary.h"
#include "control/hold.h"
#include "control/throttle.h"
#include "job/chunk.h"
#include "slurm/hold.h"
#include "slurm/steer.h"
#include "store/directory.h"
#include "store/once.h"

/* All that is known while Slurm is told. */
struct desk {
	const struct store_job *job;
	const struct store_requests *orders;
	const struct store_chunk *chunk;
	size_t count;          /* of chunks */
	uint64_t told;         /* orders up to this one were carried out */
	int unheard;           /* an array may come yet that has not heard */
	struct strlist held;   /* chunks that came into the queue held ... */
	struct strlist let_go; /* ... and were let go */
	int waits_for_canary;
	struct job_held *out; /* or NULL */
};

const char job_hold_later[] =
    "the order is recorded, but Slurm does not answer: stfm-watch will tell "
    "it, or run this again";

/* ---- marks ---- */

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
last_told(const struct store_job *job)
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

static uint64_t
last_order(const struct store_requests *orders)
{
	return orders->count > 0 ? orders->order[orders->count - 1].number : 0;
}

/* Slurm knows of all orders that there are. */
static int
mark_told(const struct store_job *job, const struct store_requests *orders,
    struct error *e)
{
	char *number = xasprintf("%06" PRIu64, last_order(orders));
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

/* ---- what is to be held ---- */

enum want { AS_IT_IS, HELD, FREE };

/* What Slurm is to do about a task that waits; other is for no order. */
static enum want
want(const struct desk *d, const struct store_chunk *c, uint64_t task,
    enum want other)
{
	const struct store_request *o =
	    store_request_for(d->orders, task, c->attempt);
	enum want w = other;

	if (o != NULL && o->kind == STORE_REQUEST_HOLD)
		return HELD;
	if (o != NULL && o->number > d->told)
		w = FREE;
	if (w == FREE && d->waits_for_canary && job_canary_holds(c))
		return AS_IT_IS;
	return w;
}

/* Which of two holds for tasks at one index: all are held where one is. */
static enum want
both(enum want a, enum want b)
{
	if (a == HELD || b == HELD)
		return HELD;
	return a == FREE || b == FREE ? FREE : AS_IT_IS;
}

/* Add an index to what is to be held or released, unless it is. */
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

/* The indices of a chunk about which Slurm has to be told. */
static void
aim(const struct desk *d, const struct store_chunk *c, const struct queue *q,
    struct idset *hold, struct idset *release)
{
	enum want other = strlist_have(&d->held, c->name) &&
		!strlist_have(&d->let_go, c->name)
	    ? FREE
	    : AS_IT_IS;
	uint64_t pack = c->pack > 1 ? (uint64_t)c->pack : 1, seen = 0, task;
	uint64_t size = idset_size(&c->tasks);
	struct idset_walk walk = {0};
	enum want w = AS_IT_IS;

	memset(hold, 0, sizeof *hold);
	memset(release, 0, sizeof *release);
	while (idset_next(&c->tasks, &walk, &task)) {
		w = both(w, want(d, c, task, other));
		if (++seen % pack != 0 && seen < size)
			continue;
		aim_at(c, q, (seen - 1) / pack, w, hold, release);
		w = AS_IT_IS;
	}
}

/*
 * Tell Slurm about one chunk.  Returns 0 if there was nothing to tell, 1 if it
 * was done, 2 if Slurm refused all or a part, with the reason in e, or -1 if
 * Slurm did not answer.
 */
static int
tell_chunk(const struct desk *d, const struct store_chunk *c,
    const struct queue *q, struct error *e)
{
	int alone = store_chunk_at(c, 0) < 0, rc = 0;
	struct error why = {""};
	struct idset hold, release;

	aim(d, c, q, &hold, &release);
	if (hold.count > 0)
		rc = queue_hold(c->array, alone ? NULL : &hold, c->token, &why);
	if (why.code != ERROR_LATER && release.count > 0 &&
	    queue_release(c->array, alone ? NULL : &release, c->token, &why) ==
		-1)
		rc = -1;
	if (rc == -1) {
		error_copy(e, &why);
		rc = why.code == ERROR_LATER || why.code == ERROR_ABSENT ? -1
									 : 2;
	} else if (hold.count > 0 || release.count > 0) {
		rc = 1;
	}
	idset_free(&hold);
	idset_free(&release);
	return rc;
}

/* Whether there is nothing left to tell of a chunk. */
static int
is_done(
    const struct desk *d, const struct store_chunk *c, const struct queue *q)
{
	struct idset hold, release;
	int done;

	aim(d, c, q, &hold, &release);
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

/* What came into the queue held, so that some of it may be let go, is so. */
static void
note_let_go(const struct desk *d)
{
	const struct store_chunk *c;

	for (c = d->chunk; c < d->chunk + d->count; c++)
		if (has_array(c) && strlist_have(&d->held, c->name) &&
		    !strlist_have(&d->let_go, c->name))
			mark(d->job, "released", c->name, NULL);
}

/*
 * Look whether all is done.  A refusal, of which e tells, may have been of one
 * task only, which began.
 */
static int
look_again(const struct desk *d, int refused, struct error *e)
{
	const struct store_chunk *c;
	struct queue *q;
	int rc = 0;

	if (queue_load(&q, e) == -1)
		return -1;
	for (c = d->chunk; rc == 0 && c < d->chunk + d->count; c++)
		if (has_array(c) && !is_done(d, c, q))
			rc = -1;
	queue_free(q);
	if (rc == -1 && !refused)
		error_set(e,
		    "Slurm did it and shows it otherwise: somebody else "
		    "holds or releases these tasks as well; run this again");
	return rc;
}

/* Hold and release what is to be: 0, or -1. */
static int
tell_holds(const struct desk *d, struct error *e)
{
	struct queue *q = NULL;
	const struct store_chunk *c;
	int rc, news = 0, refused = 0;

	if (queue_load(&q, e) == -1)
		return -1;
	for (c = d->chunk; c < d->chunk + d->count; c++) {
		rc = has_array(c) ? tell_chunk(d, c, q, e) : 0;
		if (rc == -1) {
			queue_free(q);
			return -1;
		}
		news |= rc > 0;
		refused |= rc == 2;
	}
	queue_free(q);
	if (news && look_again(d, refused, e) == -1)
		return -1;
	note_let_go(d);
	return 0;
}

/* ---- telling ---- */

/* The marks that tell what has been done; -1 when nobody knows. */
static int
open_desk(struct desk *d, struct error *e)
{
	int passed = 1;

	if (store_once_list(d->job, "held.", &d->held, e) == -1 ||
	    store_once_list(d->job, "released.", &d->let_go, e) == -1)
		return -1;
	if (job_has_canary(d->job))
		passed = job_canary_has_passed(d->job, e);
	d->waits_for_canary = passed == 0;
	return passed == -1 ? -1 : 0;
}

static void
close_desk(struct desk *d)
{
	strlist_free(&d->held);
	strlist_free(&d->let_go);
}

static struct job_throttle
limit_of(const struct desk *d)
{
	return (struct job_throttle){d->job, d->orders, d->chunk, d->count};
}

/* Who claims an array later tells it, or, if that is killed, a watcher. */
static int
tell_parallel(struct desk *d, struct error *e)
{
	const struct store_request *o = store_request_parallel(d->orders);
	const struct job_throttle limit = limit_of(d);
	uint64_t arrays;
	int rc;

	if (o == NULL || o->number <= d->told)
		return 0;
	rc = job_throttle_tell(&limit, &arrays, e);
	if (rc != -1 && d->out != NULL)
		d->out->arrays = arrays;
	d->unheard |= rc == 1;
	return rc == -1 ? -1 : 0;
}

static int
tell(const struct store_job *job, struct job_held *out, struct error *e)
{
	struct store_requests orders;
	struct store_chunks chunks;
	struct desk d = {.job = job, .orders = &orders, .out = out};
	int rc = -1;

	if (store_requests_whole(job, &orders, e) == -1)
		return -1;
	d.told = last_told(job);
	if (store_chunks_list(job, &chunks, e) == 0) {
		d.chunk = chunks.chunk;
		d.count = chunks.count;
		rc = open_desk(&d, e);
		if (rc == 0)
			rc = tell_holds(&d, e);
		if (rc == 0)
			rc = tell_parallel(&d, e);
		if (rc ==
		    0) /* of tasks in a chunk that is damaged nobody was told */
			rc = store_directory_whole(&chunks.damaged, e);
		if (rc == 0 && !d.unheard)
			rc = mark_told(job, &orders, e);
		close_desk(&d);
		store_chunks_free(&chunks);
	}
	store_requests_free(&orders);
	return rc;
}

static int
tell_now(const struct store_job *job, struct job_held *out, struct error *e)
{
	struct error why;
	int rc = tell(job, out, &why);

	if (rc == -1) {
		out->later =
		    why.code == ERROR_LATER || why.code == ERROR_ABSENT;
		error_copy(e, &why);
	}
	return rc;
}

int
job_hold_rest(
    const struct store_job *job, struct job_held *out, struct error *e)
{
	struct store_requests orders;
	int due;

	*out = (struct job_held){0};
	if (store_requests_whole(job, &orders, e) == -1)
		return -1;
	due = last_told(job) < last_order(&orders);
	store_requests_free(&orders);
	return due ? tell_now(job, out, e) : 0;
}

/* Nobody knows what an order would change beside one that is damaged. */
static int
check_orders(const struct store_job *job, struct error *e)
{
	struct store_requests orders;

	if (store_requests_whole(job, &orders, e) == -1)
		return -1;
	store_requests_free(&orders);
	return 0;
}

int
job_hold_tasks(const struct store_job *job, const struct store_table *fold,
    const struct idset *tasks, enum store_request_kind kind,
    struct job_held *out, struct error *e)
{
	*out = (struct job_held){0};
	if (check_orders(job, e) == -1 ||
	    store_request_add_all(
		job, kind, tasks, store_table_attempt, fold, e) == -1)
		return -1;
	return tell_now(job, out, e);
}

int
job_hold_parallel(const struct store_job *job, int64_t parallel,
    struct job_held *out, struct error *e)
{
	const struct store_request order = {
	    .kind = STORE_REQUEST_PARALLEL, .parallel = parallel};

	*out = (struct job_held){0};
	if (check_orders(job, e) == -1 ||
	    store_request_add(job, &order, e) == -1)
		return -1;
	return tell_now(job, out, e);
}

uint64_t
job_hold_count(const struct store_requests *orders, const struct store_chunk *c)
{
	struct idset_walk walk = {0};
	uint64_t task, count = 0;

	while (orders->count > 0 && idset_next(&c->tasks, &walk, &task))
		count += (uint64_t)store_is_held(orders, task, c->attempt);
	return count;
}

int
job_hold_chunk(const struct store_job *job, const struct store_chunk *c,
    int64_t had, struct error *e)
{
	struct store_requests orders;
	struct desk d = {.job = job, .orders = &orders, .chunk = c, .count = 1};
	int rc = 0;

	if (store_requests_whole(job, &orders, e) == -1)
		return -1;
	if (orders.count > 0) {
		rc = open_desk(&d, e);
		if (rc == 0)
			rc = tell_holds(&d, e);
		close_desk(&d);
	}
	/* What one waits for that waits for other jobs a watcher tells. */
	if (rc == 0 && job->after.count == 0)
		rc = job_throttle_keep(job, &orders, c, had, e);
	store_requests_free(&orders);
	return rc;
}

int
job_hold_again(const struct store_job *job, const struct store_chunks *chunks,
    const struct store_requests *orders, const struct queue *q, struct error *e)
{
	struct desk d = {.job = job,
	    .orders = orders,
	    .chunk = chunks->chunk,
	    .count = chunks->count};
	const struct job_throttle limit = limit_of(&d);
	int rc, due;
	size_t i;

	if (orders->count == 0)
		return job_throttle_tend(&limit, q, e);
	d.told = last_told(job);
	rc = open_desk(&d, e);
	due = d.told < last_order(orders);
	for (i = 0; rc == 0 && !due && i < d.count; i++)
		due = has_array(&d.chunk[i]) && !is_done(&d, &d.chunk[i], q);
	if (rc == 0 && due)
		rc = tell_holds(&d, e);
	if (rc == 0 && due)
		rc = tell_parallel(&d, e);
	if (rc == 0 && !due)
		rc = job_throttle_tend(&limit, q, e);
	if (rc == 0 && due && d.told < last_order(orders) && !d.unheard &&
	    chunks->damaged.count == 0)
		rc = mark_told(job, orders, e);
	close_desk(&d);
	return rc;
}
