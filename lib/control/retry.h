/*
 * The retry decision: whether a rule of the job's policy requeues a task that
 * failed, judged from what is known of that task alone.
 */
#ifndef STFM_CONTROL_RETRY_H
#define STFM_CONTROL_RETRY_H

#include <stdint.h>

#include "store/request.h"

struct store_chunk;

enum job_retry_answer {
	JOB_RETRY_NONE,
	JOB_RETRY_RESUME, /* requeue from its checkpoint */
	JOB_RETRY_MEMORY, /* requeue with more memory */
	JOB_RETRY_TIME    /* requeue with more time, from its checkpoint */
};

/* A task that may be requeued. */
struct job_retry_case {
	const struct store_policy *policy;
	const char *cause;   /* cause of its error, "TIMEOUT"; or NULL */
	int wants_array;     /* Slurm did not requeue it: see state/resolve.h */
	int64_t resumed;     /* requeues so far from a checkpoint */
	int64_t more_memory; /* requeues so far with more memory */
	int64_t more_time;   /* requeues so far with more time */
	int64_t memory, time; /* limits of the task, in MB and minutes */
};

/* Decide; *value is set to the memory in MB or the minutes to ask for. */
enum job_retry_answer job_retry_decide(
    const struct job_retry_case *, int64_t *value);

/* A task that is over or waits to be requeued, and the records about it. */
struct job_retry {
	const struct store_job *job;
	const struct store_chunks *chunks;
	const struct store_requests *stops;
	uint64_t task;
	uint32_t attempt;  /* the attempt that is over */
	const char *cause; /* cause of its error, or NULL */
	int wants_array;
};

/*
 * Decide as job_retry_decide, or JOB_RETRY_NONE if the task was requeued
 * meanwhile or a stop request forbids it.  *newest is set to the chunk of its
 * last attempt if there is a rule.
 */
enum job_retry_answer job_retry_find(const struct job_retry *,
    const struct store_chunk **newest, int64_t *value);

/* Return whether a rule, not a user, made the attempt of a chunk. */
int job_retry_made(const struct store_chunk *);

/* Return the reason recorded with a rule's attempts, "retry-oom". */
const char *job_retry_name(enum job_retry_answer);

#endif
