/*
 * The logs of tasks: where their output is, or why there is none.
 */
#ifndef STFM_VIEW_LOGS_H
#define STFM_VIEW_LOGS_H

#include <stdint.h>

#include "base/error.h"
#include "view/selection.h"
#include "view/view.h"

/*
 * A task's current run.  Other values are an attempt, counted from 0, or, if
 * negative, attempts before the current one.
 */
#define JOB_LOG_NOW INT64_MIN

/* The log of one run of a task.  It owns its texts. */
struct job_log {
	struct job_view *view;
	uint64_t task;
	uint32_t attempt;
	enum store_state state;
	char *cause;
	int64_t start, end;
	int stalled; /* it stalled long before its end: job_eta_had_stalled */
	char *node;
	char *path;   /* path of its output, or NULL */
	char *errors; /* path of its errors, if another; or NULL */
	char *why;    /* why it is unreadable and what to do, or NULL */
	int waits;    /* it does not exist yet, but may come */
};

void job_log_free(struct job_log *);

/* Return whether the output goes to a place that stores nothing. */
int job_log_is_nowhere(const struct job_log *);

/* Update a log after its view was updated: 0 or -1. */
int job_log_again(struct job_log *, struct error *e);

/*
 * Return the logs of all tasks of a selection; to job_logs_free.  Errors come
 * first, in the order in which they happened, then running, finished and
 * pending tasks.  *count is their number.  NULL if the records cannot be read.
 */
struct job_log *job_logs(const struct view_selection *, int64_t attempt,
    size_t *count, struct error *e);
void job_logs_free(struct job_log *, size_t count);

#endif
