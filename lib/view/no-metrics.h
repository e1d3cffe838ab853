/*
 * Tasks of which no metrics were found, though they have trained: what to do
 * about it.
 */
#ifndef STFM_VIEW_NO_METRICS_H
#define STFM_VIEW_NO_METRICS_H

#include "view/view.h"

/* Whether a task has finished, or runs for long, and has written no log. */
int job_unlogged(struct job_view *, uint64_t task);

/*
 * Where metrics were looked for, and how they come there, as a sentence to
 * free; it names files of the job that look like metrics.
 */
char *job_unlogged_advice(const struct store_job *);

/* Whether it has a log, and nothing in that can be read: it is damaged, say. */
int job_illegible(struct job_view *, uint64_t task);

/* What that means, and what to do: a sentence to free. */
char *job_illegible_log_advice(const struct store_job *);

/* Whether a task is over, and its log could not be read to the end so far. */
int job_unread(struct job_view *, uint64_t task);

/* What that means, and what to do: a sentence to free. */
char *job_unread_advice(const struct store_job *);

/*
 * That by --metrics all tasks of a job write one file, as a sentence to free,
 * or NULL.
 */
char *job_unlogged_clash(const struct store_job *);

#endif
