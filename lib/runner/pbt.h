/*
 * Population based training in a run: a task that does worse than the others at
 * a rung continues, in the same allocation, from the checkpoint of a better
 * task and with perturbed hyperparameters.
 *
 * The old run ends with a fact of kind Q; a fact of kind P has the new point
 * and the parent; then the checkpoint is copied, and the next run starts.  So a
 * run that is killed in between is continued by its next run.
 */
#ifndef STFM_RUNNER_PBT_H
#define STFM_RUNNER_PBT_H

#include <stdint.h>

#include "base/error.h"

struct idset;
struct job_run;
struct stop_pruned;

struct run_exploit {
	uint64_t parent;
	char *reason; /* why, for people; NULL: do not exploit */
};

/*
 * Choose a parent for a run among the best tasks: one that is not over and has
 * a checkpoint that is newer than its value at the rung before.  Returns 1 with
 * *out set, its reason to free; 0 if there is none; or -1.
 */
int run_pbt_choose(const struct job_run *, const struct idset *best,
    const struct stop_pruned *why, struct run_exploit *out, struct error *e);

/*
 * The training has ended because of this exploit: record the end of the run and
 * the point of the next one, and make r that run.  Returns 0 or -1.
 */
int run_pbt_next(struct job_run *, const struct run_exploit *, struct error *e);

/*
 * Copy the checkpoint of the parent of the run's point, unless a run has
 * started with it already.  Call it before the start is recorded.  Returns 0 or
 * -1.
 */
int run_pbt_adopt(struct job_run *, struct error *e);

#endif
