/*
 * From a plan to a job in the store: what the user left unsaid is filled in, it
 * gets a name that is free, and it is written there.
 */
#ifndef STFM_SUBMIT_SUBMIT_H
#define STFM_SUBMIT_SUBMIT_H

#include "base/error.h"
#include "base/strlist.h"
#include "store/store.h"
#include "submit/plan.h"

/*
 * Complete a plan that has its points, its command and the options: who submits
 * it, from where and how, and what sbatch is told.  sbatch are the user's
 * options as typed, argv is the command line for the record.  A job in which
 * job_provenance_secret finds something is for its owner alone.
 */
int job_submit_complete(struct job_plan *, const struct strlist *sbatch,
    int argc, char *const argv[], struct error *e);

/*
 * Name the job: a name of the user's own has to be free in the store, which may
 * be NULL; a default one is made so.
 */
int job_submit_name(struct job_plan *, const struct store *, struct error *e);

/* Write plan->batch for a store at this path, where tasks run a copy of the
 * program. */
int job_submit_batch(
    struct job_plan *, const char *store, const char *program, struct error *e);

/*
 * Store the job with its code, and the program, under its name; without one
 * under the first default one that is free.  errno is as of store_job_create.
 */
int job_submit_store(struct job_plan *, const struct store *,
    const char *program, struct error *e);

#endif
