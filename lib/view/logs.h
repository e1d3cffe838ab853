/*
 * The logs of tasks: where their output is, or why there is none.
 */
#ifndef STFM_VIEW_LOGS_H
#define STFM_VIEW_LOGS_H

#include <stdint.h>

#include "base/error.h"
#include "view/selection.h"
#include "view/view.h"

/* The current run of a task; or an attempt, counted from 0, or from it: -1. */
#define JOB_LOG_NOW INT64_MIN

/* The log of one run of a task.  Texts are its own. */
struct job_log {
	struct job_view *view;
	uint64_t task;
	uint32_t attempt;
	enum store_state state;
	char *cause;
	int64_t start, end;
	int stalled; /* ... long before its end: job_eta_had_stalled */
	char *node;
	char *path;   /* of its output, or NULL */
	char *errors; /* of its errors, when they go elsewhere, or NULL */
	char *why;    /* why it cannot be read, and what to do, or NULL */
	int waits;    /* ... but it may come */
};

void job_log_free(struct job_log *);

/* Whether its output goes where nothing is kept. */
int job_log_is_nowhere(const struct job_log *);

/* Look again, after the view was brought up to date: 0 or -1. */
int job_log_again(struct job_log *, struct error *e);

/*
 * The logs of all tasks of a choice, errors first in the order in which they
 * came, then what runs, what is over, and what waits.  *count is their number.
 * To free, with job_logs_free; NULL when the records cannot be read.
 */
struct job_log *job_logs(const struct view_selection *, int64_t attempt,
    size_t *count, struct error *e);
void job_logs_free(struct job_log *, size_t count);

#endif
