/*
 * The requeue decision: whether a training that ended shortly before its time
 * limit is requeued.  It depends only on the run.
 */
#ifndef STFM_RUNNER_REQUEUE_DECISION_H
#define STFM_RUNNER_REQUEUE_DECISION_H

#include <stdint.h>

struct job_requeue {
	const struct store_policy *policy;
	int preempted;   /* Slurm signalled the job's steps for a preemption */
	int noticed;     /* the run got the time-limit signal */
	int early;       /* that signal came long before the limit */
	int unwanted;    /* the run was asked to end, or to stop */
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
 * Decide about a run that has ended.  A run that ends after the time-limit
 * signal is requeued unless it exited 0 and is complete.  From the second run
 * on, it must have completed an epoch.  If the signal came early, not the time
 * limit ended the run but another job that needs the node, as in a preemption
 * by Slurm: the run is always requeued.
 *
 * A preempted run is requeued, too.  If that is not allowed it waits until
 * Slurm ends it: if it exited first, Slurm would consider the job completed.
 */
enum job_requeue_answer job_requeue(const struct job_requeue *);

#endif
