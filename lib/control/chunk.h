/*
 * The chunks of a job: how the job and each of its extensions is cut into
 * arrays, and how a chunk that is too large for Slurm is cut again.
 */
#ifndef STFM_CONTROL_CHUNK_H
#define STFM_CONTROL_CHUNK_H

#include "base/xalloc.h"
#include "store/extension.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/request.h"

struct store_chunk;
struct store_chunks;

/*
 * Return whether the job has a canary: its first task trains alone, in a chunk
 * of its own, before the others start.
 */
static inline int
job_has_canary(const struct store_job *job)
{
	return store_job_policy(job)->canary != 0 &&
	    store_job_first_tasks(job) > 1;
}

/*
 * Return the text with which the tokens of this job's chunks begin, and those
 * of no other job; to free.
 */
static inline char *
job_token_prefix(const struct store_job *job)
{
	return xasprintf("stfm-%s-", store_job_id(job));
}

/* List the chunks into which a job is cut; store_chunks_free frees *out. */
void job_chunks(const struct store_job *, struct store_chunks *out);

/*
 * Return whether part of the job is not queued yet.  chunks must be all
 * existing chunks of the job.  True if one of them is open, or if a planned
 * chunk, or a half of a chunk that was cut, does not exist yet.
 */
int job_chunk_is_unqueued(
    const struct store_job *, const struct store_chunks *);

/* Return whether stop requests cover all tasks of the chunk. */
int job_chunk_is_stopped(
    const struct store_requests *, const struct store_chunk *);

/*
 * Return the share of chunk i, of count chunks, in a throttle: at least 1, or 0
 * if throttle is 0.
 */
int64_t job_chunk_share(int64_t throttle, size_t i, size_t count);

/*
 * Divide parallel, a number of indices, among count chunks by their sizes, and
 * set their throttles: at least 1 each, or 0 if parallel is 0.  Later changes
 * of the shares need a watcher, which may not run, so they must be right now.
 */
void job_chunk_share_all(struct store_chunk *, size_t count, int64_t parallel);

/* Return how many chunks the job and its extensions are cut into. */
size_t job_chunk_count(const struct store_job *);

/*
 * Return how many of these chunks are from the submission.  They have the
 * lowest numbers; chunks that are queued again have higher ones.
 */
size_t job_chunk_first_count(const struct store_job *);

/* Return how many tasks fit into one array. */
uint64_t job_chunk_room(const struct store_job *);

/*
 * Convert a throttle in tasks to one in indices: at least 1, or 0 (no limit)
 * for 0.
 */
int64_t job_chunk_indices(const struct store_job *, int64_t tasks);

/* Set the name of a chunk, which then owns it, and make the chunk's token. */
void job_chunk_name(
    const struct store_job *, struct store_chunk *chunk, char *name);

/*
 * Return the number in the chunk's name: 12 for "c00012.0", 0 for the
 * "x00001-00000.0" of an extension.
 */
uint64_t job_chunk_number(const struct store_chunk *);

/* Return whether a chunk is not a half of another chunk. */
int job_chunk_is_whole(const struct store_chunk *);

/* Make one half of a chunk that was cut, 'a' or 'b', to store_chunk_free. */
void job_chunk_half(const struct store_job *, const struct store_chunk *,
    char which, struct store_chunk *out);

#endif
