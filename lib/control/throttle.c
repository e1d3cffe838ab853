#include <stdlib.h>
#include <string.h>

#include "control/chunk.h"
#include "control/claim.h"
#include "control/sbatch-argv.h"
#include "control/throttle-share.h"
#include "control/throttle.h"
#include "slurm/queue.h"
#include "slurm/update-array.h"
#include "store/chunk.h"
#include "sys/fs.h"

/* Return how many indices of a chunk can run at once. */
static int64_t
width_of(const struct store_chunk *c, int64_t share, int64_t limit)
{
	int64_t width = (int64_t)store_chunk_size(c);

	if (share > 0 && share < width)
		width = share;
	return limit > 0 && limit < width ? limit : width;
}

int64_t
job_throttle_indices(
    const struct store_job *job, const struct store_requests *requests)
{
	return job_chunk_indices(job, store_request_limit(job, requests));
}

/* Return whether a chunk was made after the submission; arg is the job. */
static int
came_later(const char *chunk, const void *arg)
{
	const struct store_chunk c = {.name = (char *)(uintptr_t)chunk};
	const struct store_job *job = arg;

	return *chunk != 'c' ||
	    job_chunk_number(&c) >= job_chunk_first_count(job);
}

int
job_throttle_others(const struct store_job *job,
    const struct store_requests *requests, const struct store_chunk *c,
    struct store_chunks *out, struct error *e)
{
	memset(out, 0, sizeof *out);
	if (store_request_parallel(requests) == NULL &&
	    (store_job_parallel(job) == 0 ||
		job_throttle_indices(job, requests) == 0))
		return 0;
	if (store_request_parallel(requests) == NULL &&
	    !came_later(c->name, job))
		return store_chunks_some(job, came_later, job, out, e);
	return store_chunks_list(job, out, e);
}

/* Count the queued arrays before chunk c: all, if c is not queued. */
static size_t
count_before(
    const struct job_throttle_shares *shares, const struct store_chunk *c)
{
	size_t i;

	for (i = 0; i < shares->count; i++)
		if (c->array != 0 && shares->item[i].chunk->array >= c->array)
			return i;
	return shares->count;
}

/* Return the share to start with; a watcher raises it later. */
static int64_t
begin_with(const struct job_throttle_shares *shares, size_t before,
    int64_t limit, int64_t share)
{
	int64_t room = job_throttle_shares_room(shares, before, limit);

	return limit > 0 && room > 0 && room < share ? room : share;
}

int64_t
job_throttle_share(const struct store_job *job,
    const struct store_requests *requests, const struct store_chunk *c,
    const struct store_chunks *others, const struct queue *q, char **after)
{
	int64_t limit = job_throttle_indices(job, requests),
		share = c->throttle;
	struct job_throttle_shares shares;
	size_t before, wait, count = 0, i;

	job_throttle_shares_find(job, others, q, &shares);
	before = count_before(&shares, c);
	for (i = 0; i < before; i++)
		count += !shares.item[i].waits;
	if (store_request_parallel(requests) != NULL)
		share = begin_with(&shares, before, limit,
		    job_chunk_share(limit, count, count + 1));
	wait = job_throttle_shares_wait(
	    &shares, before, limit, width_of(c, share, limit));
	*after =
	    wait > 0 ? job_throttle_shares_dependency(&shares, wait) : NULL;
	job_throttle_shares_free(&shares);
	return share;
}

/*
 * Return whether an array has ended, for which Slurm refuses requests, or -1 if
 * Slurm does not answer.
 */
static int
is_over(const struct store_chunk *c, struct error *e)
{
	struct queue *q;
	int over;

	if (queue_load(&q, e) == -1)
		return -1;
	over = !job_claim_is_alive(q, c->array, c->token);
	queue_free(q);
	return over;
}

static int
throttle(const struct store_chunk *c, int64_t most, struct error *e)
{
	struct error why;

	if (queue_throttle(c->array, c->token, most, &why) == 0 ||
	    (why.code == ERROR_REFUSED && is_over(c, &why) == 1))
		return 0;
	return error_copy(e, &why);
}

static int
waits(const struct store_job *job, const struct store_chunk *c,
    const struct queue *q)
{
	const struct store_chunks one = {
	    .chunk = (struct store_chunk *)(uintptr_t)c, .count = 1};
	struct job_throttle_shares shares;
	int waits;

	job_throttle_shares_find(job, &one, q, &shares);
	waits = shares.count > 0 && shares.item[0].waits;
	job_throttle_shares_free(&shares);
	return waits;
}

/* Return 1 if an array no longer waits for others, 0, or -1: no answer. */
static int
waits_no_more(
    const struct store_job *job, const struct store_chunk *c, struct error *e)
{
	struct queue *q;
	int no_more;

	if (queue_load(&q, e) == -1)
		return -1;
	no_more = !waits(job, c, q);
	queue_free(q);
	return no_more;
}

static int
is_ordered(const struct job_throttle *j)
{
	return store_request_parallel(j->requests) != NULL;
}

static int64_t
limit_of(const struct job_throttle *j)
{
	return job_throttle_indices(j->job, j->requests);
}

static void
find_shares(const struct job_throttle *j, const struct queue *q,
    struct job_throttle_shares *out)
{
	const struct store_chunks all = {
	    .chunk = (struct store_chunk *)(uintptr_t)j->chunk,
	    .count = j->count};

	job_throttle_shares_find(j->job, &all, q, out);
}

static int
depend(const struct job_throttle *j, const struct store_chunk *c,
    const char *more, struct error *e)
{
	char *on = job_sbatch_dependency(j->job, c, more);
	struct error why;
	int rc = queue_depend(c->array, c->token, on, &why);

	free(on);
	if (rc == 0 ||
	    (why.code == ERROR_REFUSED && waits_no_more(j->job, c, &why) == 1))
		return 0;
	return error_copy(e, &why);
}

/*
 * Send the share and dependency of array i, which waits for arrays before it.
 * Without all, nothing is sent if it has to go on waiting.
 */
static int
place(const struct job_throttle *j, struct job_throttle_shares *shares,
    size_t i, int all, struct error *e)
{
	struct job_throttle_share *l = &shares->item[i];
	int64_t limit = limit_of(j), had = l->throttle;
	size_t wait;
	char *on;
	int rc = 0;

	if (limit > 0 && (had <= 0 || had > limit))
		l->throttle = limit;
	l->throttle = begin_with(shares, i, limit, l->throttle);
	wait = job_throttle_shares_behind(shares, i, limit);
	if (wait > 0 && !all)
		return 0;
	if (l->throttle != had)
		rc = throttle(l->chunk, l->throttle, e);
	on = wait > 0 ? job_throttle_shares_dependency(shares, wait) : NULL;
	if (rc == 0)
		rc = depend(j, l->chunk, on, e);
	free(on);
	l->waits = wait > 0;
	return rc;
}

/* Return whether Slurm has another share of an array that does not wait. */
static int
differs(const struct job_throttle_share *l, int all)
{
	if (l->waits || store_chunk_at(l->chunk, 0) < 0)
		return 0;
	return l->share != l->throttle &&
	    (all || (l->throttle != -1 && l->running < l->alive));
}

/* Return whether a share is less than what Slurm lets run. */
static int
is_less(const struct job_throttle_share *l)
{
	return l->share != 0 && (l->throttle <= 0 || l->share < l->throttle);
}

/* Send shares to Slurm: those that shrink if less, else those that grow. */
static int
tell_shares(
    struct job_throttle_shares *shares, int less, int all, struct error *e)
{
	struct job_throttle_share *l;
	int rc = 0;

	for (l = shares->item; rc == 0 && l < shares->item + shares->count; l++)
		if (differs(l, all) && is_less(l) == less) {
			rc = throttle(l->chunk, l->share, e);
			l->throttle = l->share;
		}
	return rc;
}

/*
 * Divide the limit and send the shares.  With a throttle request, shares that
 * shrink go first; without one, only room that others cannot use is given away.
 */
static int
share_out(const struct job_throttle *j, struct job_throttle_shares *shares,
    int more, int all, struct error *e)
{
	int rc = 0;

	if (!is_ordered(j) && !more)
		return 0;
	if (!is_ordered(j)) {
		job_throttle_shares_grow(shares, limit_of(j));
		return tell_shares(shares, 0, all, e);
	}
	job_throttle_shares_share(shares, limit_of(j));
	rc = tell_shares(shares, 1, all, e);
	if (rc == 0 && more)
		rc = tell_shares(shares, 0, all, e);
	return rc;
}

/*
 * Tell Slurm the share of each array and, if the array waits, its dependency.
 * all says that the limit of all arrays has changed.
 */
static int
tell_all(const struct job_throttle *j, struct job_throttle_shares *shares,
    int all, struct error *e)
{
	int rc = share_out(j, shares, 0, all, e);
	size_t i;

	for (i = 0; rc == 0 && i < shares->count; i++)
		if (shares->item[i].waits)
			rc = place(j, shares, i, all, e);
	return rc == 0 ? share_out(j, shares, 1, all, e) : rc;
}

/* Return whether tell_all would change anything in Slurm. */
static int
is_amiss(const struct job_throttle *j, struct job_throttle_shares *shares)
{
	const struct job_throttle_share *l;
	int64_t limit = limit_of(j);
	size_t i;

	if (is_ordered(j))
		job_throttle_shares_share(shares, limit);
	else
		job_throttle_shares_grow(shares, limit);
	for (i = 0; i < shares->count; i++) {
		l = &shares->item[i];
		if (l->waits &&
		    (job_throttle_shares_behind(shares, i, limit) == 0 ||
			job_throttle_shares_room(shares, i, limit) > 0))
			return 1;
		if (differs(l, 0))
			return 1;
	}
	return 0;
}

/*
 * Return whether Slurm may have an unclaimed array of a chunk: it knows only
 * the requests from before its sbatch call.
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

/* Return whether any chunk may have an unclaimed array, or -1 if unknown. */
static int
may_come(const struct job_throttle *j, const struct queue *q, struct error *e)
{
	const struct store_chunk *c;
	int64_t now;
	int may = 0;

	if (fs_now(store_job_dir(j->job), &now, e) == -1)
		return -1;
	for (c = j->chunk; c < j->chunk + j->count; c++)
		may |= may_be_unclaimed(c, q, now);
	return may;
}

int
job_throttle_send(
    const struct job_throttle *j, uint64_t *arrays, struct error *e)
{
	struct job_throttle_shares shares;
	struct queue *q;
	int rc, may;

	if (queue_load(&q, e) == -1)
		return -1;
	rc = may = may_come(j, q, e);
	if (rc != -1) {
		find_shares(j, q, &shares);
		rc = tell_all(j, &shares, 1, e);
		*arrays = job_throttle_shares_share(&shares, limit_of(j));
		job_throttle_shares_free(&shares);
	}
	queue_free(q);
	return rc == 0 ? may : -1;
}

int
job_throttle_tend(
    const struct job_throttle *j, const struct queue *q, struct error *e)
{
	struct job_throttle_shares shares;
	struct queue *now = NULL;
	int rc = 0, due;

	if (limit_of(j) == 0 && !is_ordered(j))
		return 0;
	find_shares(j, q, &shares);
	due = is_amiss(j, &shares);
	job_throttle_shares_free(&shares);
	if (!due)
		return 0;
	if (queue_load(&now, e) == -1)
		return -1;
	find_shares(j, now, &shares);
	rc = tell_all(j, &shares, 0, e);
	job_throttle_shares_free(&shares);
	queue_free(now);
	return rc;
}

int
job_throttle_keep(const struct store_job *job,
    const struct store_requests *requests, const struct store_chunk *c,
    int64_t had, struct error *e)
{
	const struct job_throttle j = {job, requests, c, 1};
	struct store_chunks others;
	struct queue *q = NULL;
	char *after = NULL;
	int64_t share;
	int rc = job_throttle_others(job, requests, c, &others, e);

	if (rc == 0 && others.count > 0)
		rc = queue_load(&q, e);
	if (rc == 0 && q != NULL) {
		share =
		    job_throttle_share(job, requests, c, &others, q, &after);
		if (share != had && is_ordered(&j))
			rc = throttle(c, share, e);
		if (rc == 0 && after != NULL && !waits(job, c, q))
			rc = depend(&j, c, after, e);
	}
	free(after);
	queue_free(q);
	store_chunks_free(&others);
	return rc;
}
