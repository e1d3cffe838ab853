/*
 * How many tasks of a job run at once: the limit holds over all of its arrays,
 * so Slurm is told of each how many of it may run and, where there is no room,
 * which others it has to wait for.  That is done when an array is queued, when
 * the limit is changed, and by watchers.
 */
#ifndef STFM_CONTROL_THROTTLE_H
#define STFM_CONTROL_THROTTLE_H

#include "base/error.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/request.h"

/* How many indices of its arrays may run at once, 0 for no limit. */
int64_t job_throttle_indices(
    const struct store_job *, const struct store_requests *);

/*
 * The chunks beside which a new one has to keep to the limit, to
 * store_chunks_free: none where it was cut from the job to run beside the
 * others.
 */
int job_throttle_beside(const struct store_job *, const struct store_requests *,
    const struct store_chunk *, struct store_chunks *out, struct error *e);

/*
 * How many indices of a new array may run at once: its share where an order
 * says so, else what the chunk has.  *after is which of those arrays that are
 * in the queue have to be over first, as sbatch has it; to free, or NULL.
 */
int64_t job_throttle_share(const struct store_job *,
    const struct store_requests *, const struct store_chunk *,
    const struct store_chunks *beside, const struct queue *, char **after);

/* Chunks of a job, and what is ordered about it. */
struct job_throttle {
	const struct store_job *job;
	const struct store_requests *orders;
	const struct store_chunk *chunk;
	size_t count;
};

/*
 * Tell Slurm of all arrays in the queue; so many, *arrays, have a share of the
 * limit then, one task at least.  Returns 0, 1 when another may come that
 * nobody has claimed and that has not heard of it, or -1.
 */
int job_throttle_tell(
    const struct job_throttle *, uint64_t *arrays, struct error *e);

/*
 * For watchers: tell what Slurm has forgotten, and let go of what need not wait
 * any more.  The queue is what a pass knows; before something is changed it is
 * looked at anew.  0, or -1.
 */
int job_throttle_tend(
    const struct job_throttle *, const struct queue *, struct error *e);

/*
 * Tell of an array that was claimed a moment ago what came while it was being
 * queued.  Only those before it count: of two that came at once the second
 * waits.  had is how many of its tasks may run at once by now, or -1 when
 * nobody knows.  0, or -1.
 */
int job_throttle_keep(const struct store_job *, const struct store_requests *,
    const struct store_chunk *, int64_t had, struct error *e);

#endif
