/*
 * Tasks without metrics although they have trained, and what the user can do.
 */
#ifndef STFM_VIEW_NO_METRICS_H
#define STFM_VIEW_NO_METRICS_H

#include "view/view.h"

/* Return whether a task finished, or runs for long, without a training log. */
int job_unlogged(struct job_view *, uint64_t task);

/*
 * Return a sentence, to free: where stfm looks for metrics and how to log them.
 * It names files of the job that look like metrics.
 */
char *job_unlogged_advice(const struct store_job *);

/* Return whether a task has a log of which nothing can be read. */
int job_illegible(struct job_view *, uint64_t task);

/* Return a sentence, to free: what an unreadable log means and what to do. */
char *job_illegible_log_advice(const struct store_job *);

/* Return whether a task is over, but its log is not read to the end so far. */
int job_unread(struct job_view *, uint64_t task);

/* Return a sentence, to free: what an unread log means and what to do. */
char *job_unread_advice(const struct store_job *);

/*
 * Return a sentence, to free, if --metrics is one file for all tasks; or NULL.
 */
char *job_unlogged_clash(const struct store_job *);

#endif
