/* The command line of a task, for people to copy into a shell. */
#ifndef STFM_RUNNER_COMMAND_LINE_H
#define STFM_RUNNER_COMMAND_LINE_H

struct job_task;

/*
 * Return the command by which the task trains: "cd PLACE && env STFM_TASK=3 ...
 * python train.py --lr=0.1", quoted for a shell; to free.  It lacks what only
 * an allocation has: Slurm's variables, the srun of --dist, and the GPU options
 * of a container.
 */
char *job_command_line(const struct job_task *);

#endif
