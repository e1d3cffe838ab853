/*
 * Stopping tasks: record a stop request, then have Slurm cancel.  A task with a
 * stop request ends STOPPED even if the call to Slurm fails, and if it starts
 * anyway, it ends before it trains.
 */
#ifndef STFM_CONTROL_CANCEL_H
#define STFM_CONTROL_CANCEL_H

#include "base/error.h"
#include "base/idset.h"

struct queue;
struct store_job;
struct store_table;

/*
 * Set *out, to idset_free, to those of tasks that are not over (state_is_over).
 */
void job_cancel_open(
    const struct store_table *, const struct idset *tasks, struct idset *out);

/*
 * Have Slurm cancel tasks whose stop requests are recorded already.  known is
 * the queue, if it was read just now and has all these tasks, so that it is not
 * read again; or NULL.  Returns 0, or -1; with ERROR_DAMAGED if all was
 * cancelled except chunks whose records are damaged, since their arrays are
 * unknown.
 */
int job_cancel_send(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const struct queue *known, struct error *e);

/* How far a failed stop got. */
enum job_cancel_outcome {
	JOB_CANCEL_UNRECORDED, /* a request is not recorded: Slurm not asked */
	JOB_CANCEL_UNANSWERED, /* recorded, but Slurm did not answer */
	JOB_CANCEL_REFUSED     /* Slurm refused, or a record is damaged */
};

/*
 * Stop those of tasks that are not over, with one call to Slurm for each array.
 * Newer attempts that were queued since the table was made are stopped too.
 * why is the recorded reason: the name of the rule that stops them, or NULL if
 * the user does; known is that of job_cancel_send.  Returns 0, or -1 with
 * *outcome set.
 */
int job_cancel(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const char *why, const struct queue *known,
    enum job_cancel_outcome *outcome, struct error *e);

/*
 * Stop newer attempts of tasks: attempts that were queued since the table was
 * made.  Attempts in the table are left alone, so call this for tasks that are
 * over in it.  Parameters and result are those of job_cancel.
 */
int job_cancel_repeated(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const char *why,
    enum job_cancel_outcome *outcome, struct error *e);

/*
 * Record that the job's policy may not requeue these failed tasks: they stay in
 * ERROR.  Then stop newer attempts of them, as job_cancel_repeated does.
 * Parameters and result are those of job_cancel.
 */
int job_cancel_retries(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const char *why,
    enum job_cancel_outcome *outcome, struct error *e);

/*
 * Cancel all arrays of a removed or finished job that are in the queue.  They
 * are found by the job's tokens.  Where possible, stop requests are recorded
 * first for tasks that are not over.  Returns 1 if something was cancelled, 2
 * if everything in the queue is already ending, 0 if the queue has nothing of
 * the job, or -1.
 */
int job_cancel_all(const struct store_job *, struct error *e);

/* Return 1 if an sbatch call for the job may be running, 0 if not, or -1. */
int job_is_being_queued(const struct store_job *, struct error *e);

/*
 * Return 1 if an sbatch call may be running or the queue has tasks of the job,
 * 0 if not, or -1: Slurm did not answer or, with ERROR_DAMAGED, a record is
 * damaged.
 */
int job_is_queued(const struct store_job *, struct error *e);

#endif
