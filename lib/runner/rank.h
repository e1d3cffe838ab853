/*
 * A rank of a distributed training: a process that runs the command with the
 * variables of its rank.  Ranks that only serve the first rank end with it.
 */
#ifndef STFM_RUNNER_RANK_H
#define STFM_RUNNER_RANK_H

#include "dist/rank-env.h"
#include "runner/supervise.h"

/*
 * Become the command, or supervise it if its end concerns other ranks.  Returns
 * an exit status after reporting what went wrong, or -1 if the command could
 * not be started, with ERROR_ABSENT if there is no such program.
 */
int job_rank_run(const struct dist_options *, const struct dist_rank_env *,
    char *const command[], struct error *e);

/*
 * Put the words that start all ranks of a task in front of its command.  dist
 * is what the job asks for, options are more options of srun, log is the path
 * of the task's log, failure a path at which no file exists, and program the
 * path of stfm-run, which runs job_rank for each rank.  Changes our environment
 * if Slurm would show each rank other GPUs than the framework expects.
 */
void job_rank_wrap(const char *dist, const struct strlist *options,
    const char *log, const char *failure, const char *program,
    struct strlist *command);

/*
 * Set *end to how the first failed rank ended, read from the file at failure;
 * call this after all ranks ended.  *end stays if no rank failed or the
 * training was asked to end.  The file is removed.
 */
void job_rank_failure(const char *failure, struct job_supervised *end);

/*
 * Run one rank of a task; words are those that job_rank_wrap put after "rank".
 * The first rank uses the metrics and output of the task; the output of other
 * ranks goes to a file in the log's directory.  Returns as job_rank_run.
 */
int job_rank(char *const words[], struct error *e);

#endif
