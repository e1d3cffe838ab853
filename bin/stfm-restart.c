/* stfm-restart - queue training tasks again */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "control/restart.h"
#include "control/search-end.h"
#include "control/stop-reason.h"
#include "job/checkpoint-dir.h"
#include "job/code.h"
#include "job/location.h"
#include "job/preflight.h"
#include "job/provenance.h"
#include "job/sbatch-options.h"
#include "reconcile/reconcile.h"
#include "state/resolve.h"
#include "state/search.h"
#include "state/words.h"
#include "store/extension.h"
#include "store/request.h"
#include "store/table-row.h"
#include "submit/messages.h"
#include "sys/proc.h"
#include "term/cli.h"
#include "term/progress.h"
#include "view/targets.h"

struct request {
	const char *dir;
	struct job_filter *filter;
	struct sbatch given;
	struct strlist sbatch; /* the options of given as typed */
	struct strlist words;  /* jobs and tasks */
	int resume, finished, dry_run, quiet;
	int new_code, old_code, yes;
};

static const struct cli_option options[] = {
    {'t', "state", "STATE", "select tasks in these states"},
    {'w', "where", "EXPR", "select tasks by a condition: 'lr<0.01'"},
    {0, "resume", NULL, "continue from the checkpoints",
	CLI_FLAG(struct request, resume)},
    {0, "finished", NULL, "restart FINISHED tasks too",
	CLI_FLAG(struct request, finished)},
    {0, "new-code", NULL, "train with the code as it is now",
	CLI_FLAG(struct request, new_code)},
    {0, "old-code", NULL, "train with the copy of the code",
	CLI_FLAG(struct request, old_code)},
    {'y', "yes", NULL, "do not ask: train with the code as it is now",
	CLI_FLAG(struct request, yes)},
    {0, "dry-run", NULL, "show which tasks would be queued again",
	CLI_FLAG(struct request, dry_run)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct request, quiet)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, dir)},
    {0},
};

static const struct cli_instead instead[] = {
    {"code-new", "--new-code"},
    {"code-old", "--old-code"},
    {0},
};

static const struct cli command = {
    "stfm-restart",
    "queue tasks again",
    "[-Qy] [-t STATE] [-w EXPR] [--finished] [sbatch options]\n"
    "JOB[/TASKS] ...",
    "  stfm-restart conv2d              queue failed and stopped tasks again\n"
    "  stfm-restart --resume conv2d/3   continue from its checkpoint\n"
    "  stfm-restart --new-code conv2d   run the code you mended\n"
    "  stfm-restart -t OOM --mem=32G conv2d\n",
    options,
    0,
    config_defaults,
    instead,
};

/* ---- selecting tasks ---- */

/* Return whether a task has not been dropped by --sync. */
static int
is_wanted(const struct job_target *t, uint64_t task)
{
	const struct idset *dropped = store_job_dropped(t->job);

	return dropped == NULL || !idset_has(dropped, task);
}

/* Return whether the search of the job stopped a task. */
static int
is_pruned(const struct job_target *t, uint64_t task)
{
	return store_table_state(t->view->table, task) == STORE_STOPPED &&
	    state_is_pruned(store_table_row(t->view->table, task));
}

/* Return the first task of a job that its search stopped. */
static uint64_t
first_pruned(const struct job_target *t)
{
	uint64_t task = 0;

	while (task + 1 < t->view->table->count && !is_pruned(t, task))
		task++;
	return task;
}

/*
 * Keep only tasks that failed or were stopped, and that --sync has not dropped:
 * the default for a whole job without -t.  Pruned tasks are done, unless a
 * condition selects them.
 */
static void
take_usual(const struct request *r, struct job_target *t)
{
	struct idset_walk walk = {0};
	struct idset left = {0};
	enum store_state state;
	uint64_t task;

	while (idset_next(&t->tasks, &walk, &task)) {
		state = store_table_state(t->view->table, task);
		if ((store_state_is_failure(state) ||
			(r->finished && state == STORE_FINISHED)) &&
		    is_wanted(t, task) &&
		    (job_filter_asks(r->filter) || !is_pruned(t, task)))
			idset_add(&left, task, task);
	}
	idset_free(&t->tasks);
	t->tasks = left;
}

/*
 * Return whether some tasks are being stopped, with the reason in e: they end
 * soon.
 */
static int
refuse_stopping(
    const struct job_target *t, const struct idset *tasks, struct error *e)
{
	struct idset_walk walk = {0};
	struct store_requests stops;
	struct idset stopping = {0};
	uint64_t task;
	char *text;
	int some;

	if (store_requests_list(t->job, STORE_STOPS, &stops, NULL) == -1)
		return 0;
	while (idset_next(tasks, &walk, &task))
		if (!state_is_over(t->view->table, task) &&
		    store_stop_is_asked(&stops, task,
			store_table_brief(t->view->table, task).attempt))
			idset_add(&stopping, task, task);
	store_requests_free(&stops);
	some = stopping.count > 0;
	if (some) {
		text = idset_brief(&stopping);
		error_set(e,
		    "%s/%s: being stopped: try again when stfm-status says "
		    "STOPPED",
		    t->job->name, text);
		free(text);
	}
	idset_free(&stopping);
	return some;
}

/*
 * Refuse a task that is not over.  Returns 1 if it will end by itself, or -1.
 */
static int
refuse_open(const struct job_target *t, uint64_t task, enum store_state state,
    struct error *e)
{
	if (state_is_over(t->view->table, task)) {
		error_set(e,
		    "%s/%" PRIu64 ": has ended, and may still say how: try "
		    "again when stfm-status does not say RUNNING",
		    t->job->name, task);
		return 1;
	}
	return error_set(e,
	    "%s/%" PRIu64 ": %s: stop it first, or choose with "
	    "-t ERROR,STOPPED",
	    t->job->name, task,
	    state == STORE_RUNNING ? "is RUNNING" : "still waits");
}

/*
 * Refuse named tasks that are not over, or are FINISHED.  Returns 0, 1 if a
 * later call may succeed, or -1.
 */
static int
check_tasks(
    const struct request *r, const struct job_target *t, struct error *e)
{
	int may_be_finished = r->finished || r->filter->states > 0;
	struct idset_walk walk = {0};
	enum store_state state;
	uint64_t task;

	if (refuse_stopping(t, &t->tasks, e))
		return 1;
	while (idset_next(&t->tasks, &walk, &task)) {
		state = store_table_state(t->view->table, task);
		if (!store_state_is_final(state))
			return refuse_open(t, task, state, e);
		if (state == STORE_FINISHED && !may_be_finished)
			return error_set(e,
			    "%s/%" PRIu64 ": is FINISHED: train it again with "
			    "--finished",
			    t->job->name, task);
	}
	return 0;
}

/*
 * Return whether a whole job is meant: restart its failed tasks now, and report
 * the tasks that end soon.
 */
static int
means_usual(const struct request *r, const struct job_target *t)
{
	return t->named->whole && r->filter->states == 0;
}

/* Choose the tasks of a target to restart.  Returns as check_tasks does. */
static int
aim(const struct request *r, struct job_target *t, struct error *e)
{
	if (t->unwritten != NULL)
		return error_set(e, "%s", t->unwritten);
	if (means_usual(r, t))
		take_usual(r, t);
	if (t->tasks.count > 0 && job_location_begin(t->job, e) == -1)
		return -1;
	return check_tasks(r, t, e);
}

/* ---- choosing the code ---- */

enum {
	NAMED = 3,  /* maximum paths to name */
	STOPPED = 2 /* the user queues nothing */
};

/* Return "train.py, model.py and others", to free. */
static char *
some_paths(const struct strlist *paths)
{
	size_t length, i;
	char *text = NULL;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < paths->count && i < NAMED; i++) {
		fputs(i > 0 ? ", " : "", f);
		text_plain(f, paths->word[i]);
	}
	fputs(i < paths->count ? " and others" : "", f);
	xmemclose(f);
	return text;
}

/* Return how many tasks failed by themselves: by their code, most likely. */
static uint64_t
failed_in_code(const struct job_target *t)
{
	struct idset_walk walk = {0};
	uint64_t task, count = 0;
	enum cause why;

	while (idset_next(&t->tasks, &walk, &task)) {
		if (store_table_state(t->view->table, task) != STORE_ERROR)
			continue;
		why = cause_of(
		    store_table_row(t->view->table, task)->cause, NULL);
		count += why == CAUSE_EXIT || why == CAUSE_SIGNAL;
	}
	return count;
}

/*
 * If the code of failed tasks has changed, ask which code to train with, or
 * refuse where nobody can be asked.  Sets *renew.  Returns 0, STOPPED, or -1.
 */
static int
ask_code(const struct request *r, const struct job_target *t, int *renew,
    struct error *e)
{
	struct strlist edited = {0};
	const char *name = t->job->name;
	uint64_t failed;
	int rc = 0, answer;
	char *paths;

	*renew = r->new_code;
	failed = r->new_code || r->old_code ? 0 : failed_in_code(t);
	if (failed == 0)
		return 0;
	job_code_edited(t->job, NAMED + 1, &edited);
	if (edited.count == 0)
		return 0;
	paths = some_paths(&edited);
	if (r->yes)
		*renew = 1;
	else if (!cli_can_ask())
		rc = error_set(e,
		    "%s: %s changed since its code was copied, and %" PRIu64
		    " of the tasks failed in that copy: train with the new "
		    "code (--new-code) or with the copy (--old-code)",
		    name, paths, failed);
	else if (r->dry_run)
		cli_warn("%s: %s changed since its code was copied: you will "
			 "be asked which code to train with",
		    name, paths);
	else {
		answer = cli_choose("co",
		    "%s: %s changed since its code was copied, and %" PRIu64
		    " of the tasks failed in that copy.\n"
		    "Train with the [c]hanged code, the [o]ld code, or [s]top?",
		    name, paths, failed);
		*renew = answer == 'c';
		rc = answer == 0 ? STOPPED : 0;
	}
	free(paths);
	strlist_free(&edited);
	return rc;
}

/* ---- restarting ---- */

static void
print_tasks(
    const char *what, const struct store_job *job, const struct idset *tasks)
{
	uint64_t count = idset_size(tasks);
	char *text = idset_brief(tasks);

	cli_print("%s: %" PRIu64 " task%s %s: %s", job->name, count,
	    count == 1 ? "" : "s", what, text);
	free(text);
}

/* Put the tasks that the search had stopped into *spared. */
static void
find_spared(
    const struct job_target *t, const struct idset *tasks, struct idset *spared)
{
	struct idset_walk walk = {0};
	struct store_requests stops;
	uint64_t task;

	if (store_requests_list(
		t->job, STORE_STOPS | STORE_NAMES, &stops, NULL) == -1)
		return;
	while (idset_next(tasks, &walk, &task))
		if (job_search_has_stopped(&stops, task,
			store_table_attempt(t->view->table, task) + 1))
			idset_add(spared, task, task);
	store_requests_free(&stops);
}

/*
 * Put the tasks that the pruner would stop by the values that they have, except
 * the spared ones, into *judged, and the reason of the last one into *out.
 */
static void
find_judged(const struct job_target *t, const struct idset *tasks,
    const struct idset *spared, struct idset *judged, struct stop_pruned *out)
{
	struct idset_walk walk = {0};
	struct job_search search;
	struct job_board *board;
	struct stop_pruned why;
	uint64_t task;

	if (!job_search_of(t->job, &search) || search.epochs == 0 ||
	    job_view_whole(t->view, NULL) == -1)
		return;
	board = job_board_of(&search, t->view->table, NULL, NULL);
	while (idset_next(tasks, &walk, &task)) {
		if (idset_has(spared, task) ||
		    !job_board_judge(board, task,
			store_table_rungs(t->view->table, task), &why))
			continue;
		idset_add(judged, task, task);
		*out = why;
	}
	job_board_free(board);
}

/* Say which tasks the pruner may stop as soon as they run. */
static void
print_judged(const struct job_target *t, const struct idset *tasks,
    const struct idset *spared)
{
	struct idset judged = {0};
	struct stop_pruned why;
	char *text, *reason;

	find_judged(t, tasks, spared, &judged, &why);
	text = idset_brief(&judged);
	if (idset_size(&judged) == 1) {
		reason = stop_pruned_text(&why);
		cli_print("%s: the search may stop task %s as soon as it runs, "
			  "because of its earlier value: %s; if it does, "
			  "restart the task again to train it to its end",
		    t->job->name, text, strchr(reason, ' ') + 1);
		free(reason);
	} else if (judged.count > 0)
		cli_print("%s: the search may stop tasks %s as soon as they "
			  "run, because of their earlier values; if it does, "
			  "restart the tasks again to train them to their end",
		    t->job->name, text);
	free(text);
	idset_free(&judged);
}

/* Say what the search of the job does with tasks that are restarted. */
static void
print_search(const struct job_target *t, const struct idset *tasks)
{
	uint64_t count = idset_size(tasks), left;
	struct idset spared = {0};
	char *text, *why = NULL;

	if (!store_search_is_given(store_job_search(t->job)))
		return;
	find_spared(t, tasks, &spared);
	left = count - idset_size(&spared);
	text = idset_brief(&spared);
	if (spared.count > 0)
		cli_print("%s: the search does not stop task%s %s again",
		    t->job->name, count - left == 1 ? "" : "s", text);
	if (left > 0 && job_search_ended(t->job, &why, NULL) == 1)
		cli_print("%s: %s: %" PRIu64 "%s task%s when %s", t->job->name,
		    why, left, spared.count > 0 ? " other" : "",
		    left == 1 ? " stops" : "s stop",
		    left == 1 ? "it starts" : "they start");
	else if (left > 0)
		print_judged(t, tasks, &spared);
	free(why);
	free(text);
	idset_free(&spared);
}

/* Say that there is nothing to restart, and how to restart pruned tasks. */
static void
print_nothing(const struct request *r, const struct job_target *t, int later)
{
	int64_t pruned = t->view->table->summary.pruned;
	const char *name = t->job->name;

	if (!means_usual(r, t) || job_filter_asks(r->filter) || pruned == 0) {
		cli_print(
		    "%s: nothing %sto restart", name, later ? "else " : "");
		return;
	}
	cli_print("%s: nothing %sto restart: the search stopped %" PRId64
		  " task%s; to train %s to the end, name %s, as in "
		  "stfm-restart %s/%" PRIu64,
	    name, later ? "else " : "", pruned, pruned == 1 ? "" : "s",
	    pruned == 1 ? "it" : "some", pruned == 1 ? "it" : "them", name,
	    first_pruned(t));
}

/* Print which tasks have no checkpoint to continue from. */
static void
print_scratch(const struct job_target *t, const struct idset *tasks)
{
	struct idset_walk walk = {0};
	struct idset scratch = {0};
	struct store_chunks chunks;
	struct error e;
	uint64_t task;
	uint32_t attempt;

	if (store_chunks_list(t->job, &chunks, NULL) == -1)
		return;
	while (idset_next(tasks, &walk, &task)) {
		attempt = store_table_brief(t->view->table, task).attempt;
		switch (job_checkpoint_is_there(t->job, task,
		    job_checkpoint_origin(&chunks, task, attempt), &e)) {
		case -1:
			cli_fail(&e, 0);
			break;
		case 0:
			idset_add(&scratch, task, task);
		}
	}
	if (scratch.count > 0)
		print_tasks(
		    "from scratch, without a checkpoint", t->job, &scratch);
	idset_free(&scratch);
	store_chunks_free(&chunks);
}

/*
 * Return how far the tasks have got.  Tasks that Slurm refused still wait if
 * their new attempt could not be withdrawn.
 */
static const char *
how_far(const struct job_restarted *done)
{
	if (done->answer == QUEUE_REFUSED && done->kept.count == 0)
		return done->queued.fresh_count > 0
		    ? "queued again or waiting for it"
		    : "waiting to be queued again";
	if (done->answer == QUEUE_QUEUED ||
	    (done->answer == QUEUE_REFUSED && done->queued.left == 0))
		return "queued again";
	return done->queued.left >= idset_size(&done->tasks)
	    ? "waiting to be queued again"
	    : "queued again or waiting for it";
}

static void
report(const struct request *r, const struct job_target *t,
    const struct job_restarted *done)
{
	if (r->quiet)
		return;
	if (done->taken.count > 0)
		print_tasks("restarted by another command meanwhile", t->job,
		    &done->taken);
	if (done->tasks.count == 0)
		return;
	print_tasks(how_far(done), t->job, &done->tasks);
	if (done->queued.behind)
		cli_print(
		    "%s: they start after the tasks that wait already, because "
		    "of --parallel",
		    t->job->name);
	print_search(t, &done->tasks);
	if (r->resume)
		print_scratch(t, &done->tasks);
}

/* Warn that only some of the tasks are queued again. */
static void
warn_kept(const struct job_target *t, const struct job_restarted *done)
{
	uint64_t count = idset_size(&done->kept);
	size_t arrays = done->queued.fresh_count;
	char *kept = idset_brief(&done->kept);
	char *tasks = idset_brief(&done->tasks);
	char *ids = job_enqueue_ids(done->queued.fresh, arrays, ", ");

	cli_warn("%s: %" PRIu64 " task%s not queued, and %s: %s; %s: %s%s%s",
	    t->job->name, count, count == 1 ? " is" : "s are",
	    count == 1 ? "is what it was" : "are what they were", kept,
	    how_far(done), tasks,
	    arrays == 0       ? ""
		: arrays == 1 ? ", as Slurm array "
			      : ", as Slurm arrays ",
	    ids);
	free(ids);
	free(tasks);
	free(kept);
}

/* Report the result of job_restart.  Returns the exit status. */
static int
report_end(const struct job_target *t, const struct job_restarted *done, int rc,
    const struct error *e)
{
	if (rc == 0 && done->answer == QUEUE_QUEUED)
		return CLI_YES;
	cli_fail(e, 0);
	if (rc == 1 && done->kept.count > 0)
		warn_kept(t, done);
	if (rc != -1 && done->queued.left > 0)
		cli_warn("%s: %" PRIu64 " of them wait to be queued: "
			 "stfm-watch does that, or stfm-submit --queue-rest %s",
		    t->job->name, done->queued.left, t->job->name);
	return rc == -1 ? CLI_WRONG : rc == 1 ? CLI_NO : CLI_LATER;
}

/* Warn if the user has edited the code, because tasks train with the copy. */
static void
warn_of_edited(const struct request *r, const struct store_job *job)
{
	struct strlist edited = {0};

	if (!r->old_code && !r->new_code)
		job_code_edited(job, 1, &edited);
	if (edited.count > 0)
		cli_warn("%s: %s changed since the code was copied; the tasks "
			 "train with the copy (--new-code trains with the new "
			 "code)",
		    job->name, edited.word[0]);
	strlist_free(&edited);
}

/*
 * Copy the code as it is now, and load the job with it.  Without a difference
 * nothing is copied.  Returns the job, to store_job_free, or NULL.
 */
static struct store_job *
renew(const struct request *r, const struct store *store,
    const struct store_job *job, struct error *e)
{
	struct strlist differing = {0};
	struct store_job *loaded = NULL;
	char *paths;
	int rc;

	progress_begin("copying the code");
	rc = job_code_renew(
	    job, store->path, r->dry_run, NAMED + 1, &differing, e);
	progress_end();
	if (rc != -1)
		loaded = store_job_load(store, job->name, e);
	paths = some_paths(&differing);
	if (loaded != NULL && !r->quiet)
		cli_print("%s: %s: %s", job->name,
		    rc == 0          ? "the code has not changed"
			: r->dry_run ? "would copy the code again"
				     : "copied the code again",
		    rc == 0 ? "the tasks train with the copy" : paths);
	free(paths);
	strlist_free(&differing);
	return loaded;
}

static void
warn_interrupted(void)
{
	progress_end();
	cli_warn("%s", submit_message_interrupted);
}

/* Restart the tasks of one target, whose job is job.  Returns the status. */
static int
restart_target(const struct request *r, const struct job_target *t,
    const struct store_job *job)
{
	const struct job_restart how = {
	    .resume = r->resume, .options = &r->sbatch};
	struct job_restarted done;
	struct error e;
	int rc, status;

	proc_block(); /* until the report is printed */
	proc_on_blocked(warn_interrupted);
	progress_begin("queueing again");
	rc = job_restart(job, t->view->table, &t->tasks, &how, &done, &e);
	progress_end();
	proc_on_blocked(NULL);
	if (rc != -1)
		report(r, t, &done);
	if (rc != -1 && !r->quiet)
		warn_of_edited(r, job);
	status = report_end(t, &done, rc, &e);
	job_restarted_free(&done);
	return status;
}

static int
act(const struct request *r, const struct store *store,
    const struct job_target *t, int later, int renews)
{
	struct store_job *renewed = NULL;
	const struct store_job *job = t->job;
	struct error e;
	int status = CLI_YES;

	if (t->tasks.count == 0) {
		if (!r->quiet)
			print_nothing(r, t, later);
		return CLI_YES;
	}
	if (renews && (renewed = renew(r, store, job, &e)) == NULL)
		return cli_fail(&e, cli_status(&e));
	if (renewed != NULL)
		job = renewed;
	if (!r->dry_run) {
		status = restart_target(r, t, job);
	} else {
		print_tasks("would be queued again", job, &t->tasks);
		if (!r->quiet)
			print_search(t, &t->tasks);
		if (!r->quiet && !renews)
			warn_of_edited(r, job);
		if (r->resume)
			print_scratch(t, &t->tasks);
	}
	store_job_free(renewed);
	return status;
}

/* Return whether some selected tasks end soon, with the reason in e. */
static int
is_coming(const struct request *r, const struct job_target *t, struct error *e)
{
	struct idset meant = {0};
	size_t count, i;
	uint64_t *task;
	int some;

	task = job_filter_apply(r->filter, t->view, &t->named->tasks, &count);
	for (i = 0; i < count; i++)
		if (is_wanted(t, task[i]))
			idset_add(&meant, task[i], task[i]);
	some = refuse_stopping(t, &meant, e);
	idset_free(&meant);
	free(task);
	return some;
}

/*
 * Restart tasks of all targets, and report tasks of whole jobs that end soon.
 */
static int
act_on_all(const struct request *r, const struct store *store,
    const struct job_target *t, const struct selection *jobs, const int *renews)
{
	int status = CLI_YES, later, got;
	struct error e;
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		later = means_usual(r, &t[i]) && is_coming(r, &t[i], &e);
		got = act(r, store, &t[i], later, renews[i]);
		if (later && cli_fail(&e, CLI_LATER) > got)
			got = CLI_LATER;
		if (got > status)
			status = got;
	}
	if (cli_flush() == -1)
		status = CLI_WRONG;
	if (!r->dry_run)
		reconcile_again(store, jobs, NULL, 0);
	return status;
}

static int
run(const struct request *r, const struct store *store)
{
	struct job_target *t = NULL;
	struct selection jobs = {0};
	char *program = cli_sibling("stfm-run"), *word, *secret;
	struct error e;
	int status, rc, *renews = NULL;
	size_t i;

	rc = job_select(store, r->words.word, r->words.count, &jobs, &e);
	if (rc == 0)
		rc = job_targets(store, &jobs, r->filter, &t, &e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		cli_warn_each(NULL, &t[i].notes);
	for (i = 0; r->dry_run && rc == 0 && i < jobs.count; i++)
		cli_warn_each(t[i].job->name, &t[i].damaged);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = aim(r, &t[i], &e);
	renews = xcalloc(jobs.count + 1, sizeof *renews);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = ask_code(r, &t[i], &renews[i], &e);
	/*
	 * Check that the program and the directories exist: else no task would
	 * start.
	 */
	for (i = 0; rc == 0 && !r->dry_run && i < jobs.count; i++)
		if (t[i].tasks.count > 0)
			rc = job_preflight(store, t[i].job, program, &e);
	if (rc == 0) {
		word = job_provenance_secret_word(&r->sbatch);
		secret = submit_message_secret(word);
		if (secret != NULL)
			cli_warn("%s", secret);
		free(secret);
		free(word);
	}
	if (rc == STOPPED) {
		cli_warn("nothing is queued");
		status = CLI_NO;
	} else {
		status = rc == 0
		    ? act_on_all(r, store, t, &jobs, renews)
		    : cli_fail(&e, rc == 1 ? CLI_LATER : CLI_WRONG);
	}
	free(renews);
	free(program);
	job_targets_free(t, jobs.count);
	selection_free(&jobs);
	return status;
}

/* ---- the command line ---- */

/* Return whether a word is an option of sbatch and not one of stfm-restart. */
static int
is_sbatch(const char *word)
{
	char *name;
	int known;

	if (word[0] != '-' || word[1] == '\0' || cli_takes(&command, word))
		return 0;
	name = word[1] == '-' ? xstrndup(word + 2, strcspn(word + 2, "="))
			      : xstrndup(word + 1, 1);
	known = sbatch_name(name) != NULL;
	free(name);
	return known;
}

/*
 * Take the option at argv[*at] and move *at behind it.  Returns 0 or a CLI_
 * value.
 */
static int
take_own(struct request *r, int argc, char **argv, int *at, struct error *e)
{
	int letter = cli_next_at(&command, argc, argv, at), rc;

	if (letter < 0)
		return letter;
	rc = cli_set(r, e);
	if (rc == 0)
		rc = letter == 't' ? job_filter_state(r->filter, optarg, e)
				   : job_filter_where(r->filter, optarg, e);
	return rc == -1 ? cli_fail(e, CLI_BAD) : 0;
}

static int
parse(int argc, char **argv, struct request *r)
{
	struct error e;
	int at = 1, rc = 0, n;

	while (rc == 0 && cli_has_default(&command, argc, argv))
		rc = take_own(r, argc, argv, &at, &e);
	while (at < argc && rc == 0) {
		if (is_sbatch(argv[at])) {
			n = job_sbatch_options_take(
			    &r->given, argv + at, &r->sbatch, &e);
			if (n == -1)
				rc = cli_fail(&e, CLI_BAD);
			else
				at += n;
		} else if (argv[at][0] == '-' && argv[at][1] != '\0')
			rc = take_own(r, argc, argv, &at, &e);
		else
			strlist_push(&r->words, argv[at++]);
	}
	return rc == 0 ? CLI_END : rc;
}

int
main(int argc, char **argv)
{
	struct request r = {.filter = job_filter_new()};
	struct store *store = NULL;
	struct error e;
	int got, status;

	cli_start(&command);
	got = parse(argc, argv, &r);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (r.words.count == 0)
		status = cli_usage(&command);
	else if (r.new_code && r.old_code) {
		cli_warn("--new-code and --old-code: give one of them");
		status = CLI_WRONG;
	} else if ((store = store_open(r.dir, STORE_WRITE, &e)) == NULL ||
	    store_check_owner(store, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = run(&r, store);
	store_close(store);
	job_filter_free(r.filter);
	sbatch_free(&r.given);
	strlist_free(&r.sbatch);
	strlist_free(&r.words);
	status = cli_finish(status);
	proc_unblock();
	return status;
}
