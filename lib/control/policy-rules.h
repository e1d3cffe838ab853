/*
 * The rules of a job's policy: which failed tasks to requeue, and whether
 * enough have failed to stop the rest.  Only job_policy_forget changes
 * anything.
 */
#ifndef STFM_CONTROL_POLICY_RULES_H
#define STFM_CONTROL_POLICY_RULES_H

#include "base/error.h"
#include "control/retry.h"
#include "store/policy.h"
#include "store/request.h"

/* The state of a job once a reconcile pass has resolved all its tasks. */
struct job_policy_input {
	const struct store_job *job;
	const struct store_table *table;
	const struct store_chunks *chunks;
	const struct store_requests *requests;
	const struct queue *queue;
	int64_t now, grace;      /* seconds: store clock; see state_resolve */
	struct strlist *trouble; /* problems are added here */
	int search_due; /* facts of the search could not be recorded or read */
	int *compared;  /* see store/table.h; only the pruner uses it */
};

/*
 * Put those of tasks that the policy would requeue into out.  Returns 0 or -1.
 */
int job_policy_retries(const struct store_job *, const struct store_table *,
    const struct idset *tasks, struct idset *out, struct error *e);

/*
 * Return 1 if the policy would requeue some task, 0 if none, or -1 if a record
 * cannot be read now.
 */
int job_policy_comes_again(
    const struct store_job *, const struct store_table *, struct error *e);

/*
 * Return 1 if all tasks are over and none would be requeued, 0 if not, or -1.
 */
int job_policy_is_over(
    const struct store_job *, const struct store_table *, struct error *e);

/*
 * Let --max-fail forget the failures so far, if all tasks are over.  Call this
 * before a user restarts tasks: otherwise the old failures would stop the new
 * attempts at once.  Does nothing while some task is not over, or if too few
 * have failed.  Returns 0 or -1.
 */
int job_policy_forget(
    const struct store_job *, const struct store_table *, struct error *e);

/*
 * Return whether stfm may queue tasks of the job again: by its policy, or runs
 * of a population that ended before they could continue from another task.
 */
int job_policy_queues(const struct store_job *);

/*
 * Decide whether a rule requeues task, even if the task is held.  *newest is
 * set to the chunk of its last attempt, and *value to the memory in MB or the
 * time in minutes that the next attempt asks for.
 */
enum job_retry_answer job_policy_decide(const struct job_policy_input *,
    uint64_t task, const struct store_chunk **newest, int64_t *value);

/*
 * Return whether so many tasks have failed for good that --max-fail stops the
 * rest.  Adds each failed task to one of the sets: to again if the policy would
 * requeue it, else to failed.
 */
int job_policy_is_enough(
    const struct job_policy_input *, struct idset *failed, struct idset *again);

/*
 * Return why the pruner of a search does not stop an attempt of a task, "you
 * restarted it after it was stopped", or NULL if it may.  Of the input, the job
 * and the requests are used.
 */
const char *job_prune_spares(
    const struct job_policy_input *, uint64_t task, uint32_t attempt);

#endif
