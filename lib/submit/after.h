/*
 * The value of --after: the jobs that a new job waits for.
 */
#ifndef STFM_SUBMIT_AFTER_H
#define STFM_SUBMIT_AFTER_H

#include "base/error.h"
#include "store/job.h"
#include "store/store.h"

/*
 * Let a new job wait for the jobs that text names, as in "prep,conv2d:ok" or
 * "@1".  ":ok" means that all tasks have to finish.  Asks Slurm how those jobs
 * are, and refuses what can no longer come true.  store may be NULL: there is
 * none yet.  Returns 0, or -1 with the reason.
 */
int job_dependency_set(struct store_job *, const struct store *store,
    const char *text, struct error *e);

#endif
