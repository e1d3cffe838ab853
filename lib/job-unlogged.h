/*
 * Tasks of which no metrics were found, though they have trained: what to do
 * about it.
 */
#ifndef STFM_JOB_UNLOGGED_H
#define STFM_JOB_UNLOGGED_H

#include "job-view.h"

/* Whether a task has finished, or runs for long, and has written no metrics. */
int job_unlogged(struct job_view *, uint64_t task);

/*
 * Where metrics were looked for, and how they come there, as a sentence to
 * free; it names files of the job that look like metrics.
 */
char *job_unlogged_advice(const struct store_job *);

/*
 * That by --metrics all tasks of a job write one file, as a sentence to free,
 * or NULL.
 */
char *job_unlogged_clash(const struct store_job *);

#endif
