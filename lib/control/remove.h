/*
 * Removing a job, whoever queues some of it meanwhile: a user who restarts
 * tasks, a rule, a watcher with what was left.
 *
 * Who queues records a try first, looks then whether the job still is in its
 * place (store_job_is_gone), and calls sbatch only if it is.  Who removes takes
 * the job out of its place first, and looks then for tries, and in Slurm.  A
 * directory that is moved keeps its records and those who have it open: so a
 * try was recorded before the job was taken, and is found here, or after, and
 * then who recorded it finds the job gone.  No array is left behind, however
 * their steps are mixed.  Where this is killed after it took the job, who has
 * called sbatch looks once more in the end, and cancels what it queued.
 */
#ifndef STFM_CONTROL_REMOVE_H
#define STFM_CONTROL_REMOVE_H

#include "base/error.h"
#include "store/job.h"

/*
 * Cancel what is in the queue of the job and wait until nothing is.  Returns 0,
 * 1 when something is all the same, or -1 as job_is_queued.
 */
int job_remove_wait(const struct store_job *, struct error *e);

enum job_removal {
	JOB_REMOVED,
	JOB_REMOVED_BEFORE, /* by somebody else */
	JOB_NOT_ENDED,      /* it is back in its place: try again */
	JOB_NOT_REMOVED     /* e says why, and whether it is in its place */
};

/*
 * Remove it.  What was queued after the wait is cancelled, and waited for; when
 * it does not end the job is put back.  *late says that there was something.
 */
enum job_removal job_remove(
    const struct store *, const struct store_job *, int *late, struct error *e);

#endif
