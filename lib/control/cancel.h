/*
 * Stopping tasks: the wish is recorded first, then Slurm is told.  So a task
 * that was asked to stop is STOPPED whatever becomes of the call, and one that
 * starts all the same ends before it trains.
 */
#ifndef STFM_CONTROL_CANCEL_H
#define STFM_CONTROL_CANCEL_H

#include "base/error.h"
#include "base/idset.h"
#include "store/job.h"
#include "store/table.h"

/*
 * The tasks among some that are not over, by the fold, as state_is_over
 * says.  Free with idset_free.
 */
void job_cancel_open(
    const struct store_table *, const struct idset *tasks, struct idset *out);

/*
 * Tell Slurm alone: cancel tasks for which the wish is there.  -1 with errno
 * EBADMSG when that was done, but for a chunk whose records are damaged: which
 * array has its tasks cannot be told.
 */
int job_cancel_tell(const struct store_job *, const struct store_table *,
    const struct idset *tasks, struct error *e);

/* How far a stop came that failed. */
enum job_cancel_told {
	JOB_CANCEL_UNWISHED, /* a wish is not recorded: Slurm is not told */
	JOB_CANCEL_UNTOLD,   /* they are, but Slurm did not answer */
	JOB_CANCEL_TOLD      /* Slurm refused, or a record is damaged */
};

/*
 * Stop tasks of a job that are not over.  One call to Slurm for each array.
 * What was queued again meanwhile is stopped too, as job_cancel_newer says.
 * why says which rule wants it, and is NULL when the user does.  Returns 0, or
 * -1 and *told.
 */
int job_cancel(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const char *why, enum job_cancel_told *told,
    struct error *e);

/* Of tasks that are over stop only what was queued again meanwhile. */
int job_cancel_repeated(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const char *why, enum job_cancel_told *told,
    struct error *e);

/*
 * Tasks that have failed, and that the job's policy would queue again, are not
 * to be.  They stay in ERROR: that is how they ended.  Those that were queued
 * again meanwhile are stopped; else as job_cancel.
 */
int job_cancel_retries(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const char *why, enum job_cancel_told *told,
    struct error *e);

/*
 * Cancel whatever of the job is in the queue, known by its tokens, for a job
 * that is removed or over: the stop of tasks that are not over is recorded
 * where it can be.  Returns 1 when something was cancelled, 2 when what is
 * there is just ending, 0 when nothing is there, or -1.
 */
int job_cancel_all(const struct store_job *, struct error *e);

/* Whether an sbatch of the job may be under way: 1, 0, or -1. */
int job_is_being_queued(const struct store_job *, struct error *e);

/*
 * The same, or something of the job is in the queue; -1 also when Slurm does
 * not say, or with EBADMSG the job's damaged records.
 */
int job_is_queued(const struct store_job *, struct error *e);

#endif
