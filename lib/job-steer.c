#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job-array.h"
#include "job-canary.h"
#include "job-chunk.h"
#include "job-lanes.h"
#include "job-queue-chunk.h"
#include "job-queue-words.h"
#include "job-steer.h"
#include "num.h"
#include "queue-hold.h"
#include "queue-steer.h"
#include "store-mark.h"
#include "store-part.h"
#include "xalloc.h"

/* All that is known while Slurm is told. */
struct desk {
	const struct store_job *job;
	const struct store_orders *orders;
	const struct store_chunk *chunk;
	size_t count;        /* of chunks */
	uint64_t told;       /* orders up to this one were carried out */
	int unclaimed;       /* not of all arrays, which may come yet */
	struct words held;   /* chunks that came into the queue held ... */
	struct words let_go; /* ... and were let go */
	int waits_for_canary;
	struct job_steered *out; /* or NULL */
};

const char job_steer_later[] =
    "the order is recorded, but Slurm does not answer: stfm-watch will tell "
    "it, or run this again";

/* ---- marks ---- */

static int
mark(const struct store_job *job, const char *what, const char *of,
    struct error *e)
{
	char *name = xasprintf("%s.%s", what, of);
	int rc = store_mark(job, name, NULL, e);

	free(name);
	return rc == -1 ? -1 : 0;
}

static uint64_t
last_told(const struct store_job *job)
{
	struct words marks = {0};
	int64_t last = 0, n;
	size_t i;

	store_marks(job, "told.", &marks, NULL);
	for (i = 0; i < marks.count; i++)
		if (num_int("it", marks.word[i], 1, INT64_MAX, &n, NULL) == 0 &&
		    n > last)
			last = n;
	words_free(&marks);
	return (uint64_t)last;
}

static uint64_t
last_order(const struct store_orders *orders)
{
	return orders->count > 0 ? orders->order[orders->count - 1].number : 0;
}

/* Slurm knows of all orders that there are. */
static int
mark_told(const struct store_job *job, const struct store_orders *orders,
    struct error *e)
{
	char *number = xasprintf("%06" PRIu64, last_order(orders));
	int rc = mark(job, "told", number, e);

	free(number);
	return rc;
}

int
job_steer_begin(const struct store_job *job, const struct store_chunk *chunk,
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
	const struct store_order *o =
	    store_order_for(d->orders, task, c->attempt);
	enum want w = other;

	if (o != NULL && o->kind == STORE_ORDER_HOLD)
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
    enum want w, struct ranges *hold, struct ranges *release)
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
		ranges_add(hold, index, index);
	if (w == FREE && by != QUEUE_FREE && by != QUEUE_HELD_BY_ADMIN)
		ranges_add(release, index, index);
}

/* The indices of a chunk about which Slurm has to be told. */
static void
aim(const struct desk *d, const struct store_chunk *c, const struct queue *q,
    struct ranges *hold, struct ranges *release)
{
	enum want other =
	    words_have(&d->held, c->name) && !words_have(&d->let_go, c->name)
	    ? FREE
	    : AS_IT_IS;
	uint64_t pack = c->pack > 1 ? (uint64_t)c->pack : 1, seen = 0, task;
	uint64_t size = ranges_size(&c->tasks);
	struct ranges_walk walk = {0};
	enum want w = AS_IT_IS;

	memset(hold, 0, sizeof *hold);
	memset(release, 0, sizeof *release);
	while (ranges_next(&c->tasks, &walk, &task)) {
		w = both(w, want(d, c, task, other));
		if (++seen % pack != 0 && seen < size)
			continue;
		aim_at(c, q, (seen - 1) / pack, w, hold, release);
		w = AS_IT_IS;
	}
}

/*
 * Tell Slurm about one chunk: 0, 1 when there was something to tell, which may
 * have been done in part, or -1 when Slurm does not answer.
 */
static int
tell_chunk(const struct desk *d, const struct store_chunk *c,
    const struct queue *q, struct error *e)
{
	int alone = store_chunk_at(c, 0) < 0, rc = 0, number = 0;
	struct ranges hold, release;

	aim(d, c, q, &hold, &release);
	if (hold.count > 0 &&
	    queue_hold(c->array, alone ? NULL : &hold, c->token, e) == -1)
		number = errno;
	if (number != EAGAIN && release.count > 0 &&
	    queue_release(c->array, alone ? NULL : &release, c->token, e) == -1)
		number = errno;
	if (hold.count > 0 || release.count > 0)
		rc = number == EAGAIN || number == ENOENT ? -1 : 1;
	ranges_free(&hold);
	ranges_free(&release);
	errno = number;
	return rc;
}

/* Whether there is nothing left to tell of a chunk. */
static int
is_done(
    const struct desk *d, const struct store_chunk *c, const struct queue *q)
{
	struct ranges hold, release;
	int done;

	aim(d, c, q, &hold, &release);
	done = hold.count == 0 && release.count == 0;
	ranges_free(&hold);
	ranges_free(&release);
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
		if (has_array(c) && words_have(&d->held, c->name) &&
		    !words_have(&d->let_go, c->name))
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
	errno = EIO;
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
		news |= rc;
		refused |= rc == 1 && errno != 0;
	}
	queue_free(q);
	if (news && look_again(d, refused, e) == -1)
		return -1;
	note_let_go(d);
	return 0;
}

/* ---- how many at once ---- */

/* How many indices of a chunk can run at once, with such a throttle. */
static int64_t
width_of(const struct store_chunk *c, int64_t share, int64_t limit)
{
	int64_t width = (int64_t)store_chunk_size(c);

	if (share > 0 && share < width)
		width = share;
	return limit > 0 && limit < width ? limit : width;
}

int64_t
job_steer_indices(
    const struct store_job *job, const struct store_orders *orders)
{
	return job_chunk_indices(job, store_order_limit(job, orders));
}

/* What the job was not cut into when it was submitted: arg is the job. */
static int
came_later(const char *chunk, const void *arg)
{
	const struct store_chunk c = {.name = (char *)(uintptr_t)chunk};
	const struct store_job *job = arg;

	return *chunk != 'c' ||
	    job_chunk_number(&c) >= job_chunk_first_count(job);
}

int
job_steer_beside(const struct store_job *job, const struct store_orders *orders,
    const struct store_chunk *c, struct store_chunks *out, struct error *e)
{
	memset(out, 0, sizeof *out);
	if (store_order_parallel(orders) == NULL &&
	    (job->parallel == 0 || job_steer_indices(job, orders) == 0))
		return 0;
	if (store_order_parallel(orders) == NULL && !came_later(c->name, job))
		return store_chunks_some(job, came_later, job, out, e);
	return store_chunks_list(job, out, e);
}

/* Those in the queue that came before a chunk: all, unless it is there. */
static size_t
count_before(const struct job_lanes *lanes, const struct store_chunk *c)
{
	size_t i;

	for (i = 0; i < lanes->count; i++)
		if (c->array != 0 && lanes->lane[i].chunk->array >= c->array)
			return i;
	return lanes->count;
}

/* A watcher lets one grow that begins with less, where that is ordered. */
static int64_t
begin_with(
    const struct job_lanes *lanes, size_t before, int64_t limit, int64_t share)
{
	int64_t room = job_lanes_room(lanes, before, limit);

	return limit > 0 && room > 0 && room < share ? room : share;
}

int64_t
job_steer_share(const struct store_job *job, const struct store_orders *orders,
    const struct store_chunk *c, const struct store_chunks *beside,
    const struct queue *q, char **after)
{
	int64_t limit = job_steer_indices(job, orders), share = c->throttle;
	struct job_lanes lanes;
	size_t before, wait, count = 0, i;

	job_lanes_find(job, beside, q, &lanes);
	before = count_before(&lanes, c);
	for (i = 0; i < before; i++)
		count += !lanes.lane[i].waits;
	if (store_order_parallel(orders) != NULL)
		share = begin_with(&lanes, before, limit,
		    job_chunk_share(limit, count, count + 1));
	wait = job_lanes_wait(&lanes, before, limit, width_of(c, share, limit));
	*after = wait > 0 ? job_lanes_dependency(&lanes, wait) : NULL;
	job_lanes_free(&lanes);
	return share;
}

/* Slurm refuses where an array has ended meanwhile. */
static int
is_over(const struct store_chunk *c)
{
	struct queue *q;
	int over;

	if (queue_load(&q, NULL) == -1)
		return 0;
	over = !job_array_is_alive(q, c->array, c->token);
	queue_free(q);
	return over;
}

static int
throttle(const struct store_chunk *c, int64_t most, struct error *e)
{
	int number;

	if (queue_throttle(c->array, c->token, most, e) == 0)
		return 0;
	number = errno;
	if (number == EIO && is_over(c))
		return 0;
	errno = number;
	return -1;
}

static int
waits(const struct store_job *job, const struct store_chunk *c,
    const struct queue *q)
{
	const struct store_chunks one = {
	    .chunk = (struct store_chunk *)(uintptr_t)c, .count = 1};
	struct job_lanes lanes;
	int waits;

	job_lanes_find(job, &one, q, &lanes);
	waits = lanes.count > 0 && lanes.lane[0].waits;
	job_lanes_free(&lanes);
	return waits;
}

static int
waits_no_more(const struct store_job *job, const struct store_chunk *c)
{
	struct queue *q;
	int no_more;

	if (queue_load(&q, NULL) == -1)
		return 0;
	no_more = !waits(job, c, q);
	queue_free(q);
	return no_more;
}

static int
is_ordered(const struct desk *d)
{
	return store_order_parallel(d->orders) != NULL;
}

static int64_t
limit_of(const struct desk *d)
{
	return job_steer_indices(d->job, d->orders);
}

static void
find_lanes(const struct desk *d, const struct queue *q, struct job_lanes *out)
{
	const struct store_chunks all = {
	    .chunk = (struct store_chunk *)(uintptr_t)d->chunk,
	    .count = d->count};

	job_lanes_find(d->job, &all, q, out);
}

static int
depend(const struct desk *d, const struct store_chunk *c, const char *more,
    struct error *e)
{
	char *on = job_queue_dependency(d->job, c, more);
	int rc = queue_depend(c->array, c->token, on, e), number = errno;

	free(on);
	/* Slurm refuses where it waits no longer. */
	if (rc == -1 && number == EIO && waits_no_more(d->job, c))
		return 0;
	errno = number;
	return rc;
}

/* Place one that waits behind those before it: all says also where it stays. */
static int
place(const struct desk *d, struct job_lanes *lanes, size_t i, int all,
    struct error *e)
{
	struct job_lane *l = &lanes->lane[i];
	int64_t limit = limit_of(d), had = l->throttle;
	size_t wait;
	char *on;
	int rc = 0;

	if (limit > 0 && (had <= 0 || had > limit))
		l->throttle = limit;
	if (is_ordered(d))
		l->throttle = begin_with(lanes, i, limit, l->throttle);
	wait = job_lanes_behind(lanes, i, limit);
	if (wait > 0 && !all)
		return 0;
	if (l->throttle != had)
		rc = throttle(l->chunk, l->throttle, e);
	on = wait > 0 ? job_lanes_dependency(lanes, wait) : NULL;
	if (rc == 0)
		rc = depend(d, l->chunk, on, e);
	free(on);
	l->waits = wait > 0;
	return rc;
}

/* Whether an array does not wait, and Slurm has another share for it. */
static int
differs(const struct job_lane *l, int all)
{
	if (l->waits || store_chunk_at(l->chunk, 0) < 0)
		return 0;
	return l->share != l->throttle &&
	    (all || (l->throttle != -1 && l->running < l->alive));
}

/* Whether a share is less than what Slurm lets run. */
static int
is_less(const struct job_lane *l)
{
	return l->share != 0 && (l->throttle <= 0 || l->share < l->throttle);
}

/* First what is to have less, and then what is to have more. */
static int
tell_shares(struct job_lanes *lanes, int less, int all, struct error *e)
{
	struct job_lane *l;
	int rc = 0;

	for (l = lanes->lane; rc == 0 && l < lanes->lane + lanes->count; l++)
		if (differs(l, all) && is_less(l) == less) {
			rc = throttle(l->chunk, l->share, e);
			l->throttle = l->share;
		}
	return rc;
}

/* Share the limit, where it was ordered: less goes before more. */
static int
share_out(const struct desk *d, struct job_lanes *lanes, int more, int all,
    struct error *e)
{
	size_t count = job_lanes_share(lanes, limit_of(d));
	int rc = 0;

	if (d->out != NULL)
		d->out->arrays = count;
	if (is_ordered(d))
		rc = tell_shares(lanes, 1, all, e);
	if (rc == 0 && is_ordered(d) && more)
		rc = tell_shares(lanes, 0, all, e);
	return rc;
}

/*
 * Tell Slurm of each array how many of it may run at once and, where it waits,
 * for which.  all says that something else holds for all of them.
 */
static int
tell_lanes(
    const struct desk *d, struct job_lanes *lanes, int all, struct error *e)
{
	int rc = share_out(d, lanes, 0, all, e);
	size_t i;

	for (i = 0; rc == 0 && i < lanes->count; i++)
		if (lanes->lane[i].waits)
			rc = place(d, lanes, i, all, e);
	return rc == 0 ? share_out(d, lanes, 1, all, e) : rc;
}

/* Whether that would tell Slurm anything. */
static int
is_amiss(const struct desk *d, struct job_lanes *lanes)
{
	const struct job_lane *l;
	int64_t limit = limit_of(d);
	size_t i;

	job_lanes_share(lanes, limit);
	for (i = 0; i < lanes->count; i++) {
		l = &lanes->lane[i];
		if (l->waits &&
		    (job_lanes_behind(lanes, i, limit) == 0 ||
			(is_ordered(d) && job_lanes_room(lanes, i, limit) > 0)))
			return 1;
		if (is_ordered(d) && differs(l, 0))
			return 1;
	}
	return 0;
}

/*
 * Whether an array may be in the queue that nobody has claimed: sbatch was told
 * what was ordered when it was called, and nothing since.
 */
static int
may_be_unclaimed(
    const struct store_chunk *c, const struct queue *q, int64_t now)
{
	uint32_t array;

	return c->claim == STORE_OPEN && c->tries > 0 && !c->refused &&
	    (now - c->tried < JOB_SBATCH_SECONDS ||
		queue_find_token(q, c->token, &array));
}

/* 0, or -1 also when it is not known. */
static int
note_unclaimed(struct desk *d, const struct queue *q, struct error *e)
{
	const struct store_chunk *c;
	int64_t now;

	if (fs_now(d->job->dir, &now, e) == -1)
		return -1;
	for (c = d->chunk; c < d->chunk + d->count; c++)
		d->unclaimed |= may_be_unclaimed(c, q, now);
	return 0;
}

/* Who claims an array later tells it, or, if that is killed, a watcher. */
static int
tell_parallel(struct desk *d, struct error *e)
{
	const struct store_order *o = store_order_parallel(d->orders);
	struct job_lanes lanes;
	struct queue *q;
	int rc;

	if (o == NULL || o->number <= d->told)
		return 0;
	if (queue_load(&q, e) == -1)
		return -1;
	rc = note_unclaimed(d, q, e);
	if (rc == 0) {
		find_lanes(d, q, &lanes);
		rc = tell_lanes(d, &lanes, 1, e);
		job_lanes_free(&lanes);
	}
	queue_free(q);
	return rc;
}

/*
 * What Slurm has forgotten, and what need not wait any more.  q is what a pass
 * knows; before something is changed it is looked at anew.
 */
static int
tend_lanes(struct desk *d, const struct queue *q, struct error *e)
{
	struct job_lanes lanes;
	struct queue *now = NULL;
	int rc = 0, due;

	if (limit_of(d) == 0 && !is_ordered(d))
		return 0;
	find_lanes(d, q, &lanes);
	due = is_amiss(d, &lanes);
	job_lanes_free(&lanes);
	if (!due)
		return 0;
	if (queue_load(&now, e) == -1)
		return -1;
	find_lanes(d, now, &lanes);
	rc = tell_lanes(d, &lanes, 0, e);
	job_lanes_free(&lanes);
	queue_free(now);
	return rc;
}

/* ---- telling ---- */

/* The marks that tell what has been done; -1 when nobody knows. */
static int
open_desk(struct desk *d, struct error *e)
{
	int passed = 1;

	if (store_marks(d->job, "held.", &d->held, e) == -1 ||
	    store_marks(d->job, "released.", &d->let_go, e) == -1)
		return -1;
	if (job_has_canary(d->job))
		passed = job_canary_has_passed(d->job, e);
	d->waits_for_canary = passed == 0;
	return passed == -1 ? -1 : 0;
}

static void
close_desk(struct desk *d)
{
	words_free(&d->held);
	words_free(&d->let_go);
}

static int
tell(const struct store_job *job, struct job_steered *out, struct error *e)
{
	struct store_orders orders;
	struct store_chunks chunks;
	struct desk d = {.job = job, .orders = &orders, .out = out};
	int rc = -1, number = EIO;

	if (store_orders_whole(job, &orders, e) == -1)
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
		if (rc == -1)
			number = errno;
		else /* of tasks in a chunk that is damaged nobody was told */
			rc = store_part_whole(&chunks.damaged, e);
		if (rc == 0 && !d.unclaimed)
			rc = mark_told(job, &orders, e);
		close_desk(&d);
		store_chunks_free(&chunks);
	}
	store_orders_free(&orders);
	errno = number;
	return rc;
}

static int
tell_now(const struct store_job *job, struct job_steered *out, struct error *e)
{
	int rc = tell(job, out, e);

	out->later = rc == -1 && (errno == EAGAIN || errno == ENOENT);
	return rc;
}

int
job_steer_rest(
    const struct store_job *job, struct job_steered *out, struct error *e)
{
	struct store_orders orders;
	int due;

	*out = (struct job_steered){0};
	if (store_orders_whole(job, &orders, e) == -1)
		return -1;
	due = last_told(job) < last_order(&orders);
	store_orders_free(&orders);
	return due ? tell_now(job, out, e) : 0;
}

/* Nobody knows what an order would change beside one that is damaged. */
static int
check_orders(const struct store_job *job, struct error *e)
{
	struct store_orders orders;

	if (store_orders_whole(job, &orders, e) == -1)
		return -1;
	store_orders_free(&orders);
	return 0;
}

int
job_steer_hold(const struct store_job *job, const struct store_fold *fold,
    const struct ranges *tasks, enum store_order_kind kind,
    struct job_steered *out, struct error *e)
{
	*out = (struct job_steered){0};
	if (check_orders(job, e) == -1 ||
	    store_order_all(job, kind, tasks, store_fold_attempt, fold, e) ==
		-1)
		return -1;
	return tell_now(job, out, e);
}

int
job_steer_parallel(const struct store_job *job, int64_t parallel,
    struct job_steered *out, struct error *e)
{
	const struct store_order order = {
	    .kind = STORE_ORDER_PARALLEL, .parallel = parallel};

	*out = (struct job_steered){0};
	if (check_orders(job, e) == -1 || store_order(job, &order, e) == -1)
		return -1;
	return tell_now(job, out, e);
}

uint64_t
job_steer_count_held(
    const struct store_orders *orders, const struct store_chunk *c)
{
	struct ranges_walk walk = {0};
	uint64_t task, count = 0;

	while (orders->count > 0 && ranges_next(&c->tasks, &walk, &task))
		count += (uint64_t)store_is_held(orders, task, c->attempt);
	return count;
}

/*
 * An order, or another array, that came while it was being queued.  Only those
 * before it count: of two that came at once the second waits.
 */
static int
keep_to_limit(const struct desk *d, int64_t had, struct error *e)
{
	const struct store_chunk *c = d->chunk;
	struct store_chunks beside;
	struct queue *q = NULL;
	char *after = NULL;
	int64_t share;
	int rc = job_steer_beside(d->job, d->orders, c, &beside, e);

	if (rc == 0 && beside.count > 0)
		rc = queue_load(&q, e);
	if (rc == 0 && q != NULL) {
		share =
		    job_steer_share(d->job, d->orders, c, &beside, q, &after);
		if (share != had && store_order_parallel(d->orders) != NULL)
			rc = throttle(c, share, e);
		if (rc == 0 && after != NULL && !waits(d->job, c, q))
			rc = depend(d, c, after, e);
	}
	free(after);
	queue_free(q);
	store_chunks_free(&beside);
	return rc;
}

int
job_steer_chunk(const struct store_job *job, const struct store_chunk *c,
    int64_t had, struct error *e)
{
	struct store_orders orders;
	struct desk d = {.job = job, .orders = &orders, .chunk = c, .count = 1};
	int rc = 0;

	if (store_orders_whole(job, &orders, e) == -1)
		return -1;
	if (orders.count > 0) {
		rc = open_desk(&d, e);
		if (rc == 0)
			rc = tell_holds(&d, e);
		close_desk(&d);
	}
	/* What one waits for that waits for other jobs a watcher tells. */
	if (rc == 0 && job->after.count == 0)
		rc = keep_to_limit(&d, had, e);
	store_orders_free(&orders);
	return rc;
}

int
job_steer_again(const struct store_job *job, const struct store_chunks *chunks,
    const struct store_orders *orders, const struct queue *q, struct error *e)
{
	struct desk d = {.job = job,
	    .orders = orders,
	    .chunk = chunks->chunk,
	    .count = chunks->count};
	int rc, due;
	size_t i;

	if (orders->count == 0)
		return tend_lanes(&d, q, e);
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
		rc = tend_lanes(&d, q, e);
	if (rc == 0 && due && d.told < last_order(orders) && !d.unclaimed &&
	    chunks->damaged.count == 0)
		rc = mark_told(job, orders, e);
	close_desk(&d);
	return rc;
}
