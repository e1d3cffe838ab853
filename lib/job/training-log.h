/* Where the training log of a task is. */
#ifndef STFM_JOB_TRAINING_LOG_H
#define STFM_JOB_TRAINING_LOG_H

#include "job/argv.h"
#include "store/job.h"
#include "store/table.h"

/*
 * The path of the log of a task's current attempt, to free: where it was found
 * before, else where the user says that it is, where $STFM_METRICS told the
 * training to write, or where S-TFManager's scripts do; what it prints where
 * the job has patterns for that, and the user does not say.  values is the
 * task's point, one for each of job->names.
 * NULL while there surely is none; before the run has begun, what is outside
 * of the store is not looked at.  A place that
 * cannot be looked at may have it, and is returned: reading it says why it
 * cannot be read.  It may be a directory, see metrics/read-files.h.
 */
char *job_training_log_find(const struct store_job *, const struct store_row *,
    const char *const *values);

/*
 * Whether the run is known to have begun: else what lies outside of the store,
 * where it will write, is not its own.
 */
int job_training_log_has_begun(const struct store_row *);

/* Whether a log is a directory of event files. */
int job_training_log_is_directory(const char *path);

/*
 * The patterns for the job's logs, to free, or NULL when they are no text:
 * for metrics_wish.  One that this build cannot read is left out.
 */
struct record_pattern *job_training_log_pattern(const struct store_job *);
struct metrics_wish job_training_log_wish(
    const struct store_job *, const struct record_pattern *);

/*
 * A run from scratch is about to begin: where the log of the run before is in a
 * place that this one will write to, move it aside.  Nothing is ever written
 * over.  That run was of an earlier attempt, or of this one.
 */
void job_training_log_keep(
    const struct job_task *, uint32_t attempt, uint32_t restart);

/*
 * A run is about to begin: what others have left where its log is to be kept
 * one day gets another name, which ends in ".before-" and the id of the job
 * (and a number, where that is taken); so does, where the task has never run,
 * what they have left where its log will be.  Of a directory these are the logs
 * in it.  Each is told in a line.
 */
void job_training_log_set_aside(
    const struct job_task *, int is_first, struct strlist *told);

/* Whether there may be something to set aside. */
int job_training_log_is_taken(const struct job_task *);

/* The path of the log of an earlier attempt, as job_training_log_find. */
char *job_training_log_kept(const struct store_job *, const struct store_row *,
    const char *const *values);

/* ... for a run of an attempt that had another one, where it has its own. */
char *job_training_log_kept_run(const struct store_job *,
    const struct store_row *, const char *const *values);

/*
 * Bring a summary of the log of a task up to date with what was written since;
 * all zero is one of which nothing was read.  Returns 1, 0 when there is no
 * log, or -1 when it cannot be read, or not to its end.
 */
int job_training_log_read(
    const struct job_task *, struct metrics_summary *, struct error *e);

/* The same of a log of the job whose path is known. */
int job_training_log_read_file(const struct store_job *, const char *path,
    struct metrics_summary *, struct error *e);

/* Whether a whole epoch has been logged: one with a value of the objective. */
int job_training_log_has_epoch(const struct metrics_summary *);

/* Whether an epoch after those of the earlier summary has been logged. */
int job_training_log_went_on(
    const struct metrics_summary *earlier, const struct metrics_summary *now);

/*
 * Whether the log has reached the last epoch, where the job or one of its
 * hyperparameters says how many there are.
 */
int job_training_log_is_complete(
    const struct job_task *, const struct metrics_summary *);

#endif
