/*
 * What a watcher does about tasks that did not go well, by the job's policy:
 * the decision for one task, from what is known of it alone, and acting on the
 * decisions for a job.
 */
#ifndef STFM_JOB_POLICY_H
#define STFM_JOB_POLICY_H

#include "error.h"
#include "queue.h"
#include "store-chunk.h"
#include "store-fold.h"
#include "store-job.h"
#include "store-order.h"
#include "store-wish.h"

enum job_policy_answer {
	JOB_POLICY_NONE,
	JOB_POLICY_RESUME, /* queue it again, from its checkpoint */
	JOB_POLICY_MEMORY, /* queue it again with more memory */
	JOB_POLICY_TIME    /* ... with more time, from its checkpoint */
};

/* One task that may be queued again. */
struct job_policy_case {
	const struct store_policy *policy;
	const char *cause;    /* of its error, "TIMEOUT"; or NULL */
	int wants_array;      /* Slurm did not put it back: job_truth.h */
	int64_t resumed;      /* how often it has gone on already */
	int64_t more_memory;  /* ... was queued again with more memory */
	int64_t more_time;    /* ... with more time */
	int64_t memory, time; /* what it had, in MB and minutes */
};

/* *value is set to the memory in MB or the time in minutes to ask for. */
enum job_policy_answer job_policy_decide(
    const struct job_policy_case *, int64_t *value);

/* What a pass knows of a job once all its tasks are judged. */
struct job_policy_scene {
	const struct store_job *job;
	const struct store_fold *fold;
	const struct store_chunks *chunks;
	const struct store_wishes *wishes;
	const struct store_orders *orders;
	const struct queue *queue;
	struct words *trouble; /* what goes wrong is put there */
};

/* The tasks among some that have failed and that it would queue again. */
int job_policy_retries(const struct store_job *, const struct store_fold *,
    const struct ranges *tasks, struct ranges *out, struct error *e);

/* Whether it would queue any of all, also where that cannot be told now. */
int job_policy_comes_again(const struct store_job *, const struct store_fold *);

/* Whether all is over, and nothing of it would be queued again. */
int job_policy_is_over(const struct store_job *, const struct store_fold *);

/* Whether it queues anything again. */
int job_policy_queues(const struct store_policy *);

/*
 * Do what the policy asks for.  Returns whether something was done, so that the
 * fold is no longer all that is known.
 */
int job_policy_act(const struct job_policy_scene *);

#endif
