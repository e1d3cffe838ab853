/* What sbatch is told about a chunk of a job. */
#ifndef STFM_CONTROL_SBATCH_ARGV_H
#define STFM_CONTROL_SBATCH_ARGV_H

#include "base/strlist.h"
#include "store/chunk.h"

/* The last value of an option, "--dependency", of those of both; or NULL. */
const char *job_sbatch_option(
    const struct store_job *, const struct store_chunk *, const char *name);

/*
 * What an array waits for, as Slurm takes it, to free: what its user says and
 * more, "afterany:12"; NULL or "" is nothing more.
 */
char *job_sbatch_dependency(
    const struct store_job *, const struct store_chunk *, const char *more);

/*
 * Whether the array comes into the queue held.  What its job was submitted with
 * says that of its first attempts: what is queued again is wanted to train.
 */
int job_sbatch_is_held(const struct store_job *, const struct store_chunk *);

/*
 * The words of one sbatch call.  after is what it has to wait for beside what
 * its user says, "afterany:12", or NULL; script is the path of the batch
 * script.  The list is empty before and to be freed.
 */
void job_sbatch_argv(const struct store_job *, const struct store_chunk *,
    const char *after, const char *script, struct strlist *out);

#endif
