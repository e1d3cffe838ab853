/*
 * Checks before a stored job is queued: the program that its batch script runs,
 * and the directories that its tasks write to.
 */
#ifndef STFM_JOB_PREFLIGHT_H
#define STFM_JOB_PREFLIGHT_H

#include "base/error.h"

struct store;
struct store_job;

/*
 * Return the program that a batch script runs, relative to the store:
 * "libexec/stfm-run-...".  To free; NULL if the text names none.
 */
char *job_preflight_program(const char *batch);

/*
 * Read batch.sh; *text is to be freed.  Returns 0, or -1 with ERROR_DAMAGED if
 * it was modified since submission.
 */
int job_preflight_batch(const struct store_job *, char **text, struct error *e);

/*
 * Check that the job's copy of the user's batch script is what was submitted.
 * Returns 0, also if there is none, or -1 with ERROR_DAMAGED if it was
 * modified.
 */
int job_preflight_script(const struct store_job *, struct error *e);

/*
 * Refuse to queue a job if other users can change what its tasks run, if that
 * was modified since submission, or if the job's directory was moved.  Returns
 * 0, or -1, with ERROR_LATER if one of its files cannot be read now.
 */
int job_preflight_check(const struct store_job *, struct error *e);

/*
 * Check a job with job_preflight_check and restore what is missing.  program is
 * the stfm-run of this release.  The batch script names the stfm-run that the
 * job needs, with its checksum.  If the store lacks that one, program is
 * installed if it has this checksum; otherwise the job is refused and nothing
 * changes.  Returns 0, or -1.
 */
int job_preflight(const struct store *, const struct store_job *,
    const char *program, struct error *e);

#endif
