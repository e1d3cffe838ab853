/*
 * What would be queued: the calls of sbatch, the defaults, the copy of the
 * code, the batch script and the points, each under a line of its own.
 */
#ifndef STFM_SUBMIT_DRY_RUN_H
#define STFM_SUBMIT_DRY_RUN_H

#include <stdio.h>

#include "submit/defaults.h"
#include "submit/plan.h"

/*
 * The plan has its job's path and its batch script.  Lines are no wider than so
 * many columns (0: any): what is to be copied is broken as a shell joins it.
 */
void job_show_plan(
    FILE *, const struct job_plan *, const struct job_defaults *, size_t width);

/* How a job that is queued now is followed. */
void job_show_next(FILE *, const struct store_job *, size_t width);

#endif
