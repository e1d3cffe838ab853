/*
 * Running a task of a Slurm array on its node: check that the array may train
 * it, record the start, train, record the end or requeue the task.
 */
#ifndef STFM_RUNNER_RUN_H
#define STFM_RUNNER_RUN_H

/*
 * Run all tasks at our index of the array.  program is the path of stfm-run,
 * words are the arguments in the batch script: job directory, id, chunk.
 * Reports failures and returns the exit status; if one training ran, its
 * status.
 */
int job_run_task(const char *program, char *const words[3]);

/*
 * Run one of several packed tasks; the first word is its number at our index,
 * from 0.
 */
int job_run_packed_task(const char *program, char *const words[4]);

#endif
