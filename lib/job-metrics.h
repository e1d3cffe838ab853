/* Where the training log of a task is. */
#ifndef STFM_JOB_METRICS_H
#define STFM_JOB_METRICS_H

#include "store-fold.h"
#include "store-job.h"

/*
 * The path of the log of a task's current attempt, to free: where it was found
 * before, else where the user says that it is, where $STFM_METRICS told the
 * training to write, or where S-TFManager's scripts do.  values is the task's
 * point, one for each of job->names.  NULL while there is no log.
 */
char *job_metrics_find(const struct store_job *, const struct store_row *,
    const char *const *values);

#endif
