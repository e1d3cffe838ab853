/*
 * Dependencies (--after): a job waits for other jobs of the store.  It is
 * queued when they are over or, with ":ok", when all their tasks have FINISHED,
 * except those that --sync dropped.  A dependency that was satisfied once is
 * recorded and stays satisfied, whatever is restarted later.
 *
 * If Slurm knows everything to wait for, the job is queued at once with a Slurm
 * dependency on those arrays.  Otherwise a watcher queues it.
 */
#ifndef STFM_CONTROL_DEPENDENCY_H
#define STFM_CONTROL_DEPENDENCY_H

#include "base/error.h"
#include "store/request.h"
#include "store/store.h"

struct queue;
struct store_chunks;

/*
 * Check that job->after, the dependencies of a new job, can still be satisfied.
 * Returns 0, or -1 with the reason and what to do.
 */
int job_dependency_check(
    const struct store_job *job, const struct store *, struct error *e);

enum job_dependency {
	JOB_DEPENDENCY_MET,   /* nothing to wait for */
	JOB_DEPENDENCY_WAITS, /* not satisfied yet */
	JOB_DEPENDENCY_NEVER /* never, unless a user restarts or stops a task */
};

/*
 * Return the state of a job's dependencies by the current tables of the other
 * jobs.  *why, to free, is NULL if there is nothing to wait for.  Otherwise it
 * is "after prep", "after prep, eval and net", "after conv2d, of which 2 tasks
 * did not finish" or, if the other job has such a dependency itself, "after
 * eval, which cannot start".
 */
enum job_dependency job_dependency_look(const struct store_job *, char **why);

/*
 * Like job_dependency_look, with the results in *how and *why, but also record
 * dependencies that are satisfied now.  Returns 0, or -1 if recording fails or
 * one of the other jobs cannot be read.
 */
int job_dependency_settle(const struct store_job *, enum job_dependency *how,
    char **why, struct error *e);

/* Return the jobs a job still waits for; to store_job_free each, and free. */
struct store_job **job_dependency_jobs(const struct store_job *, size_t *count);

/*
 * Return the dependency of sbatch that makes Slurm itself wait for the other
 * jobs, "afterok:12:14"; to free.  Returns NULL if that is impossible, because
 * some of their tasks are not queued or would be requeued.
 */
char *job_dependency_for_slurm(const struct store_job *, const struct queue *);

/*
 * Update the dependencies of the job's arrays in Slurm; for watchers.  Slurm
 * does not know that tasks it waits for were restarted, nor that a dependency
 * that failed was satisfied later because the tasks were trained again.
 * Returns 0 or -1.
 */
int job_dependency_send(const struct store_job *, const struct store_chunks *,
    const struct store_requests *, const struct queue *, struct error *e);

#endif
