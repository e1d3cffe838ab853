/*
 * Preemption of a training whose steps hear of it before stfm-run does.
 *
 * At the begin of the grace time Slurm signals only the steps of a job, and the
 * batch script at its end.  A training in a step, which srun starts, may save
 * and exit 0 in between: that is not the end of a training.
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
 * cancel it as the site wants.  Returns the signal that came, or 0 if Slurm
 * does not preempt the job any more.
 */
int job_preempt_wait(const struct job_run *);

#endif
