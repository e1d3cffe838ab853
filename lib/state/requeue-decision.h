/*
 * Whether a training that ended when its time was nearly up goes back into the
 * queue: the decision alone, from what is known of the run.
 */
#ifndef STFM_STATE_REQUEUE_DECISION_H
#define STFM_STATE_REQUEUE_DECISION_H

#include <stdint.h>

#include "store/policy.h"

/* The cause of a run that was to go back, which could not be recorded. */
extern const char job_requeue_unsaid[];

struct job_requeue {
	const struct store_policy *policy;
	int preempted;   /* its steps were told that Slurm preempts it */
	int noticed;     /* it was told that its time is nearly up */
	int early;       /* ... but much of its time limit was left then */
	int unwanted;    /* somebody asked it to end, or to stop */
	int64_t exit;    /* exit code */
	int complete;    /* it has trained all there is to train */
	int64_t earlier; /* runs of this training before */
	int progress; /* it completed an epoch: 1, 0, or -1: no log was read */
};

enum job_requeue_answer {
	JOB_REQUEUE_NO,     /* it is over, and that is all */
	JOB_REQUEUE_YES,    /* back into the queue with it */
	JOB_REQUEUE_STUCK,  /* no: the next run would not get further */
	JOB_REQUEUE_ENOUGH, /* no: it was put back often enough */
	JOB_REQUEUE_WAIT,   /* Slurm decides when it ends the job */
};

/*
 * Decide about a run that has ended.  A run that ends after the notice goes
 * back, whatever its exit code, unless it ended with 0 and is complete.  A run
 * that got the notice early was not ended by its time limit but by somebody who
 * needs its place, as Slurm does for preemption: it always goes back.  Any
 * other run but the first must have completed an epoch.
 *
 * A preempted run goes back, too.  If it may not be requeued it waits for its
 * end by Slurm: if it exited first, Slurm would take the job for completed.
 */
enum job_requeue_answer job_requeue(const struct job_requeue *);

#endif
