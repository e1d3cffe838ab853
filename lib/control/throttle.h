/*
 * The throttle: how many tasks of a job run at once.  An index of an array is
 * one task, or several that are packed (see job_chunk_indices).  The limit
 * holds over all arrays of the job, so stfm tells Slurm how many tasks of each
 * array may run and, if there is no room, which arrays it must wait for.  This
 * happens when an array is queued, when the limit changes, and in watchers.
 */
#ifndef STFM_CONTROL_THROTTLE_H
#define STFM_CONTROL_THROTTLE_H

#include "base/error.h"
#include "store/request.h"

struct queue;
struct store_chunk;
struct store_chunks;

/* Return how many indices of the job may run at once; 0 means no limit. */
int64_t job_throttle_indices(
    const struct store_job *, const struct store_requests *);

/*
 * List the chunks whose arrays share the limit with a new array, that of chunk;
 * to store_chunks_free.  The list is empty without a limit.  If no throttle
 * request was made and chunk is from the submission, the list has only chunks
 * that were queued after the submission, because those of the submission got
 * their shares when the job was cut into chunks.  Returns 0 or -1.
 */
int job_throttle_others(const struct store_job *, const struct store_requests *,
    const struct store_chunk *chunk, struct store_chunks *out, struct error *e);

/*
 * Return how many indices of a new array may run at once: its share of the
 * limit if there is a throttle request, else chunk->throttle.  others is the
 * list of job_throttle_others.  If the others leave no room, the share is the
 * same, and *after is set to a dependency such as "afterany:12:14" on arrays
 * that must end first, to free; else to NULL.
 */
int64_t job_throttle_share(const struct store_job *,
    const struct store_requests *, const struct store_chunk *chunk,
    const struct store_chunks *others, const struct queue *, char **after);

/* The chunks and the requests of a job. */
struct job_throttle {
	const struct store_job *job;
	const struct store_requests *requests;
	const struct store_chunk *chunk;
	size_t count;
};

/*
 * Send Slurm the shares of all arrays in the queue.  *arrays is set to the
 * number of arrays that share the limit; each of them runs at least one task.
 * Returns 0, or 1 if an array that is not claimed yet may still appear without
 * its share, or -1.
 */
int job_throttle_send(
    const struct job_throttle *, uint64_t *arrays, struct error *e);

/*
 * Send shares again that Slurm forgot, and release arrays for which there is
 * room now; for watchers.  The queue is that of a reconcile pass; before
 * anything is changed, Slurm is asked again.  Returns 0 or -1.
 */
int job_throttle_tend(
    const struct job_throttle *, const struct queue *, struct error *e);

/*
 * Send Slurm the share of an array that was just claimed, because requests may
 * have come while it was being queued.  Only arrays queued before it count: of
 * two that are queued at once, the second one waits.  had is how many of its
 * indices may run at once now, or -1 if unknown.  Returns 0 or -1.
 */
int job_throttle_keep(const struct store_job *, const struct store_requests *,
    const struct store_chunk *, int64_t had, struct error *e);

#endif
