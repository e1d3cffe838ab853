/* stfm-status --why: what the search of a job waits for, or how it ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/policy-rules.h"
#include "control/search-end.h"
#include "job/checkpoint-dir.h"
#include "search/sampler.h"
#include "state/pending-reason.h"
#include "state/resolve.h"
#include "state/search.h"
#include "state/words.h"
#include "status/metric-names.h"
#include "status/no-metrics.h"
#include "status/private.h"
#include "store/fact.h"
#include "store/policy.h"
#include "store/request.h"

/* What is known of a job's search. */
struct known {
	struct job_view *view;
	struct job_search search;
	struct job_board *board; /* NULL if nothing can be stopped yet */
	struct store_requests requests;
};

static void
know(struct known *k, struct job_view *v)
{
	*k = (struct known){.view = v};
	if (!job_search_of(v->job, &k->search) || k->search.epochs == 0 ||
	    job_view_whole(v, NULL) == -1)
		return;
	store_requests_list(
	    v->job, STORE_STOPS | STORE_NAMES, &k->requests, NULL);
	k->board = job_board_of(&k->search, v->table, &k->requests, NULL);
}

static void
forget(struct known *k)
{
	job_board_free(k->board);
	store_requests_free(&k->requests);
}

/* Return how a running task stands among the others, to free, or NULL. */
static char *
standing(struct known *k, uint64_t task)
{
	const struct store_row *row;
	const struct job_policy_input input = {
	    .job = k->view->job, .requests = &k->requests};
	struct store_run since;
	struct stop_pruned at;
	const char *spared;
	char *text, *whole;
	int64_t first;

	if (k->board == NULL ||
	    store_table_state(k->view->table, task) != STORE_RUNNING)
		return NULL;
	row = job_view_row(k->view, task);
	if (cause_of(row->cause, NULL) == CAUSE_STOPPING)
		return xstrdup("it is being stopped");
	spared = job_prune_spares(&input, task, row->attempt);
	if (spared != NULL)
		return xasprintf("the search does not stop it: %s", spared);
	first = search_rung(&k->search.pruner, k->search.epochs,
	    job_search_bracket(&k->search, task), 0);
	if (first == 0)
		return xasprintf("the pruner never stops it: %s no rung before "
				 "the last epoch, %" PRId64,
		    k->search.pruner.kind == SEARCH_HYPERBAND
			? "its bracket has"
			: "there is",
		    k->search.epochs);
	if (job_search_is_beyond(&k->search, &row->metrics))
		return xasprintf("its log begins at step %.15g, but a training "
				 "ends at %" PRId64 ": give the number of "
				 "steps with stfm-set --epochs N %s",
		    row->metrics.begins, k->search.epochs,
		    store_job_name(k->view->job));
	job_point_run(row->point, &since);
	if (!job_board_stands(k->board, task, row->rungs, since, &at))
		return xasprintf("it has no value at its first rung, epoch "
				 "%" PRId64 ", yet",
		    first);
	if (at.count < search_least(&k->search.pruner)) {
		whole = stop_place_text(&at);
		text = xasprintf("at epoch %" PRId64 ": %s, and the pruner "
				 "compares at least %zu",
		    at.epoch, whole, search_least(&k->search.pruner));
	} else if (k->search.pruner.kind == SEARCH_PBT) {
		whole = stop_place_text(&at);
		text = xasprintf("at epoch %" PRId64 ": %s", at.epoch, whole);
	} else {
		whole = stop_pruned_text(&at);
		text = xasprintf("%s%s", strchr(whole, ' ') + 1,
		    k->board->best == (int64_t)task && at.rank > at.kept
			? "; it goes on, because no task that runs or "
			  "has finished has a better value"
			: "");
	}
	free(whole);
	return text;
}

char *
show_standing(struct job_view *v, uint64_t task)
{
	struct known k;
	char *text;

	if (store_table_state(v->table, task) != STORE_RUNNING)
		return NULL;
	know(&k, v);
	text = standing(&k, task);
	forget(&k);
	return text;
}

char *
show_bracket(const struct store_job *job, uint64_t task)
{
	struct job_search s;
	size_t bracket, length, i;
	int64_t epoch;
	char *text;
	FILE *f;

	if (!job_search_of(job, &s) || s.epochs == 0 ||
	    s.pruner.kind != SEARCH_HYPERBAND)
		return NULL;
	bracket = job_search_bracket(&s, task);
	f = xmemopen(&text, &length);
	fprintf(f, "%zu (of 0-%zu), ", bracket,
	    search_brackets(&s.pruner, s.epochs) - 1);
	for (i = 0;; i++) {
		epoch = search_rung(&s.pruner, s.epochs, bracket, i);
		if (epoch == 0)
			break;
		fprintf(f, "%s%" PRId64, i == 0 ? "rungs " : " ", epoch);
	}
	fprintf(
	    f, "%s of %" PRId64 " epochs", i == 0 ? "no rung" : "", s.epochs);
	xmemclose(f);
	return text;
}

/* ---- why nothing is stopped yet ---- */

/* Count the values at the lowest rung; sets *epoch to it. */
static size_t
count_first(const struct known *k, int64_t *epoch)
{
	size_t i, count = 0;

	*epoch = k->board->rungs > 0 ? k->board->rung[0].epoch : 0;
	for (i = 0; i < k->board->rungs; i++)
		if (k->board->rung[i].epoch == *epoch)
			count += k->board->rung[i].count;
	return count;
}

/* Return whether no task of the job is pending or running. */
static int
is_over(const struct known *k)
{
	const uint64_t *count = k->view->table->in_state;

	return count[STORE_SUBMITTED] + count[STORE_RUNNING] == 0;
}

/* Return the advice to choose another metric; to free. */
static char *
other_metrics(const struct store_job *job, const char *metric)
{
	char *text, *names = job_metric_names_text(job, metric);

	if (names == NULL)
		return xstrdup("Name a metric of the logs");
	text = xasprintf("Name a metric of the logs (%s)", names);
	free(names);
	return text;
}

/* Return how many tasks a test of no-metrics.h finds. */
static uint64_t
count_those(struct job_view *v, int (*is)(struct job_view *, uint64_t task))
{
	uint64_t task, count = 0;

	for (task = 0; task < v->table->count; task++) {
		count += is(v, task) != 0;
		store_table_forget(v->table, task);
	}
	return count;
}

/* Return whether a log has the column of the metric, but no number in it. */
static int
is_unnumbered(struct job_view *v, uint64_t task)
{
	const struct metrics_summary *m = &job_view_row(v, task)->metrics;

	return m->columns > 0 && m->column != METRICS_NONE && m->epochs > 0 &&
	    m->values == 0 && !m->has_best;
}

/* Return a text in the column of the metric of some log, to free, or NULL. */
static char *
find_cell(struct job_view *v)
{
	enum { LOOKED = 8 }; /* logs to read */
	uint64_t task, looked = 0;
	char *text = NULL;

	for (task = 0; task < v->table->count && looked < LOOKED; task++) {
		if (is_unnumbered(v, task)) {
			text = job_metric_names_cell(
			    v->job, job_view_row(v, task));
			looked++;
		}
		store_table_forget(v->table, task);
		if (text != NULL)
			break;
	}
	return text;
}

/*
 * Explain that logs have no numbers for the metric; before begins the reason.
 * While tasks run, a column that is blank so far is no reason.
 */
static void
find_unnumbered(
    struct known *k, const char *before, struct job_pending_reason *out)
{
	struct job_view *v = k->view;
	uint64_t count = count_those(v, is_unnumbered);
	char *cell = count > 0 ? find_cell(v) : NULL, *names;

	if (count == 0 || (cell == NULL && !is_over(k)))
		return;
	out->why = xasprintf("%sthe column %s of %" PRIu64
			     " log%s has no numbers%s%.40s%s",
	    before, v->metric, count, count == 1 ? "" : "s",
	    cell != NULL ? ", but text such as \"" : "",
	    cell != NULL ? cell : "", cell != NULL ? "\"" : "");
	out->to_do = xstrdup("Let the training write numbers there");
	names = job_metric_names_text(v->job, v->metric);
	if (names != NULL) {
		free(out->to_do);
		out->to_do = xasprintf("Let the training write numbers there, "
				       "or name another metric of the logs "
				       "(%s)",
		    names);
		out->command = xasprintf(
		    "stfm-set --metric NAME %s", store_job_name(v->job));
	}
	free(names);
	free(cell);
}

/* Explain that logs or printed lines have no numbers for the metric. */
static void
find_numberless(struct known *k, struct job_pending_reason *out)
{
	const char *before =
	    is_over(k) ? "nothing was stopped: " : "nothing is stopped yet: ";
	char *why;

	job_unprinted_explain(k->view, is_over(k), out);
	if (out->why == NULL) {
		find_unnumbered(k, before, out);
		return;
	}
	why = xasprintf("%s%s", before, out->why);
	free(out->why);
	out->why = why;
}

/* Return whether a finished training wrote the metric once, in its last row. */
static int
is_once(struct job_view *v, uint64_t task)
{
	const struct metrics_summary *m = &job_view_row(v, task)->metrics;

	return store_table_state(v->table, task) == STORE_FINISHED &&
	    m->values == 1 && m->last_epoch == m->epoch;
}

/*
 * Explain why a search that is over stopped no task although its logs have the
 * metric: the values or the number of epochs came too late.
 */
static void
find_late(struct known *k, struct job_pending_reason *out)
{
	struct job_view *v = k->view;
	uint64_t once = count_those(v, is_once), started = job_started_early(v);

	if (v->metric != NULL && once > 0 && 2 * once >= v->table->count) {
		out->why = xasprintf("nothing was stopped: %" PRIu64
				     " log%s %s only once, at the end",
		    once, once == 1 ? " has" : "s have", v->metric);
		out->to_do = xasprintf(
		    "Let the training write %s after each epoch", v->metric);
	} else if (2 * started >= v->table->count) {
		out->why = xasprintf("nothing was stopped: the number of "
				     "epochs was not given, and %" PRIu64
				     " of %" PRIu64
				     " tasks had started before a training "
				     "finished and told it",
		    started, v->table->count);
		out->to_do =
		    xasprintf("Next time, submit with --epochs %" PRId64,
			k->search.epochs);
	}
}

/* Explain that the pruner compares no epoch before the last one. */
static void
find_no_rung(const struct job_search *search, struct job_pending_reason *out)
{
	out->why = xasprintf("nothing was stopped: there is no rung before the "
			     "last epoch, %" PRId64,
	    search->epochs);
	if (search->epochs > 1)
		out->to_do = xstrdup("Next time, submit with an earlier first "
				     "rung, as in --pruner asha,first=1");
}

/*
 * Explain why a search that is over stopped no task: at its lowest rung, epoch,
 * it has count values, too few to compare.
 */
static void
find_unstopped(struct known *k, size_t count, int64_t epoch,
    struct job_pending_reason *out)
{
	const struct store_job *job = k->view->job;
	uint64_t without;

	if ((without = count_those(k->view, job_unlogged)) > 0)
		out->to_do = job_unlogged_advice(job);
	else if ((without = count_those(k->view, job_illegible)) > 0)
		out->to_do = job_illegible_log_advice(job);
	if (without > 0)
		out->why = xasprintf("nothing was stopped: %" PRIu64
				     " task%s no metrics",
		    without, without == 1 ? " has" : "s have");
	else if (k->board != NULL && k->board->rungs == 0)
		find_no_rung(&k->search, out);
	else if (epoch > 0)
		out->why = xasprintf("nothing was stopped: %zu of the tasks "
				     "had a value at epoch %" PRId64
				     ", and the pruner compares at least %zu",
		    count, epoch, search_least(&k->search.pruner));
}

/* Explain why no task was stopped; *out is as of job_pending_reason. */
static void
find_nothing(struct known *k, struct job_pending_reason *out)
{
	const char *job = store_job_name(k->view->job);
	const char *metric = k->view->metric;
	int64_t epoch = 0, without = k->view->table->summary.without;
	size_t count = 0;

	if (k->view->table->summary.pruned > 0)
		return;
	if (k->search.epochs == 0 && !is_over(k)) {
		out->why = xstrdup("nothing is stopped yet: the number of "
				   "epochs is unknown until a task finishes");
		out->to_do = xstrdup("Say how many epochs a training has");
		out->command = xasprintf("stfm-set --epochs N %s", job);
		return;
	}
	if (k->board == NULL && k->search.epochs > 0) /* it cannot be read */
		return;
	if (k->board != NULL)
		count = count_first(k, &epoch);
	if (count == 0 && k->view->metric != NULL)
		find_numberless(k, out);
	if (out->why != NULL)
		return;
	if (count == 0 && without > 0) {
		out->why = xasprintf("nothing %s: %" PRId64 " log%s without %s",
		    is_over(k) ? "was stopped" : "is stopped yet", without,
		    without == 1 ? " is" : "s are", metric);
		out->to_do = other_metrics(k->view->job, metric);
		out->command = xasprintf("stfm-set --metric NAME %s", job);
		return;
	}
	if (is_over(k))
		find_late(k, out);
	if (out->why != NULL || count >= search_least(&k->search.pruner))
		return;
	if (is_over(k)) {
		find_unstopped(k, count, epoch, out);
		return;
	}
	if (epoch == 0)
		return;
	out->why = xasprintf("nothing is stopped yet: %zu of the tasks %s "
			     "a value at epoch %" PRId64
			     ", and the pruner compares at least %zu",
	    count, count == 1 ? "has" : "have", epoch,
	    search_least(&k->search.pruner));
}

/*
 * Return whether no task of a population has a checkpoint.  *linked then says
 * whether one of them has files elsewhere, behind a symbolic link.
 */
static int
is_unsaved(
    const struct known *k, const struct store_chunks *chunks, int *linked)
{
	const struct store_job *job = k->view->job;
	struct job_checkpoint_files files = {.newest = -1};
	uint32_t origin;
	uint64_t task;
	char *path;

	*linked = 0;
	for (task = 0; task < k->view->table->count && files.newest == -1;
	     task++) {
		origin = job_checkpoint_origin(
		    chunks, task, store_table_attempt(k->view->table, task));
		if (job_checkpoint_is_there(job, task, origin, NULL) == -1)
			return 0; /* it cannot be read */
		path = job_checkpoint_path(job, task, origin);
		job_checkpoint_look(path, &files);
		*linked |= files.link != NULL;
		free(files.link);
		free(path);
	}
	return files.newest == -1;
}

/*
 * Explain why no task of a population continues from another one: they were
 * compared, but none has a checkpoint.
 */
static void
find_unsaved(struct known *k, struct job_pending_reason *out)
{
	const struct store_chunks *chunks = job_view_chunks(k->view);
	int64_t epoch;
	int linked;

	if (k->board == NULL || chunks == NULL ||
	    count_first(k, &epoch) < search_least(&k->search.pruner) ||
	    !is_unsaved(k, chunks, &linked))
		return;
	out->why = xasprintf("no task %s from another one: none has a "
			     "checkpoint%s",
	    is_over(k) ? "continued" : "continues",
	    linked ? ", and files behind a symbolic link do not count" : "");
	out->to_do =
	    xasprintf("Let the training save one below "
		      "$STFM_CHECKPOINT_DIR at least every %" PRId64 " epochs",
		k->search.pruner.first);
}

/* Explain why points of the tasks are random although a command chooses. */
static void
find_random(
    struct job_view *v, struct idset *tasks, struct job_pending_reason *out)
{
	struct store_fact_body body;
	uint64_t points;

	if (job_view_whole(v, NULL) == -1)
		return;
	points = show_random_points(v, tasks);
	if (tasks->count == 0)
		return;
	show_point_record(v->job, tasks->run[tasks->count - 1].last, &body);
	out->why = xasprintf("%" PRIu64 " of %" PRIu64 " points are random: %s",
	    idset_size(tasks), points,
	    body.reason != NULL ? body.reason : "the sampler command failed");
	out->to_do = xstrdup("Let the command choose a point here");
	out->command = xasprintf("stfm-ask %s", store_job_name(v->job));
	store_fact_body_free(&body);
}

/* Hand over a reason about tasks, and free it. */
static void
hand_over(const struct known *k, const char *word, const struct idset *tasks,
    struct job_pending_reason *r, show_reason *each, void *arg)
{
	struct show_set set = {.job = store_job_name(k->view->job),
	    .cause = (char *)(uintptr_t)word,
	    .tasks = *tasks,
	    .start = -1};

	if (r->why != NULL && tasks->count > 0)
		each(arg, &set, r);
	job_pending_reason_free(r);
	*r = (struct job_pending_reason){NULL};
}

/* Say which pending tasks have no point yet. */
static void
find_points(const struct job_tasks *t, const struct known *k, struct idset *out)
{
	const struct store_row *row;
	size_t i;

	for (i = 0; i < t->count; i++) {
		if (store_table_state(t->view->table, t->task[i]) !=
		    STORE_SUBMITTED)
			continue;
		row = job_view_row(k->view, t->task[i]);
		if (row->point == NULL)
			idset_add(out, row->task, row->task);
		store_table_forget(t->view->table, t->task[i]);
	}
}

/* ---- why nothing waits ---- */

/* The tasks of a search that is over, by what became of them. */
struct ends {
	struct idset ended; /* stopped by --until or --gpu-hours */
	char *why;          /* "conv/0 has reached 0.99", if there are some */
	struct idset trained;
	uint64_t whole; /* how many of these finished; the pruner stopped the
			   others */
	char *pruned;   /* why the pruner stopped the last of them, or NULL */
	struct idset stopped, failed;
};

static void
find_ends(const struct job_tasks *t, struct ends *out)
{
	const struct store_row *row;
	const char *why;
	size_t i;

	*out = (struct ends){.why = NULL};
	for (i = 0; i < t->count; i++) {
		row = job_view_row(t->view, t->task[i]);
		if (row->state == STORE_STOPPED &&
		    stop_reason_of(row->cause, &why) == STOP_ENDED) {
			idset_add(&out->ended, row->task, row->task);
			if (out->why == NULL)
				out->why = xstrdup(why);
		} else if (row->state == STORE_ERROR) {
			idset_add(&out->failed, row->task, row->task);
		} else if (row->state == STORE_STOPPED &&
		    !state_is_pruned(row)) {
			idset_add(&out->stopped, row->task, row->task);
		} else {
			idset_add(&out->trained, row->task, row->task);
			out->whole += row->state == STORE_FINISHED;
			free(out->pruned);
			out->pruned = row->state == STORE_STOPPED
			    ? xcopy(row->cause)
			    : NULL;
		}
		store_table_forget(t->view->table, t->task[i]);
	}
}

/* Say how to add points to a search whose points are all trained. */
static void
advise_points(const struct store_job *job, struct job_pending_reason *r)
{
	char *over = NULL, *trained = r->why;

	if (job_search_no_more(job, &over, NULL) == 1) {
		r->why = xasprintf("%s; %s", trained, over);
		free(trained);
		r->to_do = xstrdup("This shows the command");
	} else {
		r->to_do = xstrdup("To add points, type the command of the job "
				   "again with --sync and a larger --search N; "
				   "this shows it");
	}
	r->command = xasprintf("stfm-status --record %s", store_job_name(job));
	free(over);
}

/* Say which points were trained, and how to add points. */
static void
explain_trained(const struct known *k, const struct ends *ends,
    show_reason *each, void *arg)
{
	struct job_pending_reason r = {NULL};
	uint64_t count = idset_size(&ends->trained);

	r.why = xasprintf("trained: %" PRIu64 " to the end", ends->whole);
	if (count > ends->whole) {
		free(r.why);
		r.why =
		    xasprintf("trained: %" PRIu64 " to the end, and %" PRIu64
			      " until the pruner stopped %s",
			ends->whole, count - ends->whole,
			count - ends->whole == 1 ? "it" : "them");
	}
	if (count == 1 && ends->pruned != NULL) {
		free(r.why);
		r.why = xstrdup(ends->pruned);
		r.to_do = xstrdup("To train it to the end");
		r.command = xasprintf("stfm-restart %s/%" PRIu64,
		    store_job_name(k->view->job), idset_at(&ends->trained, 0));
	} else if (ends->ended.count + ends->stopped.count +
		ends->failed.count ==
	    0) {
		advise_points(k->view->job, &r);
	}
	hand_over(k, "trained", &ends->trained, &r, each, arg);
}

/* Return whether a copy of a job would not learn from its results. */
static int
needs_tpe(const struct store_job *job)
{
	const struct store_search *search = store_job_search(job);

	return !search_sampler_learns(search->sampler) && search->guess == NULL;
}

/* Say why no task of a search waits, and how to go on. */
static void
explain_end(const struct known *k, const struct job_tasks *t, show_reason *each,
    void *arg)
{
	const char *job = store_job_name(k->view->job);
	const char *until = store_job_search(k->view->job)->until;
	struct job_pending_reason r = {NULL};
	struct ends ends;
	char *ids;

	find_ends(t, &ends);
	if (ends.why != NULL) {
		ids = show_ids(job, &ends.ended);
		r.why = strstr(ends.why, "GPU hours") != NULL || until == NULL
		    ? xasprintf("the search is over: %s", ends.why)
		    : xasprintf("the search is over: %s (--until %s)", ends.why,
			  until);
		r.to_do = xasprintf("Submit a new job with %s--from-results "
				    "%s, or train these tasks to the end",
		    needs_tpe(k->view->job) ? "--sampler tpe " : "", job);
		r.command = xasprintf("stfm-restart %s", ids);
		free(ids);
	}
	hand_over(k, "search over", &ends.ended, &r, each, arg);
	explain_trained(k, &ends, each, arg);
	ids = show_ids(job, &ends.stopped);
	r.why = xstrdup("stopped before the end");
	if (ends.why == NULL) { /* else they would stop again */
		r.to_do = xstrdup("Queue again");
		r.command = xasprintf("stfm-restart %s", ids);
	}
	free(ids);
	hand_over(k, "stopped", &ends.stopped, &r, each, arg);
	r.why = xstrdup("failed");
	r.to_do = xstrdup("To see the errors");
	r.command = xasprintf("stfm-status -e %s", job);
	hand_over(k, "failed", &ends.failed, &r, each, arg);
	free(ends.why);
	free(ends.pruned);
	idset_free(&ends.ended);
	idset_free(&ends.trained);
	idset_free(&ends.stopped);
	idset_free(&ends.failed);
}

/* Say why the tasks of a job that is no search have no best value. */
static void
explain_metric(
    struct job_view *v, const struct job_tasks *t, show_reason *each, void *arg)
{
	struct known k = {.view = v};
	struct job_pending_reason r = {NULL};
	int64_t without = v->table->summary.without;
	struct idset tasks = {0};
	size_t i;

	for (i = 0; i < t->count; i++)
		idset_add(&tasks, t->task[i], t->task[i]);
	if (v->metric != NULL && without > 0) {
		r.why = xasprintf("%" PRId64 " log%s without %s", without,
		    without == 1 ? " is" : "s are", v->metric);
		r.to_do = other_metrics(v->job, v->metric);
		r.command = xasprintf(
		    "stfm-set --metric NAME %s", store_job_name(v->job));
	} else if (v->metric != NULL && v->best == -1) {
		find_unnumbered(&k, "", &r);
	}
	hand_over(&k, "no metric", &tasks, &r, each, arg);
	idset_free(&tasks);
}

void
show_search_why(const struct job_tasks *t, show_reason *each, void *arg)
{
	const struct store_search *given = store_job_search(t->view->job);
	struct job_pending_reason r = {NULL};
	struct idset tasks = {0};
	struct known k;
	size_t i;

	if (!store_search_is_given(given)) {
		explain_metric(t->view, t, each, arg);
		return;
	}
	know(&k, t->view);
	if (is_over(&k))
		explain_end(&k, t, each, arg);
	if (given->sampler != NULL)
		find_points(t, &k, &tasks);
	r.why = xstrdup("no point yet: the sampler chooses it when the task "
			"starts");
	r.to_do = xstrdup("To see which one it would choose now");
	r.command = xasprintf("stfm-ask %s", store_job_name(t->view->job));
	hand_over(&k, "no point", &tasks, &r, each, arg);
	idset_free(&tasks);
	find_random(t->view, &tasks, &r);
	hand_over(&k, "random points", &tasks, &r, each, arg);
	idset_free(&tasks);
	for (i = 0; i < t->count; i++)
		if (is_over(&k) ||
		    store_table_state(t->view->table, t->task[i]) ==
			STORE_RUNNING)
			idset_add(&tasks, t->task[i], t->task[i]);
	if (k.search.pruner.kind == SEARCH_PBT)
		find_unsaved(&k, &r);
	else if (k.search.pruner.kind != SEARCH_NONE)
		find_nothing(&k, &r);
	hand_over(&k,
	    k.search.pruner.kind == SEARCH_PBT ? "no checkpoint"
					       : "nothing stopped",
	    &tasks, &r, each, arg);
	for (i = 0; i < t->count; i++) {
		r.why = standing(&k, t->task[i]);
		if (r.why == NULL)
			continue;
		idset_free(&tasks);
		idset_add(&tasks, t->task[i], t->task[i]);
		hand_over(&k, "continues", &tasks, &r, each, arg);
		store_table_forget(t->view->table, t->task[i]);
	}
	idset_free(&tasks);
	forget(&k);
}
