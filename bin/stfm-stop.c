/* stfm-stop - stop training tasks, or remove jobs */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "control/cancel.h"
#include "control/policy.h"
#include "control/remove.h"
#include "job/code.h"
#include "reconcile/reconcile.h"
#include "store/job.h"
#include "store/request.h"
#include "term/cli.h"
#include "term/flow.h"
#include "term/progress.h"
#include "view/targets.h"

enum { NAMED = 5 }; /* maximum new files of a training to name */

struct stop {
	const char *dir;
	struct job_filter *filter;
	int remove, results, dry_run, yes, quiet;
};

static const struct cli_option options[] = {
    {'t', "state", "STATE", "select tasks in these states"},
    {'w', "where", "EXPR", "select tasks by a condition: 'lr<0.01'"},
    {0, "remove", NULL, "stop jobs, then delete them",
	CLI_FLAG(struct stop, remove)},
    {0, "dry-run", NULL, "show which tasks would be stopped",
	CLI_FLAG(struct stop, dry_run)},
    {0, "with-results", NULL,
	"with --remove: delete results in the code copy too",
	CLI_FLAG(struct stop, results)},
    {'y', "yes", NULL, "do not ask for confirmation",
	CLI_FLAG(struct stop, yes)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct stop, quiet)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct stop, dir)},
    {0},
};

static const struct cli command = {
    "stfm-stop",
    "stop tasks or remove jobs",
    "[-Qy] [-d DIR] [-t STATE] [-w EXPR] JOB[/TASKS] ...\n"
    "--remove [-Qy] [-d DIR] JOB ...",
    "  stfm-stop conv2d/0-4,7          stop some tasks\n"
    "  stfm-stop -w 'lr>0.01' conv2d   stop tasks with a large lr\n"
    "  stfm-stop --remove conv2d       stop a job and delete its files\n",
    options,
    0,
    config_defaults,
};

/* The selected tasks for which there is something to stop. */
struct target {
	const struct job_target *of;
	struct idset open;    /* tasks that are not over */
	struct idset before;  /* those of them with a stop request already */
	struct idset retries; /* failed tasks that would run again */
	const struct queue *queue; /* as it was just now, or NULL */
};

/* Find the open tasks that somebody has stopped before. */
static void
find_before(struct target *t)
{
	const struct store_table *table = t->of->view->table;
	struct store_requests stops;
	struct idset_walk walk = {0};
	uint64_t task;

	if (t->open.count == 0 ||
	    store_requests_list(t->of->job, STORE_STOPS, &stops, NULL) == -1)
		return;
	while (idset_next(&t->open, &walk, &task))
		if (store_stop_is_asked(
			&stops, task, store_table_attempt(table, task)))
			idset_add(&t->before, task, task);
	store_requests_free(&stops);
}

static int
aim(const struct job_target *of, struct target *t, struct error *e)
{
	t->of = of;
	t->queue = of->queue;
	if (of->unwritten != NULL) /* stop tasks even if the disk is full */
		cli_warn("%s: %s", of->job->name, of->unwritten);
	job_cancel_open(of->view->table, &of->tasks, &t->open);
	find_before(t);
	return job_policy_retries(
	    of->job, of->view->table, &of->tasks, &t->retries, e);
}

/* Print the failed tasks: only their next attempts can be stopped. */
static void
print_retries(const char *what, const struct target *t)
{
	uint64_t count = idset_size(&t->retries);
	char *text = idset_brief(&t->retries);

	cli_print("%s: %" PRIu64 " failed task%s %s be queued again: %s",
	    t->of->job->name, count, count == 1 ? "" : "s", what, text);
	free(text);
}

static void
print_before(const struct target *t)
{
	uint64_t count = idset_size(&t->before);
	char *text = idset_brief(&t->before);

	cli_print("%s: %" PRIu64 " task%s stopping already: %s",
	    t->of->job->name, count, count == 1 ? " is" : "s are", text);
	free(text);
}

static void
print_tasks(const char *what, const struct target *t)
{
	struct idset_walk walk = {0};
	struct idset now = {0};
	uint64_t meant = idset_size(&t->of->tasks), count, task;
	char *text;

	while (idset_next(&t->open, &walk, &task))
		if (!idset_has(&t->before, task))
			idset_add(&now, task, task);
	count = idset_size(&now);
	text = idset_brief(&now);
	if (t->before.count > 0)
		print_before(t);
	if (count == 0 && (t->retries.count > 0 || t->before.count > 0))
		; /* print_retries or print_before reports them */
	else if (count == 0 && meant > 0)
		cli_print("%s: nothing to stop: %" PRIu64 " task%s over",
		    t->of->job->name, meant, meant == 1 ? " is" : "s are");
	else if (count == 0)
		cli_print(
		    "%s: nothing to stop: no task matches", t->of->job->name);
	else
		cli_print("%s: %s %" PRIu64 " task%s: %s", t->of->job->name,
		    what, count, count == 1 ? "" : "s", text);
	idset_free(&now);
	free(text);
}

/* Report a failure and what to do about it.  Returns the exit status. */
static int
report_failure(const struct target *t, enum job_cancel_outcome outcome,
    const struct error *e)
{
	const char *job = t->of->job->name;

	cli_warn("%s: %s", job, e->text);
	if (outcome == JOB_CANCEL_UNANSWERED)
		cli_warn("%s: the stop request is recorded, but Slurm did not "
			 "receive it: try again",
		    job);
	if (outcome == JOB_CANCEL_UNRECORDED)
		cli_warn(
		    "%s: the stop request could not be recorded, so nothing "
		    "was cancelled: free space or make the store writable, "
		    "then try again; or use scancel",
		    job);
	return outcome == JOB_CANCEL_UNANSWERED ? CLI_LATER : CLI_WRONG;
}

/*
 * Cancel the tasks of a job that is to be removed although the stop request
 * cannot be recorded: a full disk is a reason to remove jobs.  A warning says
 * so, in case the job stays after all.  Returns the exit status.
 */
static int
cancel_unrecorded(const struct target *t, const struct error *why)
{
	const char *job = t->of->job->name;
	struct error e;

	cli_warn("%s: %s", job, why->text);
	if (job_cancel_send(
		t->of->job, t->of->view->table, &t->open, NULL, &e) == -1 &&
	    e.code != ERROR_DAMAGED) {
		cli_warn("%s: not removed: %s", job, e.text);
		return cli_status(&e);
	}
	cli_warn("%s: its tasks are cancelled without a record of that", job);
	return CLI_YES;
}

/* Stop the tasks that are not over.  Returns the exit status. */
static int
stop_open(const struct stop *s, const struct target *t)
{
	enum job_cancel_outcome outcome;
	struct error e;
	int rc;

	progress_begin("stopping");
	rc = job_cancel(t->of->job, t->of->view->table, &t->open, NULL,
	    t->queue, &outcome, &e);
	progress_end();
	if (rc == -1 && s->remove && store_job_is_gone(t->of->job, NULL) == 1)
		return CLI_YES; /* the removal reports it */
	if (rc == -1 && s->remove && outcome == JOB_CANCEL_UNRECORDED)
		return cancel_unrecorded(t, &e);
	if (rc == -1 && !(s->remove && outcome == JOB_CANCEL_REFUSED))
		return report_failure(t, outcome, &e);
	if (!s->quiet && rc == 0)
		print_tasks("stopped", t);
	return CLI_YES;
}

/*
 * Cancel tasks that Slurm still has in the queue although the job is over: a
 * controller that crashed may have restored them.
 */
static void
stop_rest(const struct stop *s, const struct target *t)
{
	const char *job = t->of->job->name;
	struct error e;
	int rc = job_cancel_all(t->of->job, &e);

	if (rc == -1 && e.code != ERROR_NO_SLURM)
		cli_warn("%s: its tasks are over; whether Slurm has some of "
			 "them in the queue is not known: %s",
		    job, e.text);
	else if (rc == 1 && !s->quiet)
		cli_print("%s: its tasks are over, but Slurm still had some of "
			  "them in the queue: cancelled",
		    job);
	if (rc != 1 && !s->quiet)
		print_tasks("stopped", t);
}

/* Stop the tasks of one target.  Returns the exit status. */
static int
stop_target(const struct stop *s, const struct target *t)
{
	enum job_cancel_outcome outcome;
	int status = CLI_YES;
	struct error e;

	if (s->dry_run) {
		print_tasks("would stop", t);
		if (t->retries.count > 0)
			print_retries("would not", t);
		return CLI_YES;
	}
	if (t->open.count > 0)
		status = stop_open(s, t);
	else if (idset_size(&t->of->tasks) == t->of->job->tasks && !s->remove)
		stop_rest(s, t);
	else if (!s->quiet)
		print_tasks("stopped", t);
	if (status != CLI_YES || s->remove || t->retries.count == 0)
		return status;
	/* Do not queue failed tasks again. */
	if (job_cancel_retries(t->of->job, t->of->view->table, &t->retries,
		NULL, &outcome, &e) == -1)
		return report_failure(t, outcome, &e);
	if (!s->quiet)
		print_retries("will not", t);
	return CLI_YES;
}

/* Warn of files that a training wrote into a copy of the code. */
static void
warn_results(const struct store_job *job, const struct strlist *made)
{
	char *names, *copy = store_code_path(job, "code");
	size_t length, i;
	FILE *f = xmemopen(&names, &length);

	for (i = 0; i < made->count && i < NAMED; i++) {
		fputs(i > 0 ? ", " : "", f);
		text_plain(f, made->word[i]);
	}
	fputs(i < made->count ? ", ..." : "", f);
	xmemclose(f);
	cli_warn("%s: not removed: its training has made %s in %s: move that "
		 "away, or remove it, too, with --with-results",
	    job->name, names, copy);
	free(names);
	free(copy);
}

/*
 * Refuse to remove files that a training wrote among its code, unless the user
 * says so: they may be its only results, and users may not know where they are.
 */
static int
spare_results(const struct stop *s, const struct store_job *job)
{
	struct snapshot_changes c = {0};
	struct store_job of = *job;
	struct error e;
	size_t i;
	int rc = 0, found = 0;

	if (s->results)
		return CLI_YES;
	for (i = job->changes.count + 1; rc == 0 && i-- > 0;) {
		if (store_code_use(&of, (int64_t)i, NULL) == -1)
			continue;
		rc = job_code_changes(&of, SNAPSHOT_DATA, 100, &c, &e);
		strlist_copy(&c.added, &c.changed);
		if (rc == 0 && c.added.count > 0) {
			warn_results(&of, &c.added);
			found = 1;
		}
		snapshot_changes_free(&c);
	}
	if (rc == -1 && store_job_is_gone(job, NULL) == 1)
		return CLI_YES; /* job_remove says that it was removed */
	if (rc == -1)
		cli_warn("%s: not removed: %s (--with-results removes it all "
			 "the same)",
		    job->name, e.text);
	return rc == -1 || found ? CLI_WRONG : CLI_YES;
}

/* Report that another process has removed the job.  This is no error. */
static int
say_removed(const struct stop *s, const struct store_job *job)
{
	if (!s->quiet)
		cli_print(
		    "%s: removed by another command meanwhile", job->name);
	return CLI_YES;
}

static int
say_not_ended(const struct store_job *job)
{
	cli_warn("%s: not removed: its tasks have not ended yet; try again",
	    job->name);
	return CLI_LATER;
}

/* Remove a job from the store; none of its tasks is in the queue. */
static int
remove_ended(const struct stop *s, const struct store *store,
    const struct store_job *job)
{
	struct error e;
	int late;

	switch (job_remove(store, job, &late, &e)) {
	case JOB_REMOVED:
		if (!s->quiet)
			cli_print("%s: removed%s", job->name,
			    late ? ", and tasks queued meanwhile are stopped"
				 : "");
		return CLI_YES;
	case JOB_REMOVED_BEFORE:
		return say_removed(s, job);
	case JOB_NOT_ENDED:
		return say_not_ended(job);
	default:
		return cli_fail(&e, cli_status(&e));
	}
}

static int
remove_target(
    const struct stop *s, const struct store *store, const struct target *t)
{
	const struct store_job *job = t->of->job;
	struct flow f = {stdout, cli_terminal_width(), 2, 0};
	struct error e;
	int rc, damaged;
	char *name;

	if (s->dry_run) {
		/* Break lines so that a shell takes the path as one word. */
		name = xasprintf("%s:", job->name);
		flow_path(&f, 0, name);
		flow_text(&f, 1, "would be removed:");
		flow_path(&f, 1, job->path);
		flow_end(&f);
		free(name);
		return CLI_YES;
	}
	rc = job_remove_wait(job, &e);
	if (rc == -1) {
		damaged = e.code == ERROR_DAMAGED;
		if (store_job_is_gone(job, NULL) == 1)
			return say_removed(s, job);
		cli_warn("%s: not removed: %s", job->name, e.text);
		return damaged ? CLI_WRONG : CLI_LATER;
	}
	if (rc == 1)
		return say_not_ended(job);
	if (spare_results(s, job) != CLI_YES)
		return CLI_WRONG;
	return remove_ended(s, store, job);
}

/* Return whether the user, asked on a terminal, agrees. */
static int
is_wanted(const struct stop *s, struct target *t, size_t count)
{
	uint64_t tasks = 0;
	size_t i;

	if (s->yes || s->dry_run)
		return 1;
	for (i = 0; i < count; i++)
		tasks += idset_size(&t[i].open) + idset_size(&t[i].retries);
	for (i = 0; i < count && (s->remove || tasks > 1); i++)
		t[i].queue = NULL; /* the answer takes time */
	if (s->remove)
		return cli_confirm("remove %s%s with all files?",
		    t[0].of->job->name, count > 1 ? " and the others" : "");
	if (tasks < 2)
		return 1;
	return cli_confirm("stop %" PRIu64 " tasks of %s%s?", tasks,
	    t[0].of->job->name, count > 1 ? " and others" : "");
}

static int
act(const struct stop *s, const struct store *store, struct target *t,
    size_t count)
{
	int status = CLI_YES, got;
	size_t i;

	if (!is_wanted(s, t, count))
		return CLI_NO;
	for (i = 0; i < count; i++) {
		got = s->remove ? spare_results(s, t[i].of->job) : CLI_YES;
		if (got == CLI_YES)
			got = stop_target(s, &t[i]);
		if (got == CLI_YES && s->remove)
			got = remove_target(s, store, &t[i]);
		if (got > status)
			status = got;
	}
	return status;
}

/*
 * Remove a job without a readable record.  Which of its tasks Slurm still has
 * is unknown.  Returns the exit status.
 */
static int
remove_broken(const struct stop *s, const struct store *store, const char *name)
{
	struct error e;

	if (s->dry_run) {
		cli_print("%s: would be removed: its record is not there or "
			  "damaged",
		    name);
		return CLI_YES;
	}
	if (!s->yes &&
	    !cli_confirm("remove %s, whose record is not there or damaged, "
			 "with all files?",
		name))
		return CLI_NO;
	if (store_remove(store, name, NULL, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	cli_warn("%s: removed without its record: if Slurm still has tasks of "
		 "it, end them with scancel",
	    name);
	return CLI_YES;
}

/* Remove a copy of a job; the tasks belong to the original. */
static int
remove_copy(const struct stop *s, const struct store *store, const char *name,
    const struct store_job *copy)
{
	struct error e;

	if (s->dry_run) {
		cli_print("%s: would be removed, which is a copy of %s", name,
		    copy->name);
		return CLI_YES;
	}
	if (!s->yes &&
	    !cli_confirm(
		"remove %s, a copy of %s, with all files?", name, copy->name))
		return CLI_NO;
	if (store_remove(store, name, copy->id, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (!s->quiet)
		cli_print("%s: removed, which was a copy of %s; that stays",
		    name, copy->name);
	return CLI_YES;
}

/*
 * Remove the words that name broken jobs and copies, and keep the others in
 * words. Returns the exit status.
 */
static int
remove_no_jobs(const struct stop *s, const struct store *store, char **words,
    size_t *count)
{
	size_t i, left = 0;
	int status = CLI_YES, got;
	struct store_job *copy;

	if (!s->remove)
		return CLI_YES;
	for (i = 0; i < *count; i++) {
		copy = NULL;
		if (store_is_broken(store, words[i]))
			got = remove_broken(s, store, words[i]);
		else if ((copy = store_job_copy(store, words[i])) != NULL)
			got = remove_copy(s, store, words[i], copy);
		else
			got = -1;
		store_job_free(copy);
		if (got == -1)
			words[left++] = words[i];
		if (got > status)
			status = got;
	}
	*count = left;
	return status;
}

static int
run(const struct stop *s, const struct store *store, char **words, size_t count)
{
	struct job_target *meant = NULL;
	struct selection jobs = {0};
	struct target *t = NULL;
	struct error e;
	int status, rc;
	size_t i;

	rc = job_select(store, words, count, &jobs, &e);
	if (rc == 0 && s->remove && job_filter_asks(s->filter))
		rc = error_set(
		    &e, "--remove takes whole jobs, without -t and -w");
	for (i = 0; rc == 0 && s->remove && i < jobs.count; i++)
		if (!jobs.item[i].whole)
			rc = error_set(&e,
			    "--remove takes whole jobs: %s, not tasks of it",
			    jobs.item[i].job->name);
	if (rc == 0)
		rc = job_targets(store, &jobs, s->filter, &meant, &e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		cli_warn_each(NULL, &meant[i].notes);
	for (i = 0; s->dry_run && rc == 0 && i < jobs.count; i++)
		cli_warn_each(meant[i].job->name, &meant[i].damaged);
	t = xcalloc(jobs.count + 1, sizeof *t);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = aim(&meant[i], &t[i], &e);
	status = rc == -1    ? cli_fail(&e, CLI_WRONG)
	    : jobs.count > 0 ? act(s, store, t, jobs.count)
			     : CLI_YES;
	if (rc == 0 && !s->dry_run && !s->remove)
		reconcile_again(store, &jobs, NULL, 0);
	for (i = 0; i < jobs.count; i++) {
		idset_free(&t[i].open);
		idset_free(&t[i].before);
		idset_free(&t[i].retries);
	}
	free(t);
	job_targets_free(meant, jobs.count);
	selection_free(&jobs);
	return status;
}

static int
take_option(void *arg, int letter, struct error *e)
{
	struct stop *s = arg;

	return letter == 't' ? job_filter_state(s->filter, optarg, e)
			     : job_filter_where(s->filter, optarg, e);
}

int
main(int argc, char **argv)
{
	struct stop s = {.filter = job_filter_new()};
	struct store *store = NULL;
	struct error e;
	int opt, status, got;
	size_t count;

	cli_start(&command);
	opt = cli_options(&command, argc, argv, take_option, &s);
	if (opt == CLI_SHOWN)
		status = CLI_YES;
	else if (opt == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else if ((store = store_open(s.dir, STORE_WRITE, &e)) == NULL ||
	    store_check_owner(store, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else {
		count = (size_t)(argc - optind);
		status = remove_no_jobs(&s, store, argv + optind, &count);
		got =
		    count > 0 ? run(&s, store, argv + optind, count) : CLI_YES;
		if (got > status)
			status = got;
	}
	store_close(store);
	job_filter_free(s.filter);
	return cli_finish(status);
}
