#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/cancel.h"
#include "control/policy.h"
#include "control/restart.h"
#include "job/code.h"
#include "job/options.h"
#include "job/points.h"
#include "reconcile/reconcile.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/policy.h"
#include "store/request.h"
#include "store/table-row.h"
#include "store/table.h"
#include "submit/resubmit.h"
#include "sys/fs.h"
#include "view/select.h"

/* ---- comparing with the stored job ---- */

/* Return the first word of a that b lacks, or NULL. */
static const char *
first_without(const struct strlist *a, const struct strlist *b)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if (!strlist_have(b, a->word[i]))
			return a->word[i];
	return NULL;
}

/* Return how options for sbatch differ, to free. */
static char *
options_difference(const struct strlist *new, const struct strlist *old)
{
	const char *ours = first_without(new, old);
	const char *theirs = first_without(old, new);

	if (ours != NULL && theirs != NULL)
		return xasprintf(
		    "other options for sbatch (%s now, %s then)", ours, theirs);
	if (ours != NULL || theirs != NULL)
		return xasprintf("other options for sbatch (%s %s)",
		    ours != NULL ? ours : theirs,
		    ours != NULL ? "only now" : "only then");
	return xstrdup("other options for sbatch (in another order)");
}

/* Return the present throttle of a job, or -1 if it cannot be read. */
static int64_t
throttle_of(const struct store_job *job)
{
	struct store_requests requests;
	int64_t limit;

	if (store_requests_whole(job, STORE_HOLDS, &requests, NULL) == -1)
		return -1;
	limit = store_request_limit(job, &requests);
	store_requests_free(&requests);
	return limit;
}

/*
 * Add an option of a job that differs to a text, which may be NULL; to free.
 * Another command can change the throttle.
 */
static char *
add_other(char *text, const struct store_job *job, const char *name,
    const char *now, const char *then)
{
	const char *value = *now != '\0' ? now : "none";
	char *hint = strcmp(name, "--parallel") == 0
	    ? xasprintf("; stfm-throttle %s %s changes it", job->name, value)
	    : NULL;
	char *all = xasprintf("%s%sanother %s (%s now, %s then%s)",
	    text != NULL ? text : "", text != NULL ? ", " : "", name, value,
	    *then != '\0' ? then : "none", hint != NULL ? hint : "");

	free(hint);
	free(text);
	return all;
}

/* Return the options that differ, with both values, to free; or NULL. */
static char *
other_option(const struct store_job *new, const struct store_job *old)
{
	struct strlist names = {0}, now = {0}, then = {0};
	const char *name;
	char *text = NULL;
	size_t i;

	job_options(new, &names, &now);
	job_options(old, &names, &then);
	for (i = 0; i < now.count; i++) {
		name = names.word[i];
		/* The epochs of a search are learnt, unless they are given. */
		if (strcmp(name, "--epochs") == 0 && *now.word[i] == '\0' &&
		    old->search.pruner != NULL)
			continue;
		if (strcmp(now.word[i], then.word[i]) == 0)
			continue;
		if (strcmp(name, "--parallel") != 0 ||
		    new->parallel != throttle_of(old))
			text = add_other(
			    text, old, name, now.word[i], then.word[i]);
	}
	strlist_free(&names);
	strlist_free(&now);
	strlist_free(&then);
	return text;
}

/* Return whether both jobs have the same batch script, or both have none. */
static int
same_script(const struct job_plan *plan, const struct store_job *old)
{
	if (old->script == NULL || plan->script_text == NULL)
		return old->script == NULL && plan->script_text == NULL;
	return text_same(plan->job->script, old->script);
}

/* Return whether the text of the user's own batch script is the stored one. */
static int
same_text(const struct job_plan *plan, const struct store_job *old)
{
	char *text = NULL;
	int same, dir;

	if (old->script == NULL)
		return 1;
	dir = store_code_open(old, NULL);
	same = dir != -1 &&
	    fs_read(dir, "script", 4 << 20, &text, NULL, NULL) == 0 &&
	    strcmp(text, plan->script_text) == 0;
	fs_close(dir);
	free(text);
	return same;
}

/*
 * Return the first difference but that of the code, to free, or NULL.  With
 * sync, points may differ.  *only_points is set if the points differ but not
 * the hyperparameters.
 */
static char *
difference(const struct job_plan *plan, const struct store_job *old, int sync,
    int *only_points)
{
	const struct store_job *new = plan->job;
	int has_copy = plan->snapshot != NULL && plan->snapshot->root != NULL;
	int chosen = job_points_are_chosen(new);
	char *ours, *theirs, *text, *option;

	*only_points = 0;
	if (!strlist_same(&new->command, &old->command))
		return xstrdup("another command");
	if (!same_script(plan, old))
		return xstrdup("another batch script");
	if (!strlist_same(&new->names, &old->names)) {
		ours = strlist_join(&new->names, " ");
		theirs = strlist_join(&old->names, " ");
		text = xasprintf(
		    "other hyperparameters (%s now, %s then)", ours, theirs);
		free(ours);
		free(theirs);
		return text;
	}
	if (store_job_seed(new) != store_job_seed(old) && (!sync || chosen)) {
		*only_points = !chosen;
		return xasprintf("another --seed (%" PRIu64 " now, %" PRIu64
				 " then)",
		    store_job_seed(new), store_job_seed(old));
	}
	if (!sync && !text_same(new->fingerprint, store_job_wanted(old))) {
		*only_points = 1;
		return xstrdup("other points");
	}
	if (!text_same(new->directory, old->directory))
		return xstrdup("another directory");
	option = other_option(new, old);
	if (option != NULL)
		return option;
	if (!store_groups_same(&new->groups, &old->groups))
		return xstrdup("points that ask Slurm for something else");
	if (!strlist_same(&new->options, &old->options))
		return options_difference(&new->options, &old->options);
	if (has_copy != (old->code.fingerprint != NULL))
		return xstrdup(
		    has_copy ? "no copy of its code" : "a copy of its code");
	return NULL;
}

static int
check_code(const struct job_plan *plan, const struct store_job *old,
    struct strlist *unseen, struct error *e)
{
	struct strlist paths = {0};
	int rc = 0;

	if (!same_text(plan, old))
		strlist_push(&paths, old->script);
	else if (plan->snapshot != NULL)
		rc =
		    job_code_differs(old, plan->snapshot, 1, &paths, unseen, e);
	if (rc != -1 && paths.count > 0)
		rc = error_set(e,
		    "%s: %s has changed since the code of %s was copied: give "
		    "--new-code to queue its tasks with the new code, or "
		    "--old-code to queue them with the copy; another name (-J) "
		    "makes a new job",
		    old->name, paths.word[0], old->name);
	strlist_free(&paths);
	return rc;
}

int
job_resubmit_check(const struct job_plan *plan, const struct store_job *old,
    struct job_resubmit_may may, struct strlist *unseen, struct error *e)
{
	int only_points;
	char *what = difference(plan, old, may.sync, &only_points);

	if (what == NULL && may.other_code)
		return 0;
	if (what == NULL)
		return check_code(plan, old, unseen, e);
	if (may.sync)
		error_set(e,
		    "%s: the job has %s: --sync changes the values of its "
		    "points and nothing else: choose another name, as in -J "
		    "%s-2",
		    old->name, what, old->name);
	else
		error_set(e,
		    "%s: there is a job of this name with %s: %schoose another "
		    "name, as in -J %s-2",
		    old->name, what,
		    only_points ? "change its points with --sync, or " : "",
		    old->name);
	free(what);
	return -1;
}

/* ---- queueing ---- */

/* A job whose tasks are being stopped and queued. */
struct resubmission {
	const struct store_job *job;
	struct store_table *table;
	const struct job_resubmit_how *how;
	struct idset again; /* tasks to queue again */
	struct job_resubmit *out;
};

/* Return whether to queue a task again, unless it is dropped now. */
static int
is_wanted_again(const struct resubmission *r, uint64_t task)
{
	enum store_state state = store_table_state(r->table, task);
	const struct store_row *row;
	int wanted;

	if (state != STORE_STOPPED)
		return !r->how->sync && store_state_is_failure(state);
	row = store_table_row(r->table, task);
	wanted = r->how->sync ? stop_reason_of(row->cause, NULL) == STOP_DROPPED
			      : !state_is_pruned(row);
	store_table_forget(r->table, task);
	return wanted;
}

/* Count the tasks, and collect the tasks to queue again. */
static void
sort_tasks(struct resubmission *r)
{
	const struct idset *dropped = store_job_dropped(r->job);
	const struct idset *counted = r->how->counted;
	struct job_resubmit *out = r->out;
	enum store_state state;
	uint64_t i;

	out->done = r->table->in_state[STORE_FINISHED] +
	    (uint64_t)r->table->summary.pruned;
	out->running = r->table->in_state[STORE_RUNNING];
	out->waiting = r->table->in_state[STORE_SUBMITTED];
	for (i = 0; i < r->table->count; i++) {
		state = store_table_state(r->table, i);
		if (counted != NULL && idset_has(counted, i)) {
			out->counted_running += state == STORE_RUNNING;
			out->counted_waiting += state == STORE_SUBMITTED;
		}
		if ((dropped == NULL || !idset_has(dropped, i)) &&
		    is_wanted_again(r, i))
			idset_add(&r->again, i, i);
	}
	out->again = idset_size(&r->again);
}

/*
 * Stop dropped tasks that are running or pending, and those that the policy may
 * have requeued just before.
 */
static int
stop_dropped(struct resubmission *r, struct error *e)
{
	const struct idset *dropped = store_job_dropped(r->job);
	struct idset open = {0}, over = {0};
	struct idset_walk walk = {0};
	uint64_t task;
	enum job_cancel_outcome outcome;
	int rc = 0;

	if (dropped == NULL)
		return 0;
	job_cancel_open(r->table, dropped, &open);
	while (idset_next(dropped, &walk, &task))
		if (store_table_state(r->table, task) == STORE_ERROR)
			idset_add(&over, task, task);
	if (open.count > 0)
		rc = job_cancel(r->job, r->table, &open,
		    stop_words(STOP_DROPPED), NULL, &outcome, e);
	if (rc == 0 && over.count > 0 && job_policy_queues(r->job))
		rc = job_cancel_repeated(r->job, r->table, &over,
		    stop_words(STOP_DROPPED), &outcome, e);
	r->out->stopped = idset_size(&open);
	idset_free(&open);
	idset_free(&over);
	return rc;
}

/* Add the result of job_enqueue to the result of the resubmission. */
static void
add_result(struct job_resubmit *out, const struct job_enqueued *queued,
    enum queue_answer answer)
{
	size_t i;

	for (i = 0; i < queued->fresh_count; i++) {
		out->array = xgrow(out->array, out->arrays, sizeof *out->array);
		out->array[out->arrays++] = queued->fresh[i];
	}
	out->left += queued->left;
	if (out->answer == QUEUE_QUEUED)
		out->answer = answer;
}

/*
 * Queue tasks for the first time.  Returns 0, or 1 if Slurm refuses some of
 * them.
 */
static int
queue_rest(
    const struct store_job *job, struct job_resubmit *out, struct error *e)
{
	struct job_enqueued queued;
	enum queue_answer answer = job_enqueue(job, NULL, &queued, e);

	add_result(out, &queued, answer);
	out->made = queued.made;
	job_enqueued_free(&queued);
	return answer == QUEUE_REFUSED;
}

/*
 * Queue tasks again; returns as queue_rest does.  The first reason stays in e.
 */
static int
queue_again(struct resubmission *r, struct error *e)
{
	struct strlist hold = {0};
	const struct job_restart how = {.options = &hold,
	    .why = r->how->sync ? "wanted again" : "submitted again"};
	struct job_restarted done;
	struct error why;
	int rc;

	if (r->again.count == 0)
		return 0;
	if (strlist_have(&r->job->options, "--hold"))
		strlist_push(&hold, "--hold");
	rc = job_restart(r->job, r->table, &r->again, &how, &done, &why);
	if ((rc != 0 || done.answer != QUEUE_QUEUED) &&
	    r->out->answer == QUEUE_QUEUED)
		error_copy(e, &why);
	add_result(r->out, &done.queued, done.answer);
	r->out->again = idset_size(&done.tasks);
	idset_add_all(&r->out->kept, rc == -1 ? &r->again : &done.kept);
	job_restarted_free(&done);
	strlist_free(&hold);
	return rc != 0;
}

static int
queue_all(struct resubmission *r, struct reconcile *pass, struct error *e)
{
	int unqueued, rc;
	uint64_t i;

	if (reconcile_job(pass, r->job, NULL, NULL, &r->table, e) == -1)
		return -1;
	unqueued = pass->unqueued;
	sort_tasks(r);
	if (r->how->look) {
		/* Count the pending tasks that have no Slurm array. */
		for (i = 0; unqueued && i < r->table->count; i++) {
			if (store_table_state(r->table, i) != STORE_SUBMITTED)
				continue;
			r->out->made +=
			    store_table_row(r->table, i)->array == -1;
			store_table_forget(r->table, i);
		}
		return 0;
	}
	if (stop_dropped(r, e) == -1)
		return -1;
	rc = unqueued && queue_rest(r->job, r->out, e);
	return queue_again(r, e) || rc;
}

void
job_resubmit_free(struct job_resubmit *same)
{
	free(same->array);
	idset_free(&same->kept);
	*same = (struct job_resubmit){0};
}

int
job_resubmit_queue(const struct store *store, const char *name,
    const struct job_resubmit_how *how, struct job_resubmit *out,
    struct error *e)
{
	char *words[] = {(char *)(uintptr_t)name};
	struct resubmission r = {.how = how, .out = out};
	struct selection jobs = {0};
	struct reconcile *pass;
	int rc;

	memset(out, 0, sizeof *out);
	out->answer = QUEUE_QUEUED;
	if (job_select(store, words, 1, &jobs, e) == -1)
		return -1;
	r.job = jobs.item[0].job;
	pass = reconcile_new(store, &jobs, e);
	rc = pass != NULL ? queue_all(&r, pass, e) : -1;
	reconcile_free(pass);
	store_table_free(r.table);
	idset_free(&r.again);
	if (rc != -1 && !how->look && out->made + out->again + out->stopped > 0)
		reconcile_again(store, &jobs, NULL, 0);
	selection_free(&jobs);
	return rc;
}
