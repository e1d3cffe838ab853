/*
 * The rules of a job's policy: which tasks that failed would be queued again,
 * and whether enough have failed to stop the rest.  Nothing is changed here but
 * by job_policy_forget.
 */
#ifndef STFM_CONTROL_POLICY_RULES_H
#define STFM_CONTROL_POLICY_RULES_H

#include "base/error.h"
#include "control/retry.h"
#include "slurm/queue.h"
#include "store/cancel.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/request.h"
#include "store/table.h"

/* What a pass knows of a job once all its tasks are judged. */
struct job_policy_scene {
	const struct store_job *job;
	const struct store_table *fold;
	const struct store_chunks *chunks;
	const struct store_stops *wishes;
	const struct store_requests *orders;
	const struct queue *queue;
	int64_t now, grace;      /* the store's clock; as of state_resolve */
	struct strlist *trouble; /* what goes wrong is put there */
};

/* The tasks among some that have failed and that it would queue again. */
int job_policy_retries(const struct store_job *, const struct store_table *,
    const struct idset *tasks, struct idset *out, struct error *e);

/* Whether it would queue any of all; -1 when that cannot be told now. */
int job_policy_comes_again(
    const struct store_job *, const struct store_table *, struct error *e);

/* Whether all is over, and nothing of it would be queued again; or -1. */
int job_policy_is_over(
    const struct store_job *, const struct store_table *, struct error *e);

/*
 * Before a user starts tasks again: where --max-fail would stop the rest, but
 * all is over, record that what has failed counts no more, else what is started
 * again would be stopped for that.  Returns 0 or -1.
 */
int job_policy_forget(
    const struct store_job *, const struct store_table *, struct error *e);

/* Whether it queues anything again. */
int job_policy_queues(const struct store_policy *);

/*
 * Decide what to do about one task.  *newest is set to the chunk of its last
 * attempt, *value to what the answer raises its limit to.
 */
enum job_retry_answer job_policy_decide(const struct job_policy_scene *,
    uint64_t task, const struct store_chunk **newest, int64_t *value);

/*
 * Whether as many tasks have failed as --max-fail says.  Adds those tasks to
 * failed, and failed tasks that would be queued again to again.
 */
int job_policy_is_enough(
    const struct job_policy_scene *, struct idset *failed, struct idset *again);

#endif
