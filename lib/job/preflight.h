/*
 * What the tasks of a stored job need to start: the program that its batch
 * script runs, and the directories they write to.
 */
#ifndef STFM_JOB_PREFLIGHT_H
#define STFM_JOB_PREFLIGHT_H

#include "base/error.h"
#include "store/job.h"

/*
 * The program that a batch script runs, relative to the store:
 * "libexec/stfm-run-...".  To free; NULL when the text names none.
 */
char *job_preflight_program(const char *batch);

/*
 * Read batch.sh (to free).  Returns 0, or -1; errno is EBADMSG when it is not
 * what was submitted.
 */
int job_preflight_batch(const struct store_job *, char **text, struct error *e);

/*
 * Whether the job's copy of the user's own batch script is what was submitted:
 * 0, also when there is none, or -1 as job_preflight_batch.
 */
int job_preflight_script(const struct store_job *, struct error *e);

/*
 * Refuse a job that is about to be queued when somebody else can change what
 * its tasks run, or it is not what was submitted, or not where it was made.
 */
int job_preflight_check(const struct store_job *, struct error *e);

/*
 * Make again what is missing in a job that job_preflight_check takes.  program
 * is the one of this release, which is installed if it is the very one that is
 * missing; another is refused, and then nothing has changed.
 */
int job_preflight(const struct store *, const struct store_job *,
    const char *program, struct error *e);

#endif
