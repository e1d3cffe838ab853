/*
 * Queueing a stored job: its tasks go to Slurm as one array, or as several
 * where Slurm limits the size of one.
 *
 * For each array the intent is written first, then sbatch is called, then the
 * claim is written.  So whatever is interrupted can be taken up again: what
 * Slurm has is found by its token, and only what it has not is queued.
 */
#ifndef STFM_JOB_QUEUE_H
#define STFM_JOB_QUEUE_H

#include "error.h"
#include "queue.h"
#include "store-chunk.h"
#include "store-job.h"

/* The chunks into which a job is cut.  Free with store_chunks_free. */
void job_chunks(const struct store_job *, struct store_chunks *out);

/*
 * The words of one sbatch call.  after is the array that has to end first, or
 * 0.  The list is empty before and to be freed.
 */
void job_queue_words(const struct store_job *, const struct store_chunk *,
    uint32_t after, struct words *out);

struct job_queued {
	uint32_t *array; /* one for each chunk, 0 for one that is not queued */
	size_t count;
	size_t done;   /* chunks that need nothing more */
	size_t queued; /* ... because they have an array, not stopped */
	size_t fresh;  /* ... which they got by this call */
};

void job_queued_free(struct job_queued *);

/*
 * Queue what is not queued yet.  Returns QUEUE_QUEUED when all chunks are
 * claimed or stopped; else the answer to the first that is not, with the reason
 * in e.
 */
enum queue_answer job_queue(
    const struct store_job *, struct job_queued *out, struct error *e);

#endif
