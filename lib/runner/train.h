/*
 * Training a task, from the check whether it may train to the record of its
 * end: what stfm-run does in a Slurm task.
 */
#ifndef STFM_RUNNER_TRAIN_H
#define STFM_RUNNER_TRAIN_H

#include "runner/task.h"

/*
 * Train an opened run.  What people should know goes to its say and warn.  At
 * the time limit the task may be requeued.  Returns the exit status: that of
 * the training, if one ran.
 */
int job_train(struct job_run *);

/* Return the exit code of a shell for a command that could not be started. */
static inline int
job_train_code(const struct error *e)
{
	return e->code == ERROR_ABSENT ? 127 : 126;
}

#endif
