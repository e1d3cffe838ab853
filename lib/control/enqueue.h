/*
 * Queueing a stored job: its tasks go to Slurm as one array, or as several
 * where Slurm limits the size of one or takes only some for now.
 *
 * For each array the intent and a try are written first, then sbatch is
 * called, then the claim or the refusal is written.  So whatever is interrupted
 * can be taken up again: what Slurm has is found by its token, and only what it
 * has not is queued.  Of several programs at work at once one calls sbatch.
 */
#ifndef STFM_CONTROL_ENQUEUE_H
#define STFM_CONTROL_ENQUEUE_H

#include "base/error.h"
#include "job/chunk.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/job.h"

/*
 * How long an intent without an array may belong to another stfm-submit that
 * is at work, in seconds: longer than any of its calls may take.
 */
enum { JOB_SBATCH_SECONDS = 120 };

/* What came of it; the numbers are of tasks unless it is said otherwise. */
struct job_enqueued {
	uint32_t *array; /* the arrays of the job's chunks, in order */
	size_t count;    /* of arrays */
	uint32_t *fresh; /* those of them that this call has made */
	size_t fresh_count;
	uint64_t tasks; /* in all arrays */
	uint64_t made;  /* in the fresh ones */
	uint64_t left;  /* that still have to be queued */
	int waits;      /* ... when other jobs are over */
	int behind;     /* an array waits for others of its job */
	int failed;  /* something in the store could not be read or written */
	int damaged; /* ... because a record is damaged, which stays so */
	int gone;    /* the job was removed meanwhile */
	int unheard; /* whether Slurm took an array is not known yet */
	int interrupted; /* by a signal that is held back */
};

void job_enqueued_free(struct job_enqueued *);

/* Ids of arrays, "17, 18", to free. */
char *job_enqueue_ids(
    const uint32_t *array, size_t count, const char *separator);

struct job_enqueue {
	/* Only these chunks, which are known to be new; NULL: all. */
	const struct strlist *only;
	/*
	 * What Slurm has, as known to a watcher: it gives way to whoever is
	 * queueing now, and does not ask again what was refused a moment ago.
	 */
	const struct queue *watched;
};

/*
 * Queue what is not queued yet.  how NULL is all and at once.  A job that waits
 * for others is left, with QUEUE_UNKNOWN, unless Slurm can do the waiting.  A
 * chunk for which there is no room is cut until some of it fits.  Returns
 * QUEUE_QUEUED when all chunks are claimed, stopped or held by their user; else
 * the answer to the first that is not, with the reason in e.  A signal that
 * proc_hold holds back ends this between two arrays, with QUEUE_UNKNOWN.
 *
 * Where the job is removed meanwhile the answer is QUEUE_REFUSED, and what was
 * queued is cancelled.
 */
enum queue_answer job_enqueue(const struct store_job *,
    const struct job_enqueue *, struct job_enqueued *out, struct error *e);

#endif
