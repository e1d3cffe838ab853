/*
 * Throttle shares.  If a job limits how many tasks run at once, each of its
 * queued arrays takes a share of the limit: as many tasks as it can run at
 * once.  If too little of the limit is left for an array, it waits in Slurm
 * until earlier arrays, those with lower ids, are over.
 *
 * For each array, only the arrays before it count.  So an array that runs never
 * loses its share to a later one.
 *
 * Call find first.  To set the shares anew after a throttle request, call
 * share; without a request call grow, which starts from Slurm's throttles;
 * never both.
 */
#ifndef STFM_CONTROL_THROTTLE_SHARE_H
#define STFM_CONTROL_THROTTLE_SHARE_H

#include <stddef.h>
#include <stdint.h>

struct queue;
struct store_chunks;
struct store_job;

/* An array in the queue.  The unit of its numbers is an array index. */
struct job_throttle_share {
	const struct store_chunk *chunk;
	int64_t alive;    /* running or pending */
	int64_t running;  /* running */
	int64_t throttle; /* Slurm's throttle; 0: no limit, -1: unknown */
	int waits;        /* the array waits only for other arrays of the job */
	int64_t share;    /* set by ..._share or ..._grow */
};

struct job_throttle_shares {
	struct job_throttle_share *item; /* sorted by array id */
	size_t count;
};

/* List the queued arrays of chunks; to job_throttle_shares_free. */
void job_throttle_shares_find(const struct store_job *,
    const struct store_chunks *chunks, const struct queue *,
    struct job_throttle_shares *out);
void job_throttle_shares_free(struct job_throttle_shares *);

/*
 * Return how many indices of later arrays may run while the first n arrays run
 * as many as they can.  0 and less mean that there is no room.  limit is not 0.
 */
int64_t job_throttle_shares_room(
    const struct job_throttle_shares *, size_t n, int64_t limit);

/*
 * Return how many of the first n arrays must be over so that an array queued
 * behind them can run this many indices at once; 0 if it can now.  limit is for
 * all arrays together.
 */
size_t job_throttle_shares_wait(const struct job_throttle_shares *, size_t n,
    int64_t limit, int64_t indices);

/*
 * Return the same for array i, which is in the queue: how many of the first
 * arrays must be over so that it can run as much as it has left.
 */
size_t job_throttle_shares_behind(
    const struct job_throttle_shares *, size_t i, int64_t limit);

/*
 * Return the dependency on the first arrays, "afterany:12:13"; to free.  count
 * is a result of ..._wait or ..._behind, and not 0.
 */
char *job_throttle_shares_dependency(
    const struct job_throttle_shares *, size_t count);

/*
 * Set share of the arrays that do not wait: parts of the limit, at least one
 * index each.  A share above Slurm's throttle is set only as far as there is
 * room: arrays may still run more than their new, smaller share.  Returns how
 * many arrays do not wait.
 */
size_t job_throttle_shares_share(struct job_throttle_shares *, int64_t limit);

/*
 * Raise shares; lower none.  The room that is free, or that arrays cannot use
 * any more, goes to the arrays with the most tasks per share.
 */
void job_throttle_shares_grow(struct job_throttle_shares *, int64_t limit);

#endif
