/*
 * Lanes: where only so many tasks of a job may run at once, each of its arrays
 * in the queue takes as many lanes as tasks of it can run at once.  One that
 * finds too few of them free waits in Slurm until those before it are over.
 *
 * An array has a lower id than one that came later.  As each looks at all that
 * came before it, those that run have their lanes, whichever they are.
 */
#ifndef STFM_CONTROL_THROTTLE_SHARE_H
#define STFM_CONTROL_THROTTLE_SHARE_H

#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/job.h"

/* An array in the queue.  Numbers are of indices. */
struct job_throttle_share {
	const struct store_chunk *chunk;
	int64_t alive;    /* that run or wait */
	int64_t running;  /* that run */
	int64_t throttle; /* at once by Slurm: 0 is no limit, -1 not told */
	int waits;        /* it waits for others of the job, and nothing else */
	int64_t share;    /* at once, as job_throttle_shares_share has it */
};

struct job_throttle_shares {
	struct job_throttle_share *lane; /* by the ids of the arrays */
	size_t count;
};

/* The arrays of some chunks that are in the queue; to job_throttle_shares_free.
 */
void job_throttle_shares_find(const struct store_job *,
    const struct store_chunks *, const struct queue *,
    struct job_throttle_shares *out);
void job_throttle_shares_free(struct job_throttle_shares *);

/* How many indices may run beside so many of the first; below 1 is none. */
int64_t job_throttle_shares_room(
    const struct job_throttle_shares *, size_t before, int64_t limit);

/*
 * How many of the first lanes have to be over before an array that so many
 * others are before may run so many indices at once, where limit is for all:
 * 0 when there is room for it now.
 */
size_t job_throttle_shares_wait(const struct job_throttle_shares *,
    size_t before, int64_t limit, int64_t indices);

/* The same for one of them, as it is. */
size_t job_throttle_shares_behind(
    const struct job_throttle_shares *, size_t i, int64_t limit);

/* What sbatch calls that: "afterany:12:13" of the first two; to free. */
char *job_throttle_shares_dependency(
    const struct job_throttle_shares *, size_t count);

/*
 * Share the limit between those that do not wait, one each at least.  None gets
 * more than it has while others run more than their new share.  Returns how
 * many do not wait.
 */
size_t job_throttle_shares_share(struct job_throttle_shares *, int64_t limit);

/*
 * The same without taking anything from one that has tasks for it: only what
 * the others have no tasks for any more, and what nobody has, goes to those
 * with the most tasks for what they have.
 */
void job_throttle_shares_grow(struct job_throttle_shares *, int64_t limit);

#endif
