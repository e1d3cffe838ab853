/*
 * Queueing one chunk of a job, whatever has happened to it before and whoever
 * else is at it.
 */
#ifndef STFM_CONTROL_ENQUEUE_CHUNK_H
#define STFM_CONTROL_ENQUEUE_CHUNK_H

#include "control/enqueue.h"
#include "store/cancel.h"
#include "store/hold.h"

/*
 * How long an intent without an array may belong to another stfm-submit that
 * is at work, in seconds: longer than any of its calls may take.
 */
enum { JOB_SBATCH_SECONDS = 120 };

/* A job while its chunks are queued. */
struct job_queueing {
	const struct store_job *job;
	const struct job_queue *how;
	struct store_wishes wishes; /* to be freed */
	struct store_orders orders; /* likewise */
	char *dependency;           /* on other jobs' arrays, or NULL */
	struct queue *queue;        /* when it was needed; to be freed */
	int64_t now;
	int failed;  /* something could not be read or written */
	int again;   /* somebody else has done something: look anew */
	int behind;  /* an array waits for others of the job, for room */
	int is_safe; /* to run what is in the job */
	int called;  /* sbatch was: there may be an array */
	int checked; /* the cluster keeps the token of an array */
	struct error *e;
};

/*
 * Bring an open chunk into the queue; known says that it is in the store.
 * QUEUE_QUEUED leaves *array 0 when it needs none, as all of it was stopped or
 * is held; *cut says that the
 * chunk was cut, because of another answer.
 */
enum queue_answer job_queue_chunk(struct job_queueing *,
    const struct store_chunk *, int known, uint32_t after, uint32_t *array,
    int *cut);

#endif
