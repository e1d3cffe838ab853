/*
 * Queueing a stored job: its tasks go to Slurm as one array, or as several if
 * Slurm limits the size of an array or accepts only some tasks for now.
 *
 * For each array, the intent and a try are written first, then sbatch is
 * called, then the claim or the refusal is written.  So interrupted work can be
 * resumed: arrays that Slurm has are found by their tokens, and only the rest
 * is queued.  Of several programs that queue at once, only one calls sbatch.
 */
#ifndef STFM_CONTROL_ENQUEUE_H
#define STFM_CONTROL_ENQUEUE_H

#include "base/error.h"
#include "control/chunk.h"
#include "slurm/queue.h"

/* The result of queueing.  Numbers count tasks unless noted. */
struct job_enqueued {
	uint32_t *array; /* array ids of the job's chunks, in order */
	size_t count;    /* number of arrays */
	uint32_t *fresh; /* ids of the arrays that this call made */
	size_t fresh_count;
	uint64_t tasks;  /* tasks in all arrays */
	uint64_t made;   /* tasks in the fresh arrays */
	uint64_t left;   /* tasks still to be queued */
	int waits;       /* other jobs must be over first */
	int behind;      /* an array waits for other arrays of its job */
	int failed;      /* a record could not be read or written */
	int damaged;     /* failed because a record is damaged, for good */
	int gone;        /* the job was removed meanwhile */
	int unheard;     /* unknown whether Slurm took an array */
	int64_t wait;    /* seconds that another command may still need, or 0 */
	int interrupted; /* a signal that proc_block holds back arrived */
};

/* Free the arrays in a result. */
void job_enqueued_free(struct job_enqueued *);

/* Return array ids joined by separator, "17, 18"; to free. */
char *job_enqueue_ids(
    const uint32_t *array, size_t count, const char *separator);

/* How to queue; all zero: every task that is not queued yet, at once. */
struct job_enqueue {
	/*
	 * Names of the only chunks to queue, which this program has just made;
	 * NULL: all chunks.
	 */
	const struct strlist *only;
	/*
	 * Slurm's queue, for a watcher; else NULL.  A watcher lets other
	 * programs that queue now go first, and does not retry what Slurm
	 * refused recently.
	 */
	const struct queue *watched;
};

/*
 * Queue the tasks that are not queued yet, as how says; NULL is all zero.  If
 * Slurm has no room for a whole chunk, the chunk is cut until a part fits.
 *
 * Call job_enqueued_free on out in any case.  Returns QUEUE_QUEUED if each
 * chunk is claimed, stopped or held by the user.  Otherwise returns the answer
 * to the first other chunk, with the reason in e:
 *
 *	QUEUE_UNKNOWN	also if the job waits for other jobs and no Slurm
 *			dependency can express that, or if a signal that
 *			proc_block holds back came between two arrays
 *	QUEUE_REFUSED	also if the job was removed; its arrays are cancelled
 */
enum queue_answer job_enqueue(const struct store_job *,
    const struct job_enqueue *how, struct job_enqueued *out, struct error *e);

#endif
