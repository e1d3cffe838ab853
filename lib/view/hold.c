#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/hold.h"
#include "control/policy.h"
#include "job/location.h"
#include "reconcile/reconcile.h"
#include "slurm/hold.h"
#include "state/words.h"
#include "term/progress.h"
#include "view/hold.h"
#include "view/targets.h"

/* What becomes of a task that is meant. */
enum fate {
	CHANGED, /* it is held, or let go */
	AGAIN,   /* it failed, and would be queued again */
	RUNS,
	AS_IT_IS, /* it is held already, or is not held */
	CANARY,   /* it waits for the canary, and not for its user */
	ADMIN,    /* only an administrator may let it go */
	OVER,
	FATES
};

struct target {
	const struct job_target *of;
	struct idset fate[FATES];
	struct idset unordered; /* held already, but by no order */
};

/* ---- what is meant ---- */

static enum queue_hold
held_by(const char *cause)
{
	return cause != NULL && *cause == '(' ? queue_hold_of(cause + 1)
					      : QUEUE_FREE;
}

/* Held with scontrol(1), perhaps; an order that came later may not show yet. */
static enum fate
fate_waiting(const struct view_hold *h, const struct store_row *row,
    const struct store_request *order)
{
	int by_order = order != NULL && order->kind == STORE_REQUEST_HOLD;
	enum queue_hold by = held_by(row->cause);
	enum cause why;

	if (h->kind == STORE_REQUEST_HOLD)
		return by_order || (by == QUEUE_HELD_BY_USER && order == NULL)
		    ? AS_IT_IS
		    : CHANGED;
	if (by == QUEUE_HELD_BY_ADMIN)
		return ADMIN;
	if (by_order || by != QUEUE_FREE)
		return CHANGED;
	why = cause_of(row->cause, NULL);
	return why == CAUSE_CANARY || why == CAUSE_CANARY_FAILED ||
		why == CAUSE_CANARY_STOPPED
	    ? CANARY
	    : AS_IT_IS;
}

static enum fate
fate_of(const struct view_hold *h, const struct store_row *row,
    const struct store_request *order, int comes_again)
{
	int held = order != NULL && order->kind == STORE_REQUEST_HOLD;

	if (row->state == STORE_SUBMITTED)
		return fate_waiting(h, row, order);
	if (!store_state_is_final(row->state))
		return RUNS;
	if (!comes_again)
		return OVER;
	return held == (h->kind == STORE_REQUEST_HOLD) ? AS_IT_IS : AGAIN;
}

static int
aim(const struct view_hold *h, const struct job_target *of, struct target *t,
    struct error *e)
{
	struct idset_walk walk = {0};
	struct idset retries = {0};
	struct store_requests orders;
	const struct store_request *order;
	const struct store_row *row;
	uint64_t task;
	enum fate f;
	int rc;

	t->of = of;
	if (h->kind != STORE_REQUEST_HOLD &&
	    job_location_begin(of->job, e) == -1)
		return -1;
	if (store_requests_whole(of->job, &orders, e) == -1)
		return error_prefix(e, of->job->name);
	rc = job_policy_retries(
	    of->job, of->view->fold, &of->tasks, &retries, e);
	while (rc == 0 && idset_next(&of->tasks, &walk, &task)) {
		row = job_view_row(of->view, task);
		order = store_request_for(&orders, task, row->attempt);
		f = fate_of(h, row, order, idset_has(&retries, task));
		idset_add(&t->fate[f], task, task);
		if (h->kind == STORE_REQUEST_HOLD && f == AS_IT_IS &&
		    order == NULL)
			idset_add(&t->unordered, task, task);
		store_table_forget(of->view->fold, task);
	}
	idset_free(&retries);
	store_requests_free(&orders);
	return rc;
}

/* ---- saying it ---- */

enum { JOB, WHAT, COUNT, TASKS, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [JOB] = {.name = "job"},
    [WHAT] = {.name = "what"},
    [COUNT] = {.name = "count"},
    [TASKS] = {.name = "tasks"},
};

/* One word for each fate, for programs. */
static const char *
word_of(const struct view_hold *h, enum fate f)
{
	int holds = h->kind == STORE_REQUEST_HOLD;
	const char *const words[FATES] = {
	    [CHANGED] = holds ? "held" : "released",
	    [AGAIN] = holds ? "not again" : "again",
	    [RUNS] = "runs",
	    [AS_IT_IS] = holds ? "held before" : "not held",
	    [CANARY] = "waits for the canary",
	    [ADMIN] = "held by an administrator",
	    [OVER] = "over",
	};

	return words[f];
}

static void
put_row(
    const struct view_hold *h, const struct target *t, enum fate f, void *table)
{
	char *text = idset_text(&t->fate[f]);

	table_row(table);
	table_text(table, JOB, t->of->job->name);
	table_text(table, WHAT, word_of(h, f));
	table_int(table, COUNT, (int64_t)idset_size(&t->fate[f]));
	table_text(table, TASKS, text);
	free(text);
}

/* The sentence: "%s" is the number with "task" or "tasks". */
static const char *
sentence_of(const struct view_hold *h, enum fate f, int one)
{
	int holds = h->kind == STORE_REQUEST_HOLD;

	switch (f) {
	case CHANGED:
		if (h->dry_run)
			return holds ? "would hold %s" : "would release %s";
		return holds ? "held %s" : "released %s";
	case AGAIN:
		if (holds)
			return "%s that failed: not queued again until "
			       "released";
		return "%s that failed: may be queued again";
	case RUNS:
		return one ? "%s runs on" : "%s run on";
	case AS_IT_IS:
		if (holds)
			return one ? "%s is held already"
				   : "%s are held already";
		return one ? "%s is not held" : "%s are not held";
	case CANARY:
		return one ? "%s waits for the canary"
			   : "%s wait for the canary";
	case ADMIN:
		return one ? "an administrator holds %s, and has to let it go"
			   : "an administrator holds %s, and has to let them "
			     "go";
	default:
		return one ? "%s is over" : "%s are over";
	}
}

static void
put_sentence(
    FILE *out, const struct view_hold *h, const struct target *t, enum fate f)
{
	uint64_t n = idset_size(&t->fate[f]);
	const char *sentence = sentence_of(h, f, n == 1);
	const char *gap = strstr(sentence, "%s");
	char *text = idset_text(&t->fate[f]), *line;

	line = xasprintf("%s: %.*s%" PRIu64 " task%s%s: %s", t->of->job->name,
	    (int)(gap - sentence), sentence, n, n == 1 ? "" : "s", gap + 2,
	    text);
	text_wrap(out, line, 0, h->width);
	putc('\n', out);
	free(line);
	free(text);
}

/* What is over is only said where that is all there is to say. */
static void
put_target(FILE *out, const struct view_hold *h, const struct target *t)
{
	int f, some = 0;

	for (f = CHANGED; f < OVER; f++)
		if (t->fate[f].count > 0) {
			put_sentence(out, h, t, (enum fate)f);
			some = 1;
		}
	if (!some && t->fate[OVER].count > 0)
		put_sentence(out, h, t, OVER);
	else if (!some)
		fprintf(out, "%s: no task is meant\n", t->of->job->name);
}

static void
show(FILE *out, const struct view_hold *h, const struct target *t, size_t count)
{
	struct table_look look = {h->format};
	struct table *table = NULL;
	size_t i;
	int f;

	if (h->quiet)
		return;
	if (h->format != TABLE_TEXT)
		table = table_new(out, columns, COLUMNS, &look);
	for (i = 0; i < count; i++) {
		if (table == NULL)
			put_target(out, h, &t[i]);
		for (f = 0; table != NULL && f < FATES; f++)
			if (t[i].fate[f].count > 0)
				put_row(h, &t[i], (enum fate)f, table);
	}
	if (table != NULL)
		table_end(table);
}

/* ---- doing it ---- */

static void
complain(const struct view_hold *h, const struct target *t, const char *what)
{
	char *text = xasprintf("%s: %s", t->of->job->name, what);

	h->trouble(text);
	free(text);
}

/* Returns 0, 1 when Slurm was not told, or -1. */
static int
do_target(const struct view_hold *h, const struct target *t)
{
	struct idset tasks = {0};
	struct job_held done = {0};
	int f, rc = 0;
	struct error e;

	for (f = CHANGED; f <= AGAIN; f++)
		idset_add_all(&tasks, &t->fate[f]);
	/* A hold of their user's own is not to stay behind it. */
	idset_add_all(&tasks, &t->fate[ADMIN]);
	/* Else it would be let go with one that shares its allocation. */
	idset_add_all(&tasks, &t->unordered);
	if (tasks.count > 0)
		rc = job_hold_tasks(
		    t->of->job, t->of->view->fold, &tasks, h->kind, &done, &e);
	else /* who has ordered it before may have been killed */
		rc = job_hold_rest(t->of->job, &done, &e);
	idset_free(&tasks);
	if (rc == 0)
		return 0;
	complain(h, t, e.text);
	if (!done.later)
		return -1;
	complain(h, t, job_hold_later);
	return 1;
}

static int
do_all(const struct view_hold *h, const struct target *t, size_t count)
{
	int status = 0, got;
	size_t i;

	progress_begin(h->kind == STORE_REQUEST_HOLD ? "holding" : "releasing");
	for (i = 0; i < count; i++) {
		got = do_target(h, &t[i]);
		if (got == -1 || (got == 1 && status == 0))
			status = got;
	}
	progress_end();
	return status;
}

/* Say what was cancelled, and before a dry run what is damaged. */
static void
say_found(const struct view_hold *h, const struct job_target *t)
{
	char *text;
	size_t i;

	for (i = 0; i < t->notes.count; i++)
		h->trouble(t->notes.word[i]);
	for (i = 0; h->dry_run && i < t->damaged.count; i++) {
		text = xasprintf("%s: %s", t->job->name, t->damaged.word[i]);
		h->trouble(text);
		free(text);
	}
}

int
view_hold(const struct view_hold *h, const struct store *store, char **words,
    size_t count, FILE *out)
{
	struct job_target *meant = NULL;
	struct selection jobs = {0};
	struct target *t = NULL;
	struct error e;
	size_t i;
	int rc, f;

	rc = job_select(store, words, count, &jobs, &e);
	if (rc == 0)
		rc = job_targets(store, &jobs, h->filter, &meant, &e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		say_found(h, &meant[i]);
	t = xcalloc(jobs.count + 1, sizeof *t);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = aim(h, &meant[i], &t[i], &e);
	if (rc == -1)
		h->trouble(e.text);
	else if (!h->dry_run)
		rc = do_all(h, t, jobs.count);
	if (rc == 0)
		show(out, h, t, jobs.count);
	if (rc != -1 && !h->dry_run)
		reconcile_again(store, &jobs);
	for (i = 0; i < jobs.count; i++) {
		idset_free(&t[i].unordered);
		for (f = 0; f < FATES; f++)
			idset_free(&t[i].fate[f]);
	}
	free(t);
	job_targets_free(meant, jobs.count);
	selection_free(&jobs);
	return rc;
}
