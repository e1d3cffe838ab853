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

#endif
