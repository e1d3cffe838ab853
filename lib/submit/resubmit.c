#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/cancel.h"
#include "control/policy.h"
#include "control/restart.h"
#include "job/code.h"
#include "reconcile/reconcile.h"
#include "state/resolve.h"
#include "state/words.h"
#include "submit/resubmit.h"
#include "sys/fs.h"
#include "view/select.h"

/* ---- what differs ---- */

/* The first word of one list that the other has not, or NULL. */
static const char *
first_without(const struct strlist *a, const struct strlist *b)
{
	size_t i, k;

	for (i = 0; i < a->count; i++) {
		for (k = 0; k < b->count; k++)
			if (strcmp(a->word[i], b->word[k]) == 0)
				break;
		if (k == b->count)
			return a->word[i];
	}
	return NULL;
}

/* How options for sbatch differ, in words, to free. */
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

static int
same_retry(const struct store_retry *a, const struct store_retry *b)
{
	return text_same(a->factor, b->factor) &&
	    text_same(a->option, b->option) && a->base == b->base &&
	    a->times == b->times && a->bound == b->bound;
}

/* The first option of ours by which two jobs differ, or NULL. */
static const char *
other_option(const struct store_job *new, const struct store_job *old)
{
	const struct store_policy *a = &new->policy, *b = &old->policy;
	const struct {
		const char *name;
		int same;
	} options[] = {
	    {"--args", text_same(new->args, old->args)},
	    {"--dist", text_same(new->dist, old->dist)},
	    {"--container", text_same(new->container, old->container)},
	    {"--container-runtime",
		text_same(new->container_runtime, old->container_runtime)},
	    {"--container-bind",
		strlist_same(&new->container_bind, &old->container_bind)},
	    {"--parallel", new->parallel == old->parallel},
	    {"--pack", new->pack == old->pack},
	    {"--metric", text_same(new->metric, old->metric)},
	    {"--goal", text_same(new->goal, old->goal)},
	    {"--metrics", text_same(new->metrics, old->metrics)},
	    {"--metrics-regex",
		strlist_same(&new->metrics_regex, &old->metrics_regex)},
	    {"--epochs", text_same(new->epochs, old->epochs)},
	    {"--requeue", a->requeue == b->requeue},
	    {"--signal-before", a->signal_before == b->signal_before},
	    {"--signal", text_same(a->signal, b->signal)},
	    {"--max-fail", a->max_fail == b->max_fail},
	    {"--canary", a->canary == b->canary},
	    {"--avoid-bad-nodes", a->avoid == b->avoid},
	    {"--after", strlist_same(&new->after, &old->after)},
	    {"--then", text_same(new->then, old->then)},
	    {"--usage", a->usage == b->usage},
	    {"--retry-oom", same_retry(&a->memory, &b->memory)},
	    {"--retry-time", same_retry(&a->time, &b->time)},
	};
	size_t i;

	for (i = 0; i < sizeof options / sizeof *options; i++)
		if (!options[i].same)
			return options[i].name;
	return NULL;
}

/* Whether the user's own batch script is the one that was stored. */
static int
same_script(const struct job_plan *plan, const struct store_job *old)
{
	char *text = NULL;
	int same;

	if (old->script == NULL || plan->script_text == NULL)
		return old->script == NULL && plan->script_text == NULL;
	same = fs_read(old->dir, "script", 4 << 20, &text, NULL, NULL) == 0 &&
	    strcmp(text, plan->script_text) == 0;
	free(text);
	return same;
}

static int
has_copy(const struct snapshot *s)
{
	return s != NULL && s->root != NULL;
}

/* How the points differ, in words, to free; NULL when they do not. */
static char *
points_difference(const struct store_job *new, const struct store_job *old)
{
	char *ours, *theirs, *text;

	if (strlist_same(&new->names, &old->names))
		return text_same(new->fingerprint, store_job_wanted(old))
		    ? NULL
		    : xstrdup("other points");
	ours = strlist_join(&new->names, " ");
	theirs = strlist_join(&old->names, " ");
	text =
	    xasprintf("other hyperparameters (%s now, %s then)", ours, theirs);
	free(ours);
	free(theirs);
	return text;
}

/* What else differs, in words, to free; NULL when nothing does. */
static char *
other_difference(const struct job_plan *plan, const struct store_job *old)
{
	const struct store_job *new = plan->job;
	const char *option;

	if (!text_same(new->directory, old->directory))
		return xstrdup("another directory");
	option = other_option(new, old);
	if (option != NULL)
		return xasprintf("another %s", option);
	if (!store_groups_same(&new->groups, &old->groups))
		return xstrdup("points that ask Slurm for something else");
	if (!strlist_same(&new->options, &old->options))
		return options_difference(&new->options, &old->options);
	if (has_copy(plan->snapshot) != (old->code.fingerprint != NULL))
		return xstrdup(old->code.fingerprint != NULL
			? "a copy of its code"
			: "no copy of its code");
	return NULL;
}

/* The first that differs; points_may says that the points may. */
static char *
difference(
    const struct job_plan *plan, const struct store_job *old, int points_may)
{
	char *what;

	if (!strlist_same(&plan->job->command, &old->command))
		return xstrdup("another command");
	if (!same_script(plan, old))
		return xstrdup("another batch script");
	what = points_difference(plan->job, old);
	if (points_may && strlist_same(&plan->job->names, &old->names)) {
		free(what);
		what = NULL;
	}
	return what != NULL ? what : other_difference(plan, old);
}

static int
check_code(const struct store_job *old, struct snapshot *code, struct error *e)
{
	struct strlist paths = {0};
	int rc = 0;

	if (code != NULL)
		rc = job_code_differs(old, code, 1, &paths, e);
	if (rc == 1)
		rc = error_set(e,
		    "%s: its code has changed since it was submitted%s%s: "
		    "train with this code under another name (-J), or with "
		    "that again by stfm-restart %s",
		    old->name, paths.count > 0 ? ", as " : "",
		    paths.count > 0 ? paths.word[0] : "", old->name);
	strlist_free(&paths);
	return rc;
}

int
job_resubmit_check(
    const struct job_plan *plan, const struct store_job *old, struct error *e)
{
	char *what = difference(plan, old, 0);
	int edits = what != NULL && strcmp(what, "other points") == 0;

	if (what == NULL)
		return check_code(old, plan->snapshot, e);
	error_set(e,
	    "%s: there is a job of this name with %s: %schoose another with "
	    "-J, or remove it with stfm-stop --remove %s",
	    old->name, what, edits ? "give it these with --sync, " : "",
	    old->name);
	free(what);
	return -1;
}

int
job_resubmit_check_others(
    const struct job_plan *plan, const struct store_job *old, struct error *e)
{
	char *what = difference(plan, old, 1);

	if (what == NULL)
		return check_code(old, plan->snapshot, e);
	error_set(e,
	    "%s: the job has %s: --sync changes the values of its points and "
	    "nothing else; choose another name with -J",
	    old->name, what);
	free(what);
	return -1;
}

/* ---- queueing ---- */

/* One job while what is not done and not alive of it is queued. */
struct desk {
	const struct store_job *job;
	struct store_table *fold;
	const struct job_resubmit_how *how;
	struct idset again; /* tasks that are to be queued again */
	struct job_resubmit *out;
};

/* Whether its end is that it was dropped. */
static int
was_dropped(const struct store_table *fold, uint64_t task)
{
	const char *cause = store_table_row(fold, task)->cause;
	int was = stop_reason_of(cause, NULL) == STOP_DROPPED;

	store_table_forget(fold, task);
	return was;
}

/* Whether a task that is wanted is to be queued again. */
static int
is_wanted_again(const struct desk *d, uint64_t task)
{
	enum store_state state = store_table_state(d->fold, task);

	if (d->how->sync)
		return state == STORE_STOPPED && was_dropped(d->fold, task);
	return store_state_is_failure(state);
}

/* Count the tasks, and take those that are to be queued again. */
static void
sort_tasks(struct desk *d)
{
	const struct idset *dropped = store_job_dropped(d->job);
	const struct idset *counted = d->how->counted;
	struct job_resubmit *out = d->out;
	enum store_state state;
	uint64_t i;

	out->done = d->fold->in_state[STORE_FINISHED];
	out->running = d->fold->in_state[STORE_RUNNING];
	out->waiting = d->fold->in_state[STORE_SUBMITTED];
	for (i = 0; i < d->fold->count; i++) {
		state = store_table_state(d->fold, i);
		if (counted != NULL && idset_has(counted, i)) {
			out->counted_running += state == STORE_RUNNING;
			out->counted_waiting += state == STORE_SUBMITTED;
		}
		if ((dropped == NULL || !idset_has(dropped, i)) &&
		    is_wanted_again(d, i))
			idset_add(&d->again, i, i);
	}
	out->again = idset_size(&d->again);
}

/*
 * Stop what is alive of those that were dropped, and what a rule may have
 * queued again of the others just before.
 */
static int
stop_dropped(struct desk *d, struct error *e)
{
	const struct idset *dropped = store_job_dropped(d->job);
	struct idset open = {0}, over = {0};
	struct idset_walk walk = {0};
	uint64_t task;
	enum job_cancel_told told;
	int rc = 0;

	if (dropped == NULL)
		return 0;
	job_cancel_open(d->fold, dropped, &open);
	while (idset_next(dropped, &walk, &task))
		if (store_table_state(d->fold, task) == STORE_ERROR)
			idset_add(&over, task, task);
	if (open.count > 0)
		rc = job_cancel(
		    d->job, d->fold, &open, stop_words(STOP_DROPPED), &told, e);
	if (rc == 0 && over.count > 0 && job_policy_queues(&d->job->policy))
		rc = job_cancel_repeated(
		    d->job, d->fold, &over, stop_words(STOP_DROPPED), &told, e);
	d->out->stopped = idset_size(&open);
	idset_free(&open);
	idset_free(&over);
	return rc;
}

/* Tasks that wait, and that no array of Slurm has. */
static uint64_t
count_unqueued(const struct store_table *fold)
{
	uint64_t i, count = 0;

	for (i = 0; i < fold->count; i++) {
		if (store_table_state(fold, i) != STORE_SUBMITTED)
			continue;
		count += store_table_row(fold, i)->array == -1;
		store_table_forget(fold, i);
	}
	return count;
}

static void
note(struct job_resubmit *out, const struct job_enqueued *queued,
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

/* What was not queued yet: 0, or 1 when Slurm refuses some of it. */
static int
queue_rest(
    const struct store_job *job, struct job_resubmit *out, struct error *e)
{
	struct job_enqueued queued;
	enum queue_answer answer = job_enqueue(job, NULL, &queued, e);

	note(out, &queued, answer);
	out->made = queued.made;
	job_enqueued_free(&queued);
	return answer == QUEUE_REFUSED;
}

/* The same for a new attempt; the reason that came first stays. */
static int
queue_again(struct desk *d, struct error *e)
{
	struct strlist hold = {0};
	const struct job_restart how = {.options = &hold,
	    .why = d->how->sync ? "wanted again" : "submitted again"};
	struct job_restarted done;
	struct error why;
	int rc;

	if (d->again.count == 0)
		return 0;
	if (strlist_have(&d->job->options, "--hold"))
		strlist_push(&hold, "--hold");
	rc = job_restart(d->job, d->fold, &d->again, &how, &done, &why);
	if ((rc != 0 || done.answer != QUEUE_QUEUED) &&
	    d->out->answer == QUEUE_QUEUED)
		error_set(e, "%s", why.text);
	note(d->out, &done.queued, done.answer);
	d->out->again = idset_size(&done.tasks);
	idset_add_all(&d->out->kept, rc == -1 ? &d->again : &done.kept);
	job_restarted_free(&done);
	strlist_free(&hold);
	return rc != 0;
}

static int
queue_all(struct desk *d, struct reconcile *pass, struct error *e)
{
	int unqueued, rc;

	if (reconcile_job(pass, d->job, NULL, NULL, &d->fold, e) == -1)
		return -1;
	unqueued = reconcile_is_unqueued(pass);
	sort_tasks(d);
	if (d->how->look) {
		if (unqueued)
			d->out->made = count_unqueued(d->fold);
		return 0;
	}
	if (stop_dropped(d, e) == -1)
		return -1;
	rc = unqueued && queue_rest(d->job, d->out, e);
	return queue_again(d, e) || rc;
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
	struct desk d = {.how = how, .out = out};
	struct selection jobs = {0};
	struct reconcile *pass;
	int rc;

	memset(out, 0, sizeof *out);
	out->answer = QUEUE_QUEUED;
	if (job_select(store, words, 1, &jobs, e) == -1)
		return -1;
	d.job = jobs.item[0].job;
	pass = reconcile_new(store, &jobs, e);
	rc = pass != NULL ? queue_all(&d, pass, e) : -1;
	reconcile_free(pass);
	store_table_free(d.fold);
	idset_free(&d.again);
	if (rc != -1 && !how->look && out->made + out->again + out->stopped > 0)
		reconcile_again(store, &jobs);
	selection_free(&jobs);
	return rc;
}
