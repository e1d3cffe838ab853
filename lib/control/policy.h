/*
 * What a watcher does about tasks that did not go well, by the job's policy.
 */
#ifndef STFM_CONTROL_POLICY_H
#define STFM_CONTROL_POLICY_H

#include "base/error.h"
#include "slurm/queue.h"
#include "store/cancel.h"
#include "store/chunk.h"
#include "store/hold.h"
#include "store/job.h"
#include "store/table.h"

/* What a pass knows of a job once all its tasks are judged. */
struct job_policy_scene {
	const struct store_job *job;
	const struct store_fold *fold;
	const struct store_chunks *chunks;
	const struct store_wishes *wishes;
	const struct store_orders *orders;
	const struct queue *queue;
	int64_t now, grace;    /* the store's clock; as of job_truth */
	struct words *trouble; /* what goes wrong is put there */
};

/* The tasks among some that have failed and that it would queue again. */
int job_policy_retries(const struct store_job *, const struct store_fold *,
    const struct ranges *tasks, struct ranges *out, struct error *e);

/* Whether it would queue any of all; -1 when that cannot be told now. */
int job_policy_comes_again(
    const struct store_job *, const struct store_fold *, struct error *e);

/* Whether all is over, and nothing of it would be queued again; or -1. */
int job_policy_is_over(
    const struct store_job *, const struct store_fold *, struct error *e);

/*
 * Before a user starts tasks again: where --max-fail would stop the rest, but
 * all is over, record that what has failed counts no more, else what is started
 * again would be stopped for that.  Returns 0 or -1.
 */
int job_policy_forget(
    const struct store_job *, const struct store_fold *, struct error *e);

/* Whether it queues anything again. */
int job_policy_queues(const struct store_policy *);

/*
 * Do what the policy asks for.  Returns whether something was done, so that the
 * fold is no longer all that is known.
 */
int job_policy_act(const struct job_policy_scene *);

#endif
