/* The logs of tasks: the path of each log, or why there is no log. */
#ifndef STFM_STATUS_LOGS_H
#define STFM_STATUS_LOGS_H

#include <stdint.h>

#include "base/error.h"
#include "store/store.h"
#include "view/selection.h"
#include "view/view.h"

/*
 * The attempt argument that means a task's current run.  Other values are the
 * number of an attempt, from 0, or if negative the number of attempts before
 * the current one.
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
	int stalled; /* stalled before its end: job_eta_had_stalled */
	char *node;
	char *path;    /* path of the task's output, or NULL */
	char *errors;  /* path of a separate standard error, or NULL */
	char *why;     /* why the log is unreadable and what to do, or NULL */
	int waits;     /* the log does not exist yet, but may appear */
	int was_empty; /* it was removed because it was empty */
};

void job_log_free(struct job_log *);

/* Return whether the output goes to a place that stores nothing. */
int job_log_is_nowhere(const struct job_log *);

/* Update a log after its view was updated.  Returns 0 or -1. */
int job_log_again(struct job_log *, struct error *e);

/*
 * Return the logs of all tasks of a selection; call job_logs_free.  Tasks in
 * ERROR come first, in the order in which they ended, then running, finished,
 * stopped and pending tasks.  Sets *count to their number.  Returns NULL if the
 * records cannot be read.
 */
struct job_log *job_logs(const struct view_selection *, int64_t attempt,
    size_t *count, struct error *e);
void job_logs_free(struct job_log *, size_t count);

#endif
