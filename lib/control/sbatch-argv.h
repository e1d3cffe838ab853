/* The arguments of sbatch for a chunk of a job. */
#ifndef STFM_CONTROL_SBATCH_ARGV_H
#define STFM_CONTROL_SBATCH_ARGV_H

#include "base/strlist.h"

struct store_chunk;
struct store_job;

/*
 * Return the value of an option of sbatch, "--dependency", or NULL.  The last
 * one of the chunk counts, before those of the job.  It belongs to them.
 */
const char *job_sbatch_option(
    const struct store_job *, const struct store_chunk *, const char *name);

/*
 * Return the user's --dependency with more added, "afterany:12"; NULL or ""
 * adds nothing.  To free.
 */
char *job_sbatch_dependency(
    const struct store_job *, const struct store_chunk *, const char *more);

/*
 * Return whether the array is queued held.  --hold of stfm-submit holds first
 * attempts alone: who restarts a task, or lets a rule do it, wants it to run.
 */
int job_sbatch_is_held(const struct store_job *, const struct store_chunk *);

/*
 * Put the arguments of one sbatch call into out, which must be empty; to
 * strlist_free.  after is a dependency to add to the user's, "afterany:12", or
 * NULL; script is the path of the batch script.
 */
void job_sbatch_argv(const struct store_job *, const struct store_chunk *,
    const char *after, const char *script, struct strlist *out);

#endif
