/*
 * What the points of a plan ask of Slurm by themselves: the columns @mem, @time
 * and their like become options of sbatch, for each group of tasks its own.
 */
#ifndef STFM_SUBMIT_RESOURCES_H
#define STFM_SUBMIT_RESOURCES_H

#include "base/error.h"
#include "submit/plan.h"

/*
 * Give the groups of plan->job the options that they ask for.  All else that is
 * said to sbatch has to be known.  Returns 0, or -1 for a value that sbatch
 * would not take, or that stands against what is said elsewhere.
 */
int job_resource_complete(struct job_plan *, struct error *e);

/* Whether it is certain that no task of a stored job was to get a GPU. */
int job_resource_has_no_gpu(const struct store_job *);

#endif
