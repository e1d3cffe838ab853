/*
 * The best value of a job so far, against the hours that its tasks have used.
 *
 * A task is taken to have spent the same time on each of its epochs.
 */
#ifndef STFM_STATUS_SO_FAR_H
#define STFM_STATUS_SO_FAR_H

#include "metrics/metrics.h"
#include "view/view.h"

/* The columns of hours: of GPUs, and of trainings without GPUs. */
extern const char job_so_far_gpus[], job_so_far_time[];

/*
 * Return a log in CSV, to free: a line for each value of the metric that was
 * better than all before, and for the hours used by now.  The hours are those
 * of GPUs if gpus is true.  Returns NULL if no task has a value.  Counts in
 * *bad the logs that cannot be read, or that do not have the metric; sets why
 * to the reason for the last of these.
 */
char *job_so_far(const struct job_tasks *, const char *metric,
    enum metrics_goal, int gpus, size_t *bad, struct error *why);

#endif
