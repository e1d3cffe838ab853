/*
 * What the tasks of a stored job need to start: the program that its batch
 * script runs, and the directories they write to.
 */
#ifndef STFM_JOB_READY_H
#define STFM_JOB_READY_H

#include "error.h"
#include "store-job.h"

/*
 * The program that a batch script runs, relative to the store:
 * "libexec/stfm-run-...".  To free; NULL when the text names none.
 */
char *job_ready_program(const char *batch);

/*
 * Make again what is missing.  program is the one of this release, which is
 * installed if it is the very one that is missing; another is refused, and then
 * nothing has changed.
 */
int job_ready(const struct store *, const struct store_job *,
    const char *program, struct error *e);

#endif
