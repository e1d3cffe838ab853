/*
 * A rank of a distributed training: the command is started with the variables
 * of its place, and where ranks serve the first one, they end with it.
 */
#ifndef STFM_RUNNER_RANK_H
#define STFM_RUNNER_RANK_H

#include "job/dist.h"
#include "runner/supervise.h"

/*
 * Become the command, or stay with it where its end concerns others.  Returns
 * an exit status; it was reported what went wrong, or -1 with e where the
 * command could not be started (errno).
 */
int job_rank_run(const struct dist_wish *, const struct job_dist *,
    char *const command[], struct error *e);

/*
 * Put before the command of a task what starts it as all its ranks: dist is
 * what the job asks for, options more of srun's, log the path of the task's
 * log, failure that of a file which is not there, and program that of stfm-run,
 * which then is job_rank in each.
 * Changes our environment where Slurm would show each rank other GPUs than the
 * framework expects.
 */
void job_rank_wrap(const char *dist, const struct strlist *options,
    const char *log, const char *failure, const char *program,
    struct strlist *command);

/*
 * After that has ended: when a rank failed, and nobody had asked it to end, how
 * the first of them did, and the file is removed.
 */
void job_rank_failure(const char *failure, struct job_supervised *end);

/*
 * One rank of a task: words are what job_rank_wrap put behind "rank".  The
 * first rank's metrics and output are those of the task; what others print goes
 * to a file beside the log.  Returns as job_rank_run.
 */
int job_rank(char *const words[], struct error *e);

#endif
