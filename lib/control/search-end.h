/*
 * The end of a search: --until a value is reached, or --gpu-hours are used.
 * Then the tasks that are not over are stopped.  A starting run finds this out
 * itself, so no watcher is needed; a watcher also stops tasks that run.
 */
#ifndef STFM_CONTROL_SEARCH_END_H
#define STFM_CONTROL_SEARCH_END_H

#include <stdint.h>

#include "base/error.h"

struct store_job;

/*
 * Return whether the search of a job is over: 1 with the words of the stop
 * requests in *why, to free; 0; or -1 if that is unknown.
 */
int job_search_ended(const struct store_job *, char **why, struct error *e);

/*
 * Return as job_search_ended does, with the reason to add no tasks, and what to
 * do instead, in *why.
 */
int job_search_no_more(const struct store_job *, char **why, struct error *e);

/*
 * Set *hours to the GPU hours of all runs of a job, up to now for runs without
 * an end.  A run whose end is known has lasted as long as its node says; the
 * clock of the file system counts for the others.  Returns 0 or -1.
 */
int job_search_gpu_hours(
    const struct store_job *, double *hours, struct error *e);

#endif
