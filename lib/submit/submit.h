/*
 * Submission: a plan becomes a job in the store.  The plan gets defaults,
 * dependencies and a free name, and is written to the store.
 */
#ifndef STFM_SUBMIT_SUBMIT_H
#define STFM_SUBMIT_SUBMIT_H

#include "base/error.h"
#include "base/strlist.h"
#include "submit/plan.h"

struct store;

/*
 * Complete a plan that has its points, command and options: who submits it,
 * from where and how, and the options of sbatch.  sbatch are the user's options
 * as typed, argv is the command line to record.  A job is private if
 * job_provenance_secret finds something in it.  Returns 0 or -1.
 */
int job_submit_complete(struct job_plan *, const struct strlist *sbatch,
    int argc, char *const argv[], struct error *e);

/*
 * Make a new job depend on the jobs that text names, as in "prep,conv2d:ok" or
 * "@1".  ":ok" means that all their tasks must finish.  Asks Slurm for the
 * state of those jobs, and refuses a dependency that can no longer be
 * satisfied.  store is NULL if there is none yet.  Returns 0 or -1.
 */
int job_dependency_set(struct store_job *, const struct store *store,
    const char *text, struct error *e);

/*
 * Name the job.  A name that the user chose must be free in the store, which
 * may be NULL; a default name is made unique.  Returns 0 or -1.
 */
int job_submit_name(struct job_plan *, const struct store *, struct error *e);

/*
 * Write plan->batch for a store at path store; tasks run a copy of program.
 * Returns 0 or -1.
 */
int job_submit_batch(
    struct job_plan *, const char *store, const char *program, struct error *e);

/*
 * Store the job with its code and program under its name or, if it has none,
 * under the first free default name.  Returns 0, or -1 with the codes of
 * store_job_create.
 */
int job_submit_store(struct job_plan *, const struct store *,
    const char *program, struct error *e);

#endif
