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
	int unheard;     /* Slurm may have taken an array, or not */
	int interrupted; /* a signal that proc_block holds back arrived */
};

void job_enqueued_free(struct job_enqueued *);

/* Return array ids joined by separator, "17, 18"; to free. */
char *job_enqueue_ids(
    const uint32_t *array, size_t count, const char *separator);

struct job_enqueue {
	/* Queue only these chunks, which are known to be new; NULL: all. */
	const struct strlist *only;
	/*
	 * For watchers: Slurm's queue.  A watcher gives way to programs that
	 * are queueing now, and does not retry what Slurm just refused.
	 */
	const struct queue *watched;
};

/*
 * Queue the tasks that are not queued yet; how NULL means all of them, at once.
 * A chunk for which there is no room is cut until some of it fits.  Returns
 * QUEUE_QUEUED if all chunks are claimed, stopped or held by their user.
 * Otherwise returns the answer to the first other chunk, with the reason in e:
 *
 *	QUEUE_UNKNOWN	also if the job waits for others and Slurm cannot do the
 *			waiting, or if a signal that proc_block holds back
 *			ended this between two arrays
 *	QUEUE_REFUSED	also if the job was removed; its arrays are cancelled
 */
enum queue_answer job_enqueue(const struct store_job *,
    const struct job_enqueue *how, struct job_enqueued *out, struct error *e);

#endif
