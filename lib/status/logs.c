#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/training-log.h"
#include "state/history.h"
#include "state/words.h"
#include "status/logs.h"
#include "sys/fs.h"
#include "view/failure-line.h"

void
job_log_free(struct job_log *log)
{
	free(log->cause);
	free(log->node);
	free(log->path);
	free(log->errors);
	free(log->why);
	memset(log, 0, sizeof *log);
}

/* ---- why there is no log ---- */

int
job_log_is_nowhere(const struct job_log *log)
{
	return log->path != NULL && strcmp(log->path, "/dev/null") == 0;
}

/* Explain why the path of a task's log is unknown. */
static char *
explain_unknown(const struct job_log *log, const struct store_row *row)
{
	const char *cause = row->cause != NULL ? row->cause : "", *rest, *words;

	switch (row->state) {
	case STORE_SUBMITTED:
		return xasprintf(
		    "not started yet%s%s", *cause ? ": " : "", cause);
	case STORE_RUNNING:
		if (row->facts & STORE_HAS_S)
			return xstrdup(
			    "its output goes to no file: see --output "
			    "of the job");
		return xstrdup("about to start");
	case STORE_STOPPED:
		return xstrdup("stopped before it began");
	case STORE_FINISHED:
		return xstrdup("it left no log");
	default:
		break;
	}
	if (row->reason != NULL)
		return xasprintf("did not begin: %s", row->reason);
	words = job_failure_line_words(row->cause);
	if (words != NULL &&
	    (cause_of(row->cause, &rest) != CAUSE_LAUNCH || *rest != '\0'))
		return xasprintf("never began, %s: %s", cause, words);
	return xasprintf("never began%s%s: Slurm could not start it; is "
			 "the directory of its log (--output) there on %s, and "
			 "can it be written to?",
	    *cause ? ", " : "", cause,
	    log->node != NULL ? log->node : "the node");
}

/*
 * Explain why a log that should exist cannot be read.  Returns NULL if it can.
 */
static char *
explain_missing(struct job_log *log)
{
	struct error e;
	struct stat st;
	size_t length;
	char *bytes;

	if (job_log_is_nowhere(log))
		return xstrdup("its output goes to /dev/null, which keeps "
			       "nothing: --output can name a file");
	if (fs_read_from(log->path, 0, 0, &bytes, &length, &st, &e) == 0) {
		free(bytes);
		return NULL;
	}
	log->was_empty = e.code == ERROR_ABSENT &&
	    job_view_log_was_empty(log->view, log->task, log->attempt);
	if (log->was_empty)
		return xstrdup("nothing in its log, which is removed");
	if (e.code == ERROR_ABSENT)
		return xasprintf("%s is not there: it was removed, or is on "
				 "another machine%s",
		    log->path,
		    store_job_imported(log->view->job) != NULL
			? ""
			: " (stfm-restart trains the task again)");
	return xstrdup(e.text);
}

/* ---- finding the log ---- */

static void
take_row(struct job_log *log, const struct store_row *row)
{
	log->attempt = row->attempt;
	log->state = row->state;
	log->cause = xcopy(row->cause);
	log->stalled = job_eta_had_stalled(row);
	log->node = xcopy(row->node);
	log->start = row->start;
	log->end = row->end;
	log->path = job_output(log->view->job, row);
	log->errors = xcopy(row->err);
	log->why = log->path == NULL ? explain_unknown(log, row)
				     : explain_missing(log);
	log->waits = log->why != NULL && !job_log_is_nowhere(log) &&
	    !store_state_is_final(row->state);
}

/* Find the log of an earlier attempt: the last run of that attempt. */
static int
find_run(struct job_log *log, const struct store_row *now, int64_t attempt,
    struct error *e)
{
	struct job_history runs;
	const struct store_row *row = NULL;
	size_t i;

	if (job_history_find(log->view->job, now,
		job_view_point(log->view, log->task), &runs, e) == -1)
		return -1;
	for (i = 0; i < runs.count; i++)
		if (runs.row[i].attempt == attempt)
			row = &runs.row[i];
	if (row != NULL)
		take_row(log, row);
	else if (attempt < 0)
		log->why = xstrdup("no earlier attempt");
	else
		log->why =
		    xasprintf("no attempt %" PRId64 ": the last is %" PRIu32,
			attempt, now->attempt);
	if (runs.damaged.count > 0 && log->path == NULL) {
		/* The path may be in the damaged record. */
		free(log->why);
		log->why = xasprintf("where its log is cannot be told: %s: run "
				     "stfm-check --store --repair",
		    runs.damaged.word[0]);
		log->waits = 0;
	}
	job_view_note_all(log->view, &runs.damaged);
	job_history_free(&runs);
	return 0;
}

/*
 * Find the log of a task.  Returns 0, even if there is no log, or -1 if the
 * records cannot be read.
 */
static int
find(struct job_view *view, uint64_t task, int64_t attempt, struct job_log *out,
    struct error *e)
{
	const struct store_row *row = job_view_row(view, task);

	memset(out, 0, sizeof *out);
	out->view = view;
	out->task = task;
	out->state = row->state;
	if (attempt != JOB_LOG_NOW && attempt != row->attempt)
		return find_run(out, row,
		    attempt < 0 ? row->attempt + attempt : attempt, e);
	take_row(out, row);
	return 0;
}

int
job_log_again(struct job_log *log, struct error *e)
{
	struct job_view *view = log->view;
	uint64_t task = log->task;

	job_log_free(log);
	return find(view, task, JOB_LOG_NOW, log, e);
}

/* ---- the logs of a selection ---- */

static int
order(const void *a, const void *b)
{
	static const int rank[STORE_STATES] = {[STORE_ERROR] = 0,
	    [STORE_RUNNING] = 1,
	    [STORE_FINISHED] = 2,
	    [STORE_STOPPED] = 3,
	    [STORE_SUBMITTED] = 4};
	const struct job_log *x = a, *y = b;

	if (rank[x->state] != rank[y->state])
		return rank[x->state] - rank[y->state];
	if (x->state == STORE_ERROR && x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

void
job_logs_free(struct job_log *logs, size_t count)
{
	while (count > 0)
		job_log_free(&logs[--count]);
	free(logs);
}

struct job_log *
job_logs(const struct view_selection *c, int64_t attempt, size_t *count,
    struct error *e)
{
	struct job_log *logs = xcalloc(c->left + 1, sizeof *logs);
	const struct job_tasks *t;
	size_t i, k, first;

	*count = 0;
	for (i = 0; i < c->jobs; i++) {
		t = &c->tasks[i];
		first = *count;
		for (k = 0; k < t->count; k++, (*count)++)
			if (find(t->view, t->task[k], attempt, &logs[*count],
				e) == -1) {
				job_logs_free(logs, *count);
				return NULL;
			}
		qsort(logs + first, *count - first, sizeof *logs, order);
	}
	return logs;
}
