/* Where the training log of a task is. */
#ifndef STFM_JOB_METRICS_H
#define STFM_JOB_METRICS_H

#include "job-args.h"
#include "store-fold.h"
#include "store-job.h"

/*
 * The path of the log of a task's current attempt, to free: where it was found
 * before, else where the user says that it is, where $STFM_METRICS told the
 * training to write, or where S-TFManager's scripts do; what it prints where
 * the job has patterns for that, and the user does not say.  values is the
 * task's point, one for each of job->names.  NULL while there is no log.
 * It may be a directory, see record-files.h.
 */
char *job_metrics_find(const struct store_job *, const struct store_row *,
    const char *const *values);

/* Whether a log is a directory of event files. */
int job_metrics_is_directory(const char *path);

/*
 * The patterns for the job's logs, to free, or NULL when they are no text:
 * for metrics_wish.  One that this build cannot read is left out.
 */
struct record_pattern *job_metrics_pattern(const struct store_job *);
struct metrics_wish job_metrics_wish(
    const struct store_job *, const struct record_pattern *);

/*
 * An attempt from scratch is about to begin: where the log of the attempt
 * before is in a place that this one will write to, because the training
 * chooses it, move it aside.  Nothing is ever written over.
 */
void job_metrics_keep(const struct job_task *);

/* The path of the log of an earlier attempt, to free, or NULL. */
char *job_metrics_kept(const struct store_job *, const struct store_row *,
    const char *const *values);

/*
 * Bring a summary of the log of a task up to date with what was written since;
 * all zero is one of which nothing was read.  Returns whether there is a log.
 */
int job_metrics_read(const struct job_task *, struct metrics_summary *);

/* The same of a log of the job whose path is known. */
void job_metrics_read_file(
    const struct store_job *, const char *path, struct metrics_summary *);

/* Whether a whole epoch has been logged: one with a value of the objective. */
int job_metrics_has_epoch(const struct metrics_summary *);

/* Whether an epoch after those of the earlier summary has been logged. */
int job_metrics_went_on(
    const struct metrics_summary *earlier, const struct metrics_summary *now);

/*
 * Whether the log has reached the last epoch, where the job or one of its
 * hyperparameters says how many there are.
 */
int job_metrics_is_complete(
    const struct job_task *, const struct metrics_summary *);

#endif
