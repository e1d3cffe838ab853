/*
 * Removing a job while others may queue its tasks: a user who restarts tasks, a
 * rule, or a watcher that queues the rest.
 *
 * A program that queues records a try first, then checks that the job is still
 * in its place (store_job_is_gone), and calls sbatch only if it is.  A program
 * that removes moves the job away first, then looks for tries and in Slurm.
 *
 * A moved directory keeps its records and stays open to programs that opened
 * it.  So a try was either recorded before the move, and is found here, or
 * after it, and then its program finds the job gone.  No array is left behind
 * in any order of the steps.  If this program is killed after the move, the
 * program that called sbatch checks again at its end and cancels its array.
 */
#ifndef STFM_CONTROL_REMOVE_H
#define STFM_CONTROL_REMOVE_H

#include "base/error.h"

struct store;
struct store_job;

/*
 * Cancel everything of the job in the queue and wait until nothing is left.
 * Returns 0, 1 if something is still there, or -1 as job_is_queued.
 */
int job_remove_wait(const struct store_job *, struct error *e);

enum job_removal {
	JOB_REMOVED,
	JOB_REMOVED_BEFORE, /* by another program */
	JOB_NOT_ENDED,  /* the tasks did not end; the job is back: try again */
	JOB_NOT_REMOVED /* e says why, and whether it is in place */
};

/*
 * Remove a job.  Tasks queued since job_remove_wait are cancelled and waited
 * for; *late says that there were any.  If they do not end, the job is put
 * back.
 */
enum job_removal job_remove(
    const struct store *, const struct store_job *, int *late, struct error *e);

#endif
