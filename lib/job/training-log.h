/* The training log of a task: finding, reading, and moving old logs aside. */
#ifndef STFM_JOB_TRAINING_LOG_H
#define STFM_JOB_TRAINING_LOG_H

#include "job/argv.h"
#include "store/table-row.h"

struct metrics_summary;
struct store_row;

/*
 * Return the path of the log of a task's current attempt, to free.  It is the
 * path where it was found before, else the one that the user gave, else
 * $STFM_METRICS or the path of S-TFManager's scripts.  If the job has patterns
 * and the user gave no path, it is the run's output.  If the job has no
 * patterns and there is no other log, it is the run's output as well, unless
 * the user gave the path "none".  values is the task's point, one for each of
 * job->names.
 *
 * Returns NULL if there certainly is no log yet.  Before the run has started,
 * paths outside of the store are ignored.  A path that cannot be examined may
 * hold the log and is returned: reading it then gives the reason.  The path may
 * be a directory, see metrics/read-files.h.
 */
char *job_training_log_find(const struct store_job *, const struct store_row *,
    const char *const *values);

/*
 * Return whether the run is known to have started.  If not, a file outside of
 * the store at the path of its log is not its own.
 */
static inline int
job_training_log_has_begun(const struct store_row *row)
{
	return row->restart > 0 ||
	    (row->facts & (STORE_HAS_S | STORE_HAS_E | STORE_HAS_Q)) != 0;
}

/* Return whether a log is a directory of event files. */
int job_training_log_is_directory(const char *path);

/*
 * Return the patterns for the log at path, to free with record_pattern_free, or
 * NULL if it is not text.  If the log is the output of its run and the job has
 * no patterns, the pattern guesses.  output is that of job_training_log_output.
 * Returns NULL, too, if this build cannot read the patterns.
 */
struct record_pattern *job_training_log_pattern(
    const struct store_job *, const char *path, const char *output);

/*
 * Return the path of the output in which metrics may be guessed, or NULL.  It
 * belongs to the row.
 */
const char *job_training_log_output(
    const struct store_job *, const struct store_row *);

/* Return whether the metrics of a task were guessed from its output. */
int job_training_log_is_guessed(
    const struct store_job *, const struct metrics_summary *);

/*
 * Return what to read in the job's logs; it refers to the job and the pattern.
 */
struct metrics_request job_training_log_request(
    const struct store_job *, const struct record_pattern *);

/*
 * Move the log of the previous run, of this attempt or of an earlier one, aside
 * if a run from scratch is about to write to its path.  Nothing is ever
 * overwritten.
 */
void job_training_log_keep(
    const struct job_task *, uint32_t attempt, uint32_t restart);

/*
 * Before a run starts, rename files of other trainings that have the names to
 * which its log will be moved later.  If is_first (the task has never run),
 * also rename the file at the path of its log.  The new name ends in ".before-"
 * and the id of the job, and a number if that is taken.  If the log is a
 * directory, rename the logs in it.  A line for each is added to notes.
 */
void job_training_log_set_aside(
    const struct job_task *, int is_first, struct strlist *notes);

/* Return whether there may be something to set aside. */
int job_training_log_is_taken(const struct job_task *);

/*
 * Return the path of the log of an earlier attempt.  in_place says that no
 * later attempt ran in the same copy of the code, so that the log was not moved
 * aside.  Other parameters and the result are those of job_training_log_find.
 */
char *job_training_log_kept(const struct store_job *, const struct store_row *,
    const char *const *values, int in_place);

/*
 * Return the path of the log of an earlier run of an attempt, if that run has
 * its own log; to free, or NULL.
 */
char *job_training_log_kept_run(const struct store_job *,
    const struct store_row *, const char *const *values);

/*
 * Update a summary of a task's log with what was written since; a zeroed
 * summary has read nothing.  Nothing is guessed: the result decides what
 * becomes of the task.  Returns 1, 0 if there is no log, or -1 if it cannot be
 * read, or not to its end.
 */
int job_training_log_read(
    const struct job_task *, struct metrics_summary *, struct error *e);

/*
 * Update a summary as job_training_log_read does, also of a log whose metrics
 * are guessed from the output, and call epoch as a struct metrics_request does.
 */
int job_training_log_follow(const struct job_task *, struct metrics_summary *,
    void (*epoch)(void *arg, const struct metrics_summary *), void *arg,
    struct error *e);

/*
 * Update a summary of one of the job's logs, given its path and that of the
 * output as for job_training_log_pattern.  Result and errors are those of
 * job_training_log_read.
 */
int job_training_log_read_file(const struct store_job *, const char *path,
    const char *output, struct metrics_summary *, struct error *e);

/* Return whether an epoch with a value of the objective was logged. */
int job_training_log_has_epoch(const struct metrics_summary *);

/* Return whether an epoch was logged after those of the earlier summary. */
int job_training_log_went_on(
    const struct metrics_summary *earlier, const struct metrics_summary *now);

/*
 * Return whether the log has reached the last epoch, if the job or one of its
 * hyperparameters says how many there are.
 */
int job_training_log_is_complete(
    const struct job_task *, const struct metrics_summary *);

/* Return the path of a run's output, to free, or NULL if it is not recorded. */
char *job_output(const struct store_job *, const struct store_row *);

#endif
