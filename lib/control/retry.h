/*
 * Whether a rule of the job's policy queues a task again that did not go well:
 * the decision, from what is known of the task alone.
 */
#ifndef STFM_CONTROL_RETRY_H
#define STFM_CONTROL_RETRY_H

#include <stdint.h>

#include "store/cancel.h"
#include "store/chunk.h"
#include "store/job.h"

enum job_retry_answer {
	JOB_RETRY_NONE,
	JOB_RETRY_RESUME, /* queue it again, from its checkpoint */
	JOB_RETRY_MEMORY, /* queue it again with more memory */
	JOB_RETRY_TIME    /* ... with more time, from its checkpoint */
};

/* One task that may be queued again. */
struct job_retry_case {
	const struct store_policy *policy;
	const char *cause;    /* of its error, "TIMEOUT"; or NULL */
	int wants_array;      /* Slurm did not put it back: state_resolve.h */
	int64_t resumed;      /* how often it has gone on already */
	int64_t more_memory;  /* ... was queued again with more memory */
	int64_t more_time;    /* ... with more time */
	int64_t memory, time; /* what it had, in MB and minutes */
};

/* *value is set to the memory in MB or the time in minutes to ask for. */
enum job_retry_answer job_retry_decide(
    const struct job_retry_case *, int64_t *value);

/* A task that is over, or is to be queued again, and what is recorded. */
struct job_retry {
	const struct store_job *job;
	const struct store_chunks *chunks;
	const struct store_stops *wishes;
	uint64_t task;
	uint32_t attempt;  /* that is over */
	const char *cause; /* of its error, or NULL */
	int wants_array;
};

/*
 * The decision, unless somebody has queued it again meanwhile, or does not want
 * that.  *newest is set to the chunk of its last attempt when there is a rule.
 */
enum job_retry_answer job_retry_find(const struct job_retry *,
    const struct store_chunk **newest, int64_t *value);

/* Whether a rule made the new attempt, and no user. */
int job_retry_made(const struct store_chunk *);

/* How the new attempts by a rule are called: "retry-oom". */
const char *job_retry_name(enum job_retry_answer);

#endif
