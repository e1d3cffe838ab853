/*
 * The value of --after: the jobs that a new job waits for.
 */
#ifndef STFM_SUBMIT_AFTER_H
#define STFM_SUBMIT_AFTER_H

#include "base/error.h"
#include "store/job.h"
#include "store/store.h"

/*
 * Make a new job depend on the jobs that text names, as in "prep,conv2d:ok" or
 * "@1".  ":ok" means that all their tasks have to finish.  Asks Slurm for the
 * state of those jobs, and refuses a dependency that can no longer be
 * satisfied.  store is NULL if there is none yet.  Returns 0 or -1.
 */
int job_dependency_set(struct store_job *, const struct store *store,
    const char *text, struct error *e);

#endif
