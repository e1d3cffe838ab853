/*
 * Preemption of a training whose steps get the signal before stfm-run does.
 *
 * Slurm signals only the steps of a job at the start of the grace time, and the
 * batch script at its end.  A training in a step, which srun starts, may save
 * and exit 0 in between.  Such a training is preempted, not finished.
 */
#ifndef STFM_RUNNER_PREEMPT_H
#define STFM_RUNNER_PREEMPT_H

#include "runner/task.h"

/*
 * Return whether the training that just ended was in a step and Slurm is
 * preempting its job: 1 or 0.  Slurm is asked only if there was such a step;
 * no answer counts as 0.
 */
int job_preempt_is_on(const struct job_run *);

/*
 * Wait until Slurm ends the preempted job; only then does Slurm requeue or
 * cancel it as the site wants.  Returns the signal that arrived, or 0 if Slurm
 * no longer preempts the job.
 */
int job_preempt_wait(const struct job_run *);

/* A run that ended, as far as it matters for its requeue. */
struct job_requeue {
	const struct store_policy *policy;
	int preempted;   /* Slurm signalled the job's steps for a preemption */
	int noticed;     /* the run got the time-limit signal */
	int early;       /* that signal came long before the limit */
	int unwanted;    /* a stop request or a signal asked the run to end */
	int64_t exit;    /* exit code */
	int complete;    /* the training is complete */
	int64_t earlier; /* earlier runs of this training */
	int progress;    /* completed an epoch: 1, 0, or -1: no log read */
};

enum job_requeue_answer {
	JOB_REQUEUE_NO,     /* the task is over */
	JOB_REQUEUE_YES,    /* requeue the task */
	JOB_REQUEUE_STUCK,  /* no: the next run would get no further */
	JOB_REQUEUE_ENOUGH, /* no: it was requeued as often as is allowed */
	JOB_REQUEUE_WAIT,   /* wait until Slurm ends the job and decides */
};

/*
 * Decide what happens to a task whose run has ended.  The first case that
 * applies counts:
 * - NO: the run was unwanted, or exited 0 and is complete.
 * - Without --requeue: WAIT for a preempted run, NO for any other.  If stfm-run
 *   exited before Slurm ends the job, Slurm would consider the job completed.
 * - NO: the run got no time-limit signal and is not preempted.
 * - YES: the run is preempted, or got the signal early.  Then another job needs
 *   the node, as in a preemption, and the run did not use up its time.
 * - STUCK: the second or a later run completed no epoch.
 * - ENOUGH: as many runs as --requeue allows have been requeued.
 * - YES otherwise.
 */
enum job_requeue_answer job_requeue(const struct job_requeue *);

#endif
