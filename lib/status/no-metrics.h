/* Tasks that trained but have no metrics, and what the user can do. */
#ifndef STFM_STATUS_NO_METRICS_H
#define STFM_STATUS_NO_METRICS_H

#include "view/view.h"

struct job_pending_reason;

/*
 * Return whether a task has no training log although it finished or has run for
 * long.
 */
int job_unlogged(struct job_view *, uint64_t task);

/*
 * Return a sentence, to free, that says where stfm looks for metrics and how to
 * log them.  It names files of the job that look like metrics.
 */
char *job_unlogged_advice(const struct store_job *);

/* Return whether the metrics of a task were guessed from its output. */
int job_guessed(struct job_view *, uint64_t task);

/*
 * Return a sentence, to free, that names the guessed metrics of a task and says
 * how to name others.
 */
char *job_guessed_advice(struct job_view *, uint64_t task);

/* Return whether a task has a log from which stfm can read nothing. */
int job_illegible(struct job_view *, uint64_t task);

/*
 * Return a sentence, to free, that says what an unreadable log means and what
 * to do.
 */
char *job_illegible_log_advice(const struct store_job *);

/* Return whether the printed output of a task has no value of the metric. */
int job_unprinted(struct job_view *, uint64_t task);

/*
 * If tasks have printed lines, but no value of the metric, set *out to a clause
 * that says why, and to what to do.  ended says that no task runs.
 */
void job_unprinted_explain(
    struct job_view *, int ended, struct job_pending_reason *out);

/* Return whether a task is over, but stfm has not read its log to the end. */
int job_unread(struct job_view *, uint64_t task);

/*
 * Return a sentence, to free, that says what an unread log means and what to
 * do.
 */
char *job_unread_advice(const struct store_job *);

/*
 * Return a sentence, to free, if --metrics names one file for all tasks; else
 * NULL.
 */
char *job_unlogged_clash(const struct store_job *);

/*
 * Return how many tasks had started when stfm learned how many epochs a
 * training has; 0 if it always knew that.
 */
uint64_t job_started_early(struct job_view *);

#endif
