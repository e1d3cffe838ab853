/*
 * Where the tasks of a job run: in the copy of its code, where it has one.  A
 * task that starts there is to find its own copies under the names by which
 * the user knows the originals.
 */
#ifndef STFM_JOB_WORKDIR_H
#define STFM_JOB_WORKDIR_H

#include "store/job.h"

/* Replace words that are paths of copied files by the paths of the copies. */
void job_workdir_words(const struct store_job *, struct strlist *command);

/*
 * Set PWD, STFM_DIRECTORY (the original directory) and STFM_COMMIT, and let
 * SLURM_SUBMIT_DIR and the directories in PYTHONPATH lead to the copies.
 * Packages of the code that are installed as they are go before PYTHONPATH.
 */
void job_workdir_environment(
    const struct store_job *, struct strlist *environment);

#endif
