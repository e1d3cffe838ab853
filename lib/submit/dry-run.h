/*
 * The output of --dry-run: the sbatch calls, the defaults, the copy of the
 * code, the batch script and the points, each under its own heading.
 */
#ifndef STFM_SUBMIT_DRY_RUN_H
#define STFM_SUBMIT_DRY_RUN_H

#include <stdio.h>

#include "submit/plan.h"

/*
 * Print a plan, which must have its job's path and its batch script.  Lines are
 * at most width columns wide (0: any); long commands are broken so that a shell
 * joins them.
 */
void job_show_plan(FILE *, const struct job_plan *, size_t width);

/* Print how to follow a job that is queued now. */
void job_show_next(FILE *, const struct store_job *, size_t width);

#endif
