/*
 * The chunks of a job: how it and each of its extensions is cut into arrays,
 * and how one that is too large is cut again.
 */
#ifndef STFM_JOB_CHUNK_H
#define STFM_JOB_CHUNK_H

#include "store/cancel.h"
#include "store/chunk.h"
#include "store/job.h"

/*
 * Whether the job has a canary: its first task trains alone, in a chunk of its
 * own, before the others start.
 */
int job_has_canary(const struct store_job *);

/*
 * Return the text that the tokens of all chunks of a job begin with, and those
 * of no other job; to free.
 */
char *job_token_prefix(const struct store_job *);

/* The chunks into which a job is cut.  Free with store_chunks_free. */
void job_chunks(const struct store_job *, struct store_chunks *out);

/*
 * Whether some of these, which are all chunks of the job, are not in the queue
 * yet, or one is not there yet: of those into which it was cut, and of the
 * halves of others.
 */
int job_chunk_is_unqueued(
    const struct store_job *, const struct store_chunks *);

/* Whether somebody wished all tasks of the chunk to stop. */
int job_chunk_is_stopped(
    const struct store_stops *, const struct store_chunk *);

/*
 * The first of these chunks, in the order in which they are queued, that Slurm
 * refuses, or NULL.  Those behind it are not tried before it is queued or
 * stopped: their tasks are added to *behind.
 */
const struct store_chunk *job_chunk_refused(const struct store_job *,
    const struct store_chunks *, const struct store_stops *,
    struct idset *behind);

/* The share of chunk i of count in a throttle: at least 1, but 0 of 0. */
int64_t job_chunk_share(int64_t throttle, size_t i, size_t count);

/*
 * Give each of some chunks its share of parallel, in indices, by its size: at
 * least 1, but 0 of 0.  Nobody may come to move the shares later.
 */
void job_chunk_share_all(struct store_chunk *, size_t count, int64_t parallel);

/*
 * How many those are, and how many of them are of the job as it was submitted:
 * they have the numbers before those of chunks that are queued again.
 */
size_t job_chunk_count(const struct store_job *);
size_t job_chunk_first_count(const struct store_job *);

/* How many tasks fit into one array. */
uint64_t job_chunk_room(const struct store_job *);

/*
 * How many indices of its arrays may run at once, where so many tasks may: at
 * least one; 0 is no limit.
 */
int64_t job_chunk_indices(const struct store_job *, int64_t tasks);

/* Name a chunk of the job, which takes the name over, and make its token. */
void job_chunk_name(
    const struct store_job *, struct store_chunk *chunk, char *name);

/*
 * The number in its name, "c00012.0", and 0 of an extension's "x00001-00000.0";
 * and whether it is a whole one and not a part of one that was cut.
 */
uint64_t job_chunk_number(const struct store_chunk *);
int job_chunk_is_whole(const struct store_chunk *);

/*
 * One half of a chunk that was cut: which is 'a' or 'b'.  To free with
 * store_chunk_free.
 */
void job_chunk_half(const struct store_job *, const struct store_chunk *,
    char which, struct store_chunk *out);

#endif
