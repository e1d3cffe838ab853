/*
 * The throttle: how many tasks of a job run at once.  The limit holds over all
 * of its arrays, so stfm tells Slurm how many tasks of each array may run and,
 * if there is no room, which arrays it must wait for.  This happens when an
 * array is queued, when the limit changes, and in watchers.
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
 * List the chunks with which a new one must share the limit; to
 * store_chunks_free.  Chunks cut at submission have their shares: for one of
 * them, only later chunks are listed.  Without a limit the list is empty.
 * Returns 0 or -1.
 */
int job_throttle_others(const struct store_job *, const struct store_requests *,
    const struct store_chunk *, struct store_chunks *out, struct error *e);

/*
 * Return how many indices of a new array may run at once: its share if a
 * throttle request says so, else the chunk's own.  *after, to free, is the
 * dependency on arrays of others that must be over first, or NULL.
 */
int64_t job_throttle_share(const struct store_job *,
    const struct store_requests *, const struct store_chunk *,
    const struct store_chunks *others, const struct queue *, char **after);

/* Chunks of a job, and the requests about it. */
struct job_throttle {
	const struct store_job *job;
	const struct store_requests *requests;
	const struct store_chunk *chunk;
	size_t count;
};

/*
 * Tell Slurm the shares of all arrays in the queue.  *arrays is set to how many
 * have a share of the limit, at least one task each.  Returns 0, 1 if an
 * unclaimed array may still appear without its share, or -1.
 */
int job_throttle_send(
    const struct job_throttle *, uint64_t *arrays, struct error *e);

/*
 * Repeat shares that Slurm forgot, and release arrays that need not wait any
 * more; for watchers.  The queue is that of a reconcile pass; Slurm is asked
 * again before anything is changed.  Returns 0 or -1.
 */
int job_throttle_tend(
    const struct job_throttle *, const struct queue *, struct error *e);

/*
 * Tell Slurm the requests that came while a just claimed array was being
 * queued.  Only earlier arrays count: of two arrays queued at once the second
 * waits.  had is how many of its tasks may run at once now, or -1 if unknown.
 * Returns 0 or -1.
 */
int job_throttle_keep(const struct store_job *, const struct store_requests *,
    const struct store_chunk *, int64_t had, struct error *e);

#endif
