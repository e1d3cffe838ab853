/*
 * --after: a job that waits for others of the store.  It is queued when they
 * are over, or have FINISHED but for what --sync has dropped; that they were is
 * recorded and stays so, whatever is started again later.
 *
 * Where Slurm knows all that there is to wait for, it is queued at once with a
 * dependency on their arrays, and Slurm waits; else a watcher does.
 */
#ifndef STFM_CONTROL_DEPENDENCY_H
#define STFM_CONTROL_DEPENDENCY_H

#include "base/error.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/request.h"
#include "store/store.h"

/*
 * Check that what a new job waits for can still come true: job->after is set.
 * Returns 0, or -1 with the reason and what to do.
 */
int job_dependency_check(
    const struct store_job *, const struct store *, struct error *e);

enum job_dependency {
	JOB_DEPENDENCY_MET,   /* there is nothing to wait for */
	JOB_DEPENDENCY_WAITS, /* not yet */
	JOB_DEPENDENCY_NEVER  /* not before somebody restarts or stops something
			       */
};

/*
 * How it is by the tables of the others as they are.  *why, to free, is NULL
 * when there is nothing to wait for: "after prep", "after prep, eval and net",
 * "after conv2d, of which 2 tasks did not finish", or of one that waits for
 * such itself "after eval, which cannot start".
 */
enum job_dependency job_dependency_look(const struct store_job *, char **why);

/*
 * The same, but that it is recorded when there is nothing to wait for.  Returns
 * 0, or -1 when that fails or one of the others cannot be read.
 */
int job_dependency_settle(const struct store_job *, enum job_dependency *how,
    char **why, struct error *e);

/* The jobs that it still waits for, to store_job_free and free. */
struct store_job **job_dependency_jobs(const struct store_job *, size_t *count);

/*
 * What Slurm can wait for in its place, "afterok:12:14"; to free.  NULL when it
 * does not know it all: some of it is not queued, or would be queued again.
 */
char *job_dependency_dependency(const struct store_job *, const struct queue *);

/*
 * For watchers: tell Slurm what arrays of the job that wait there are to wait
 * for now.  It does not know of tasks that were restarted since, nor that what
 * failed has come true when it was trained again.  Returns 0, or -1.
 */
int job_dependency_tell(const struct store_job *, const struct store_chunks *,
    const struct store_requests *, const struct queue *, struct error *e);

#endif
