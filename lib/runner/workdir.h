/*
 * The working directory of a job's tasks: the copy of its code, if there is
 * one.  A task that starts there finds the copies under the names of the
 * originals.
 */
#ifndef STFM_RUNNER_WORKDIR_H
#define STFM_RUNNER_WORKDIR_H

struct job_task;
struct store_job;
struct strlist;

/* Replace words that are paths of copied files by the paths of the copies. */
void job_workdir_words(const struct store_job *, struct strlist *command);

/*
 * Set PWD, STFM_DIRECTORY (the original directory) and STFM_COMMIT, and make
 * SLURM_SUBMIT_DIR and the directories in PYTHONPATH lead to the copies.
 * Packages of the code that are installed in place are put before PYTHONPATH.
 */
void job_workdir_environment(
    const struct store_job *, struct strlist *environment);

/*
 * Return a command line that trains like the task, quoted for a shell; to free:
 * "scratch=$(mktemp -d) && cd PLACE && env STFM_TASK=3 ... python train.py
 * --lr=0.1".  It works in a copy of the code, and its metrics and checkpoints
 * go below $scratch, so that it changes nothing in the store.  It lacks what
 * only an allocation has: Slurm's variables, the srun of --dist, and the GPU
 * options of a container.
 */
char *job_command_line(const struct job_task *);

#endif
