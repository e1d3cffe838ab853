#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "control/hold.h"
#include "control/policy.h"
#include "job/location.h"
#include "reconcile/reconcile.h"
#include "slurm/names.h"
#include "slurm/queue.h"
#include "state/words.h"
#include "term/progress.h"
#include "term/table.h"
#include "view/filter.h"
#include "view/hold.h"
#include "view/targets.h"

/* The options of a command line. */
struct view_hold {
	enum store_request_kind kind; /* whether to hold or to release */
	struct job_filter *filter;
	const char *dir; /* the store's directory, or NULL */
	int dry_run, quiet;
	enum table_format format;
	size_t width; /* width of the printed sentences, or 0 for no limit */
	void (*trouble)(const char *what); /* function that prints a problem */
};

/* What the command does with a selected task. */
enum fate {
	CHANGED, /* it is held or released */
	AGAIN,   /* it failed; decide whether to queue it again */
	RUNS,
	AS_IT_IS, /* it is held already, or not held */
	CANARY,   /* it waits for the canary, not because of a hold */
	ADMIN,    /* only an administrator can release it */
	OVER,
	FATES
};

struct target {
	const struct job_target *of;
	struct idset fate[FATES];
	struct idset unrequested; /* held, but by no request in the store */
};

/* ---- selecting tasks ---- */

/*
 * Return what the command does with a task.  request is the last request for
 * the task, or NULL.  A request newer than the table does not show in row yet.
 */
static enum fate
fate_of(const struct view_hold *h, const struct store_row *row,
    const struct store_request *request, int comes_again)
{
	int to_hold = h->kind == STORE_REQUEST_HOLD;
	int held = request != NULL && request->kind == STORE_REQUEST_HOLD;
	enum queue_hold by = QUEUE_FREE;
	enum cause why;

	if (row->state != STORE_SUBMITTED) {
		if (!store_state_is_final(row->state))
			return RUNS;
		if (!comes_again)
			return OVER;
		return held == to_hold ? AS_IT_IS : AGAIN;
	}
	if (row->cause != NULL && *row->cause == '(')
		by = queue_hold_of(row->cause + 1);
	if (to_hold) /* the user may have held it with scontrol(1) */
		return held || (by == QUEUE_HELD_BY_USER && request == NULL)
		    ? AS_IT_IS
		    : CHANGED;
	if (by == QUEUE_HELD_BY_ADMIN)
		return ADMIN;
	if (held || by != QUEUE_FREE)
		return CHANGED;
	why = cause_of(row->cause, NULL);
	return why == CAUSE_CANARY || why == CAUSE_CANARY_FAILED ||
		why == CAUSE_CANARY_STOPPED
	    ? CANARY
	    : AS_IT_IS;
}

static int
aim(const struct view_hold *h, const struct job_target *of, struct target *t,
    struct error *e)
{
	struct idset_walk walk = {0};
	struct idset retries = {0};
	struct store_requests requests;
	const struct store_request *request;
	const struct store_row *row;
	uint64_t task;
	enum fate f;
	int rc;

	t->of = of;
	if (h->kind != STORE_REQUEST_HOLD &&
	    job_location_begin(of->job, e) == -1)
		return -1;
	if (store_requests_whole(of->job, STORE_HOLDS, &requests, e) == -1)
		return error_prefix(e, store_job_name(of->job));
	rc = job_policy_retries(
	    of->job, of->view->table, &of->tasks, &retries, e);
	while (rc == 0 && idset_next(&of->tasks, &walk, &task)) {
		row = job_view_row(of->view, task);
		request = store_request_for(&requests, task, row->attempt);
		f = fate_of(h, row, request, idset_has(&retries, task));
		idset_add(&t->fate[f], task, task);
		if (h->kind == STORE_REQUEST_HOLD && f == AS_IT_IS &&
		    request == NULL)
			idset_add(&t->unrequested, task, task);
		store_table_forget(of->view->table, task);
	}
	idset_free(&retries);
	store_requests_free(&requests);
	return rc;
}

/* ---- printing the result ---- */

enum { JOB, WHAT, TASKS, IDS, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [JOB] = {.name = "job"},
    [WHAT] = {.name = "what"},
    [TASKS] = {.name = "tasks"},
    [IDS] = {.name = "ids"},
};

/* Return the word for a fate, for programs. */
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

/* Return the sentence for a fate: "%s" is the number with "task" or "tasks". */
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
		return one ? "an administrator holds %s and must release it"
			   : "an administrator holds %s and must release "
			     "them";
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
	char *text = idset_brief(&t->fate[f]), *line;

	line = xasprintf("%s: %.*s%" PRIu64 " task%s%s: %s",
	    store_job_name(t->of->job), (int)(gap - sentence), sentence, n,
	    n == 1 ? "" : "s", gap + 2, text);
	text_wrap(out, line, 0, h->width);
	putc('\n', out);
	free(line);
	free(text);
}

/*
 * Print a sentence for each fate; print tasks that are over only if there are
 * no other tasks.
 */
static void
show_text(FILE *out, const struct view_hold *h, const struct target *t)
{
	int f, some = 0;

	for (f = CHANGED; f < FATES; f++)
		if (t->fate[f].count > 0 && (f != OVER || !some)) {
			put_sentence(out, h, t, (enum fate)f);
			some = 1;
		}
	if (!some)
		fprintf(
		    out, "%s: no task matches\n", store_job_name(t->of->job));
}

static void
show_table(
    FILE *out, const struct view_hold *h, const struct target *t, size_t count)
{
	struct table_look look = {h->format};
	struct table *table = table_new(out, columns, COLUMNS, &look);
	char *text, *ids;
	size_t i;
	int f;

	for (i = 0; i < count; i++)
		for (f = 0; f < FATES; f++) {
			if (t[i].fate[f].count == 0)
				continue;
			ids = idset_text(&t[i].fate[f]);
			text = xasprintf(
			    "%s/%s", store_job_name(t[i].of->job), ids);
			free(ids);
			table_row(table);
			table_text(table, JOB, store_job_name(t[i].of->job));
			table_text(table, WHAT, word_of(h, (enum fate)f));
			table_int(
			    table, TASKS, (int64_t)idset_size(&t[i].fate[f]));
			table_text(table, IDS, text);
			free(text);
		}
	table_end(table);
}

/* ---- sending the requests ---- */

static void
complain(const struct view_hold *h, const struct store_job *job, const char *e)
{
	char *text = xasprintf("%s: %s", store_job_name(job), e);

	h->trouble(text);
	free(text);
}

/*
 * Send the requests for a target, and keep the queue as that left it.  Returns
 * 0, 1 if Slurm did not answer, or -1.
 */
static int
act(const struct view_hold *h, const struct target *t,
    struct job_hold_queue *queue)
{
	const struct store_job *job = t->of->job;
	struct idset tasks = {0};
	struct job_held done = {0};
	int f, rc;
	struct error e;

	for (f = CHANGED; f <= AGAIN; f++)
		idset_add_all(&tasks, &t->fate[f]);
	/*
	 * Release the user's own hold also if an administrator holds the task.
	 */
	idset_add_all(&tasks, &t->fate[ADMIN]);
	/*
	 * Request these holds too: releasing a task that shares their
	 * allocation would end them.
	 */
	idset_add_all(&tasks, &t->unrequested);
	if (tasks.count > 0)
		rc = job_hold_tasks(
		    job, t->of->view->table, &tasks, h->kind, queue, &done, &e);
	else /* the command that made the request may have been killed */
		rc = job_hold_rest(job, &done, &e);
	idset_free(&tasks);
	if (rc == 0)
		return 0;
	complain(h, job, e.text);
	if (!done.later)
		return -1;
	complain(h, job, job_hold_later);
	return 1;
}

/*
 * Send the requests for all targets.  *last is the queue as the last change
 * left it, to free, or NULL, and *asked when it was read, or before.  Returns
 * as act.
 */
static int
act_all(const struct view_hold *h, const struct store *store,
    const struct target *t, size_t count, struct queue **last, int64_t *asked)
{
	struct job_hold_queue queue = {NULL, NULL};
	int64_t before = 0;
	int rc = 0, got;
	size_t i;

	progress_begin(h->kind == STORE_REQUEST_HOLD ? "holding" : "releasing");
	for (i = 0; i < count; i++) {
		fs_now(store->dir, &before, NULL);
		*last = queue.after;
		queue.before = t[i].of->queue;
		got = act(h, &t[i], &queue);
		if (queue.after != *last)
			*asked = before;
		if (got == -1 || (got == 1 && rc == 0))
			rc = got;
	}
	progress_end();
	*last = queue.after;
	return rc;
}

/*
 * Hold or release the tasks that words name, and print the result.  Returns 0,
 * 1 if Slurm did not answer and a watcher will retry, or -1.
 */
static int
hold(const struct view_hold *h, const struct store *store, char **words,
    size_t count, FILE *out)
{
	struct job_target *meant = NULL;
	struct selection jobs = {0};
	struct queue *last = NULL;
	struct target *t = NULL;
	struct error e;
	int64_t asked = 0;
	size_t i, k;
	int rc, f;

	rc = job_select(store, words, count, &jobs, &e);
	if (rc == 0)
		rc = job_targets(store, &jobs, h->filter, &meant, &e);
	for (i = 0; rc == 0 && i < jobs.count; i++) {
		for (k = 0; k < meant[i].notes.count; k++)
			h->trouble(meant[i].notes.word[k]);
		for (k = 0; h->dry_run && k < meant[i].damaged.count; k++)
			complain(h, meant[i].job, meant[i].damaged.word[k]);
	}
	t = xcalloc(jobs.count + 1, sizeof *t);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = aim(h, &meant[i], &t[i], &e);
	if (rc == -1) {
		h->trouble(e.text);
	} else if (!h->dry_run) {
		rc = act_all(h, store, t, jobs.count, &last, &asked);
	}
	if (rc != 0) { /* something else may have changed */
		queue_free(last);
		last = NULL;
	}
	if (rc == 0 && !h->quiet && h->format != TABLE_TEXT)
		show_table(out, h, t, jobs.count);
	for (i = 0;
	     rc == 0 && !h->quiet && h->format == TABLE_TEXT && i < jobs.count;
	     i++)
		show_text(out, h, &t[i]);
	if (rc != -1 && !h->dry_run)
		reconcile_again(store, &jobs, last, asked);
	for (i = 0; i < jobs.count; i++) {
		idset_free(&t[i].unrequested);
		for (f = 0; f < FATES; f++)
			idset_free(&t[i].fate[f]);
	}
	free(t);
	job_targets_free(meant, jobs.count);
	selection_free(&jobs);
	return rc;
}

/* ---- the command line ---- */

static int
take_option(void *hold, int letter, struct error *e)
{
	struct view_hold *h = hold;

	if (letter == 'o')
		return table_format(optarg, &h->format, e);
	return letter == 't' ? job_filter_state(h->filter, optarg, e)
			     : job_filter_where(h->filter, optarg, e);
}

int
view_hold_main(const struct cli *texts, enum store_request_kind kind,
    void trouble(const char *what), int argc, char **argv, FILE *out)
{
	const struct cli_option options[] = {
	    {'t', "state", "STATE", "select tasks in these states"},
	    {'w', "where", "EXPR", "select tasks by a condition: 'lr<0.01'"},
	    {'o', "output", "FORMAT", "print text, tsv, csv, json or jsonl"},
	    {0, "dry-run", NULL,
		kind == STORE_REQUEST_HOLD
		    ? "show which tasks would be held"
		    : "show which tasks would be released",
		CLI_FLAG(struct view_hold, dry_run)},
	    {'Q', "quiet", NULL, "print only errors",
		CLI_FLAG(struct view_hold, quiet)},
	    {'d', "store", "DIR",
		"use this store (default: $STFM_DIR, .stfm, ...)",
		CLI_TEXT(struct view_hold, dir)},
	    {0},
	};
	struct view_hold h = {
	    .kind = kind, .filter = job_filter_new(), .trouble = trouble};
	struct cli command = *texts;
	struct store *store = NULL;
	struct error e;
	int got, status;

	command.options = options;
	command.defaults = config_defaults;
	cli_start(&command);
	h.width = cli_terminal_width();
	got = cli_options(&command, argc, argv, take_option, &h);
	if (got == CLI_SHOWN) {
		status = CLI_YES;
	} else if (got == CLI_BAD) {
		status = CLI_WRONG;
	} else if (optind == argc) {
		status = cli_usage(&command);
	} else if ((store = store_open(h.dir, STORE_WRITE, &e)) == NULL ||
	    store_check_owner(store, &e) == -1) {
		trouble(e.text);
		status = CLI_WRONG;
	} else {
		got = hold(
		    &h, store, argv + optind, (size_t)(argc - optind), out);
		status = got == 0 ? CLI_YES : got == 1 ? CLI_LATER : CLI_WRONG;
	}
	store_close(store);
	job_filter_free(h.filter);
	return cli_finish(status);
}
