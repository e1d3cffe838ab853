/*
 * Stopping tasks: the wish is recorded first, then Slurm is told.  So a task
 * that was asked to stop is STOPPED whatever becomes of the call, and one that
 * starts all the same ends before it trains.
 */
#ifndef STFM_JOB_STOP_H
#define STFM_JOB_STOP_H

#include "error.h"
#include "ranges.h"
#include "store-fold.h"
#include "store-job.h"

/* The tasks among some that are not over, by the fold.  Free with ranges_free.
 */
void job_stop_open(
    const struct store_fold *, const struct ranges *tasks, struct ranges *out);

/*
 * Tell Slurm alone: cancel tasks for which the wish is there.  -1 with errno
 * EBADMSG when that was done, but for a chunk whose records are damaged: which
 * array has its tasks cannot be told.
 */
int job_stop_tell(const struct store_job *, const struct store_fold *,
    const struct ranges *tasks, struct error *e);

/*
 * Stop tasks of a job that are not over.  One call to Slurm for each array.
 * why says which rule wants it, and is NULL when the user does: then Slurm is
 * told also when the wish cannot be recorded.  Returns 0, or -1; *told says
 * then whether Slurm was told all the same, or refused.
 */
int job_stop(const struct store_job *, const struct store_fold *,
    const struct ranges *tasks, const char *why, int *told, struct error *e);

/*
 * Tasks that have failed, and that the job's policy would queue again, are not
 * to be.  They stay in ERROR: that is how they ended.
 */
int job_stop_retries(const struct store_job *, const struct store_fold *,
    const struct ranges *tasks, struct error *e);

/*
 * Whether something of the job still is in the queue: 1 or 0, or -1 when
 * Slurm does not say, or with EBADMSG the job's damaged records.
 */
int job_is_queued(const struct store_job *, struct error *e);

#endif
