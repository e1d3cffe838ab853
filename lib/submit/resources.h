/*
 * Resources of single tasks: columns of points such as @mem and @time become
 * options of sbatch, for each group of tasks separately.
 */
#ifndef STFM_SUBMIT_RESOURCES_H
#define STFM_SUBMIT_RESOURCES_H

#include "base/error.h"
#include "submit/plan.h"

/*
 * Set the options of each group in plan->job.  All other options of sbatch must
 * be known.  Returns 0, or -1 for a value that sbatch would refuse, or that
 * contradicts another option.
 */
int job_resource_complete(struct job_plan *, struct error *e);

/* Return whether it is certain that no task of a stored job asked for a GPU. */
int job_resource_has_no_gpu(const struct store_job *);

#endif
