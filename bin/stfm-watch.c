/* stfm-watch - bring the store up to date with what happened */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "control/canary.h"
#include "control/dependency.h"
#include "control/enqueue.h"
#include "control/policy.h"
#include "job/location.h"
#include "notify/hook.h"
#include "reconcile/reconcile.h"
#include "state/words.h"
#include "store/leftovers.h"
#include "store/once.h"
#include "submit/resources.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "term/cli.h"
#include "view/select.h"
#include "view/view.h"

/* A table that could not be written, with the changes that were printed. */
struct unwritten {
	char *id;
	struct store_table *table;
};

struct watch {
	const char *dir;
	struct store *store;
	char *here; /* directory to which printed paths are relative */
	int argc;   /* arguments of main */
	char **argv;
	char **words; /* names of jobs, or none for all */
	size_t count;
	struct job_hook *hook; /* hooks that get events */
	size_t hooks;
	int hooks_given;  /* hooks are given on the command line */
	int64_t interval; /* seconds between two passes */
	int once, quiet;
	int quick;            /* skip everything that may take long */
	const char *notes_to; /* file for a command that waits, or NULL */
	FILE *notes;          /* notes_to, open for writing, or NULL */
	int begun;            /* a pass has ended */
	int stuck;            /* an error makes further passes useless */
	int unread;           /* a job's record is unreadable */
	uint64_t open;        /* tasks not over in the last pass */
	uint64_t failed;      /* tasks in ERROR in the last pass */
	int unheard;          /* an sbatch of this pass may have succeeded */
	struct strlist moved; /* ids of moved jobs that were reported */
	struct strlist waits; /* ids of jobs that other commands may queue */
	struct unwritten *unwritten;
	size_t unwrittens;
	const struct store_table *last; /* unwritten table of the current job */
	struct store_settled_list settled;   /* jobs that a pass left out */
	struct store_settled_list *settling; /* or NULL: jobs are named */
	/* The last messages about Slurm and about its accounting. */
	char trouble[1024], silence[1024];
};

static const struct cli_option options[] = {
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct watch, dir)},
    {'i', "interval", "SECONDS", "update this often (default: 60)",
	CLI_NUMBER(struct watch, interval, 1, 86400)},
    {0, "on", "EVENT COMMAND",
	"run on finished, error, best, stalled, late, idle"},
    {'1', "once", NULL, "update once, quietly, for cron",
	CLI_FLAG(struct watch, once)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct watch, quiet)},
    {0, "quick", NULL, NULL,
	/* For commands that wait for the pass. */
	CLI_FLAG(struct watch, quick)},
    {0, "notes", "FILE", NULL,
	/* See view/refresh.c. */
	CLI_TEXT(struct watch, notes_to)},
    {0},
};

static const struct cli command = {
    "stfm-watch",
    "follow tasks and update the store",
    "[-Q] [-d DIR] [-i SECONDS] [--on EVENT COMMAND] [JOB ...]\n"
    "--once [-Q] [-d DIR] [--on EVENT COMMAND] [JOB ...]",
    "  stfm-watch conv2d              follow a job until it ends\n"
    "  stfm-watch --interval 10       follow all jobs, update every 10 s\n"
    "  stfm-watch --once --quiet      update once, from cron\n"
    "  stfm-watch --on finished,error 'mail -s \"$STFM_TEXT\" me' conv2d\n"
    "                                 mail when it ends and when tasks fail\n",
    options,
    0,
    config_defaults,
};

/* A line of output being written, with the time at its start. */
struct line {
	FILE *out;
	char *text;
	size_t length;
};

/*
 * Print a message about a job, or about none if job is NULL, and write "JOB TAB
 * MESSAGE" for the command that waits.  The name of the job, with which some
 * messages begin, is not repeated.
 */
static void
complain(const struct watch *w, const struct store_job *job, const char *what)
{
	size_t length = job != NULL ? strlen(job->name) : 0;

	if (length > 0 && strncmp(what, job->name, length) == 0 &&
	    text_begins(what + length, ": "))
		what += length + strlen(": ");
	if (job != NULL)
		cli_warn("%s: %s", job->name, what);
	else
		cli_warn("%s", what);
	if (w->notes == NULL)
		return;
	fprintf(w->notes, "%s\t", job != NULL ? job->name : "");
	text_plain(w->notes, what);
	putc('\n', w->notes);
	fflush(w->notes);
}

static void
complain_each(const struct watch *w, const struct store_job *job,
    const struct strlist *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		complain(w, job, list->word[i]);
}

static void
begin_line(struct line *line)
{
	char text[16];
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(text, sizeof text, "%H:%M:%S", &tm);
	line->out = xmemopen(&line->text, &line->length);
	fprintf(line->out, "%s ", text);
}

static void
print_line(struct line *line)
{
	xmemclose(line->out);
	text_wrap(stdout, line->text, 0, cli_width(0));
	putchar('\n');
	free(line->text);
}

static void
add_best(FILE *out, const char *metric, double best, double at)
{
	char value[NUM_TEXT], epoch[NUM_TEXT];

	fprintf(out, "  best %s %s @ %s", metric, num_short(best, 4, value),
	    num_short(at, 10, epoch));
}

static void
add_best_of(FILE *out, const struct metrics_summary *m)
{
	if (m->has_best)
		add_best(out, m->metric, m->best,
		    job_summary_epoch(m, m->best_epoch));
}

static void
add_state(FILE *out, const struct store_row *row, const char *here)
{
	char span[NUM_TEXT], brief[STOP_BRIEF];

	fputs(store_state_name(row->state), out);
	if (row->cause != NULL)
		fprintf(out, " %s", stop_brief(row->cause, brief));
	if (row->state == STORE_RUNNING && row->node != NULL)
		fprintf(out, " on %s", row->node);
	if (store_state_is_final(row->state)) {
		if (row->start != -1 && row->end != -1)
			fprintf(out, " in %s",
			    num_span(row->end - row->start, span));
		add_best_of(out, &row->metrics);
	}
	if (row->state == STORE_ERROR && row->log != NULL)
		fprintf(out, "  log %s", fs_from(here, row->log));
}

/* Add how many tasks are in each state, "8 SUBMITTED, 4 RUNNING". */
static void
add_counts(FILE *out, const struct store_table *table)
{
	const char *before = "";
	int i;

	for (i = 0; i < STORE_STATES; i++) {
		if (table->in_state[i] == 0)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", before, table->in_state[i],
		    store_state_name((enum store_state)i));
		before = ", ";
	}
}

/* Print a line for a change of a task's state or epoch. */
static void
print_change(void *arg, const struct store_job *job,
    const struct store_row *before, const struct store_row *after)
{
	const struct watch *w = arg;
	struct line line;
	char epoch[NUM_TEXT];
	int new_state;

	if (w->last != NULL && after->task < w->last->count)
		before = store_table_row(w->last, after->task);
	/* Slurm's reasons for a pending task come and go. */
	new_state = before->state != after->state ||
	    before->attempt != after->attempt ||
	    before->restart != after->restart ||
	    (after->state != STORE_SUBMITTED &&
		!text_same(before->cause, after->cause));
	if (w->quiet || w->once ||
	    (!new_state && after->metrics.epochs == before->metrics.epochs))
		return;
	begin_line(&line);
	fprintf(line.out, "%s/%" PRIu64 " ", job->name, after->task);
	if (new_state) {
		add_state(line.out, after, w->here);
	} else {
		fprintf(line.out, "epoch %s",
		    num_short(job_summary_epoch(
				  &after->metrics, after->metrics.epoch),
			10, epoch));
		add_best_of(line.out, &after->metrics);
	}
	print_line(&line);
}

/* Print once that another command may be queueing tasks of a job. */
static void
say_waits(struct watch *w, const struct store_job *job,
    const struct job_enqueued *queued)
{
	struct line line;

	if (w->quiet || w->once || strlist_have(&w->waits, job->id))
		return;
	strlist_push(&w->waits, job->id);
	begin_line(&line);
	fprintf(line.out,
	    "%s: %" PRIu64 " task%s not queued; another command may still be "
	    "queueing, so stfm-watch queues the rest in %" PRId64 " seconds",
	    job->name, queued->left, queued->left == 1 ? " is" : "s are",
	    queued->wait);
	print_line(&line);
}

/*
 * Queue the rest of a job, as far as Slurm takes it now.  Returns 0, or -1 if
 * the store fails.
 */
static int
queue_rest(
    struct watch *w, const struct reconcile *pass, const struct store_job *job)
{
	const struct job_enqueue how = {.watched = pass->queue};
	struct job_enqueued queued;
	enum queue_answer answer;
	struct line line;
	struct error e;
	int rc;

	if (how.watched == NULL || !pass->unqueued ||
	    job_location(job, NULL) != JOB_IN_PLACE)
		return 0;
	answer = job_enqueue(job, &how, &queued, &e);
	if (queued.gone || answer == QUEUE_REFUSED || queued.failed ||
	    queued.unheard)
		complain(w, job, e.text);
	if (queued.made > 0 && !w->quiet && !w->once) {
		begin_line(&line);
		fprintf(line.out,
		    "%s: %" PRIu64 " more tasks queued, %" PRIu64 " are left",
		    job->name, queued.made, queued.left);
		print_line(&line);
	}
	if (queued.wait > 0)
		say_waits(w, job, &queued);
	rc = queued.failed ? -1 : 0;
	w->unheard |= queued.unheard;
	job_enqueued_free(&queued);
	return rc;
}

/* For warn: the job whose hooks run. */
struct hooked {
	const struct watch *watch;
	const struct store_job *job;
};

/* Report a trouble with a hook. */
static void
warn(void *arg, const char *what)
{
	const struct hooked *h = arg;

	complain(h->watch, h->job, what);
}

/* Notify the hooks of new events.  Returns 0, or -1 after an error. */
static int
tell_hooks(const struct watch *w, const struct store_job *job)
{
	struct hooked hooked = {w, job};
	struct job_view *view;
	struct error e;
	size_t i;
	int rc = 0;

	if (w->hooks == 0)
		return 0;
	view = job_view_new(job, NULL, time(NULL), &e);
	if (view == NULL) {
		complain(w, job, e.text);
		return -1;
	}
	cli_flush();
	for (i = 0; i < w->hooks; i++)
		if (job_hook_notify(
			&w->hook[i], w->store, view, warn, &hooked) == -1)
			rc = -1;
	job_view_free(view);
	return rc;
}

/*
 * Return why a job waits for ever for another job, to free; or NULL if it does
 * not.
 */
static char *
waits_in_vain(const struct store_job *job, const struct store_table *table)
{
	char *why = NULL;

	if (job->after.count == 0 || table->in_state[STORE_RUNNING] > 0 ||
	    table->in_state[STORE_SUBMITTED] == 0)
		return NULL;
	if (job_dependency_look(job, &why) == JOB_DEPENDENCY_NEVER)
		return why;
	free(why);
	return NULL;
}

/* Warn once about a moved job that is not over, and say why nothing is done. */
static void
say_moved(struct watch *w, const struct store_job *job,
    const struct store_table *table)
{
	struct error e;

	if (job_location(job, &e) == JOB_IN_PLACE ||
	    strlist_have(&w->moved, job->id) ||
	    job_policy_is_over(job, table, NULL) == 1)
		return;
	strlist_push(&w->moved, job->id);
	complain(w, job, e.text);
}

/* Drop an unwritten table.  xgrow expects an empty list to be NULL. */
static void
drop_unwritten(struct watch *w, size_t i)
{
	free(w->unwritten[i].id);
	w->unwritten[i] = w->unwritten[--w->unwrittens];
	if (w->unwrittens > 0)
		return;
	free(w->unwritten);
	w->unwritten = NULL;
}

/*
 * Return the table that the last pass could not write for a job, to free; or
 * NULL.
 */
static struct store_table *
take_unwritten(struct watch *w, const struct store_job *job)
{
	struct store_table *table;
	size_t i;

	for (i = 0; i < w->unwrittens; i++) {
		if (strcmp(w->unwritten[i].id, job->id) != 0)
			continue;
		table = w->unwritten[i].table;
		drop_unwritten(w, i);
		return table;
	}
	return NULL;
}

static void
keep_unwritten(
    struct watch *w, const struct store_job *job, struct store_table *table)
{
	w->unwritten = xgrow(w->unwritten, w->unwrittens, sizeof *w->unwritten);
	w->unwritten[w->unwrittens++] =
	    (struct unwritten){xstrdup(job->id), table};
}

/*
 * Reconcile a job as reconcile_job does.  Each change is printed once, even
 * while the table cannot be written.
 */
static int
pass_job(struct watch *w, struct reconcile *pass, const struct store_job *job,
    struct store_table **table, struct error *e)
{
	struct store_table *last = take_unwritten(w, job);
	int rc;

	w->last = last;
	rc = reconcile_job(pass, job, print_change, w, table, e);
	w->last = NULL;
	if (rc == -1 && last != NULL)
		keep_unwritten(w, job, last);
	else
		store_table_free(last);
	return rc;
}

/* Return a checksum of the hooks, which is the same only for the same hooks. */
static uint64_t
sum_of_hooks(const struct watch *w)
{
	uint64_t sum;
	size_t length, i;
	char *text;
	FILE *out = xmemopen(&text, &length);
	int k;

	for (i = 0; i < w->hooks; i++) {
		fprintf(out, "%s", w->hook[i].key);
		for (k = 0; k < NOTIFIED_EVENTS; k++)
			fprintf(out, " %d %" PRId64, w->hook[i].on[k],
			    w->hook[i].since[k]);
	}
	xmemclose(out);
	sum = (uint64_t)length << 32 | fs_crc32c(text, length);
	free(text);
	return sum;
}

/*
 * Record that a job needs no pass until something changes, if this pass had
 * nothing to do there, and a later one will not either.
 */
static void
note_rest(struct watch *w, const struct reconcile *pass,
    const struct store_job *job, const struct store_table *table)
{
	/* A signal keeps hooks from being told. */
	if (w->settling == NULL || !pass->idle || pass->queue == NULL ||
	    proc_interrupted() != 0 || reconcile_has_queued(pass, job->id) ||
	    store_job_is_adopted(job) ||
	    job_policy_is_over(job, table, NULL) != 1 ||
	    (job->then != NULL && store_once_is_set(job, "then", NULL) != 1))
		return;
	store_settled_add_rest(w->settling, job, table, sum_of_hooks(w));
}

/* Print, after the first pass, how many tasks of a job are in each state. */
static void
print_start(const struct watch *w, const struct store_job *job,
    const struct store_table *table)
{
	struct line line;

	if (w->quiet || w->once || w->begun ||
	    table->in_state[STORE_SUBMITTED] + table->in_state[STORE_RUNNING] ==
		0)
		return;
	begin_line(&line);
	fprintf(line.out, "%s: ", job->name);
	add_counts(line.out, table);
	print_line(&line);
}

static int
watch_job(struct watch *w, struct reconcile *pass, const struct store_job *job)
{
	struct hooked hooked = {w, job};
	struct store_table *table;
	struct error e;
	char *vain;
	int rc, queued, unwritten;

	rc = pass_job(w, pass, job, &table, &e);
	unwritten = rc == 1;
	if (rc == -1 && fs_is_gone(job->path))
		return 0; /* the job was removed */
	if (rc != 0)
		complain(w, job, e.text);
	if (rc == -1)
		return -1;
	complain_each(w, job, &pass->notes);
	strlist_free(&pass->notes);
	complain_each(w, job, &table->damaged);
	print_start(w, job, table);
	queued = queue_rest(w, pass, job);
	if (table->damaged.count > 0)
		rc = 1;
	vain = waits_in_vain(job, table);
	if (vain != NULL)
		w->failed += table->in_state[STORE_SUBMITTED];
	else if (!job_canary_is_dead(job, table))
		w->open += table->in_state[STORE_SUBMITTED] +
		    table->in_state[STORE_RUNNING];
	w->failed += table->in_state[STORE_ERROR];
	free(vain);
	say_moved(w, job, table);
	if (rc == 0)
		rc = tell_hooks(w, job);
	if (rc == 0 && job->then != NULL && !w->quick &&
	    job_location(job, NULL) != JOB_COPIED) {
		cli_flush(); /* before the output of the job's --then command */
		rc = job_hook_then(w->store, job, table, warn, &hooked);
	}
	if (rc == 0 && queued == 0)
		note_rest(w, pass, job, table);
	if (unwritten && !w->once)
		keep_unwritten(w, job, table);
	else
		store_table_free(table);
	return rc == 0 ? queued : -1;
}

/* Report once that Slurm does not answer, and once that it answers again. */
static void
report(const struct watch *w, char said[1024], const char *trouble,
    const char *again)
{
	if (strcmp(trouble, said) != 0 && !(w->once && w->quiet))
		complain(w, NULL, *trouble ? trouble : again);
	snprintf(said, 1024, "%s", trouble);
}

static int
is_queued(void *arg, const char *id)
{
	return reconcile_has_queued(arg, id);
}

/*
 * Find the jobs to watch: those that are named, or all in which the pass may
 * have something to do.  Adds the reasons why jobs are unreadable to damaged.
 */
static int
select_jobs(struct watch *w, struct reconcile *pass, struct selection *s,
    struct strlist *damaged, struct error *e)
{
	struct job_resting resting = {sum_of_hooks(w), is_queued, pass};
	size_t i;
	int rc;

	*damaged = (struct strlist){0};
	if (w->count == 0) {
		w->settling = &w->settled;
		return job_select_awake(
		    w->store, &resting, &w->settled, s, damaged, e);
	}
	rc = job_select_readable(w->store, w->words, w->count, s, damaged, e);
	for (i = 0; rc == 0 && i < s->count; i++)
		if (!s->item[i].whole)
			rc = error_set(e,
			    "whole jobs are followed: write %s, not tasks of "
			    "it",
			    s->item[i].job->name);
	if (rc == -1)
		selection_free(s);
	return rc;
}

/* Select the jobs again, without reporting damage a second time. */
static int
select_again(struct watch *w, struct selection *s)
{
	struct strlist damaged;
	int rc = select_jobs(w, NULL, s, &damaged, NULL);

	strlist_free(&damaged);
	return rc;
}

/* Forget the record of settled jobs: the next pass reads it again. */
static void
settle(struct watch *w)
{
	if (w->settling != NULL)
		store_settled_free(w->settling);
	w->settling = NULL;
}

/* Run one pass over the jobs.  Returns the exit status. */
static int
pass(struct watch *w)
{
	struct selection jobs = {0};
	struct strlist damaged = {0};
	const char *trouble, *silence;
	struct reconcile *p;
	struct error e;
	int status = CLI_YES;
	size_t i;

	w->open = w->failed = 0;
	p = reconcile_new(w->store, &jobs, &e);
	if (p != NULL)
		p->is_named = w->count > 0;
	if (p == NULL || select_jobs(w, p, &jobs, &damaged, &e) == -1) {
		strlist_free(&damaged);
		settle(w);
		reconcile_free(p);
		w->stuck = 1;
		complain(w, NULL, e.text);
		return CLI_WRONG;
	}
	complain_each(w, NULL, &damaged);
	w->unread = damaged.count > 0;
	strlist_free(&damaged);
	/* A signal ended the wait for Slurm's answer. */
	if (proc_interrupted() != 0) {
		settle(w);
		selection_free(&jobs);
		reconcile_free(p);
		return CLI_YES;
	}
	p->acts = 1;
	w->unheard = 0;
	trouble = p->trouble;
	report(w, w->trouble, trouble != NULL ? trouble : "",
	    "Slurm answers again");
	if (w->unread)
		status = CLI_WRONG;
	for (i = 0; i < jobs.count; i++)
		if (watch_job(w, p, jobs.item[i].job) == -1)
			status = CLI_WRONG;
	if (w->settling != NULL)
		store_settled_save(w->settling, w->store);
	settle(w);
	/* The accounting is asked during the passes over jobs, if needed. */
	silence = p->silence;
	if (silence != NULL)
		report(
		    w, w->silence, silence, "Slurm's accounting answers again");
	if (store_leftovers(w->store, &e) == -1)
		complain(w, NULL, e.text);
	if (status == CLI_YES &&
	    (w->unheard || p->trouble != NULL ||
		(silence != NULL && *silence != '\0')))
		status = CLI_LATER;
	selection_free(&jobs);
	reconcile_free(p);
	w->stuck = cli_flush() == -1;
	return w->stuck ? CLI_WRONG : status;
}

/* Print the result of a named job. */
static void
print_summary(const struct store_job *job)
{
	static const struct idset none = {0};
	struct job_view *view = job_view_new(job, &none, time(NULL), NULL);
	struct line line;
	char *why;

	if (view == NULL)
		return;
	begin_line(&line);
	/* Say why pending tasks will never start. */
	why = waits_in_vain(job, view->table);
	if (why == NULL && view->table->in_state[STORE_SUBMITTED] > 0 &&
	    job_canary_is_dead(job, view->table))
		why = xstrdup("its canary did not pass");
	fprintf(line.out, "%s %s: ", job->name,
	    why != NULL ? "cannot go on" : "ended");
	add_counts(line.out, view->table);
	if (why != NULL)
		fprintf(
		    line.out, " (%s: stfm-status --why %s)", why, job->name);
	free(why);
	if (view->best != -1) {
		fprintf(line.out, "  %s/%" PRIi64, job->name, view->best);
		add_best(
		    line.out, view->metric, view->best_value, view->best_epoch);
	}
	print_line(&line);
	job_view_free(view);
}

/*
 * Warn that a named job can never be idle because it has no GPU; but not in
 * each pass from cron.
 */
static void
say_never_idle(struct watch *w)
{
	struct selection jobs;
	const struct store_job *job;
	int tells = 0;
	size_t i;

	for (i = 0; i < w->hooks; i++)
		tells |= w->hook[i].on[NOTIFIED_IDLE];
	if (w->quiet || w->count == 0 || !w->hooks_given || !tells ||
	    (w->once && !isatty(STDERR_FILENO)) || select_again(w, &jobs) == -1)
		return;
	for (i = 0; i < jobs.count; i++) {
		job = jobs.item[i].job;
		if (job_resource_has_no_gpu(job))
			cli_warn(
			    "%s: asks for no GPU, so none of its tasks can be "
			    "idle",
			    job->name);
	}
	selection_free(&jobs);
}

/* Wait for the next pass.  Returns 0, or the signal that ends the watch. */
static int
wait_interval(const sigset_t *set, int64_t seconds)
{
	struct timespec span = {seconds, 0};
	int got;

	do
		got = sigtimedwait(set, NULL, &span);
	while (got == -1 && errno == EINTR);
	return got > 0 ? got : 0;
}

/* Make passes until the named jobs end or a signal comes. */
static int
loop(struct watch *w)
{
	struct selection jobs;
	sigset_t set;
	int status, got;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	proc_interrupt_on(&set);
	for (;;) {
		status = pass(w);
		w->begun = 1;
		if (w->stuck)
			return status;
		if (proc_interrupted() == 0 && w->count > 0 && w->open == 0)
			break;
		got = wait_interval(&set, w->interval);
		if (got == SIGINT)
			return 128 + SIGINT;
		if (got != 0)
			return CLI_YES;
	}
	if (!w->quiet && select_again(w, &jobs) == 0) {
		for (i = 0; i < jobs.count; i++)
			print_summary(jobs.item[i].job);
		selection_free(&jobs);
	}
	return w->unread ? CLI_WRONG : w->failed > 0 ? CLI_NO : CLI_YES;
}

static void
free_hooks(struct watch *w)
{
	while (w->hooks > 0)
		free(w->hook[--w->hooks].command);
	free(w->hook);
	w->hook = NULL;
}

/*
 * Take --on.  Its second word is the command; in a file, events and command are
 * one text with a blank between.  The first --on replaces the hooks from files.
 */
static int
take_on(void *arg, int letter, struct error *e)
{
	struct watch *w = arg;
	int from_file = cli_is_default(), rc;
	char *events =
	    xstrndup(optarg, from_file ? strcspn(optarg, " ") : strlen(optarg));
	const char *line = NULL;

	(void)letter;
	if (!from_file && !w->hooks_given) {
		free_hooks(w);
		w->hooks_given = 1;
	}
	if (from_file && optarg[strlen(events)] != '\0')
		line = optarg + strlen(events) + 1;
	else if (!from_file && optind < w->argc && w->argv[optind][0] != '-')
		line = w->argv[optind++];
	w->hook = xgrow(w->hook, w->hooks, sizeof *w->hook);
	rc = job_hook_set(&w->hook[w->hooks++], events, line, e);
	free(events);
	return rc;
}

int
main(int argc, char **argv)
{
	struct watch w = {.interval = 60, .argc = argc, .argv = argv};
	struct error e;
	int opt, status, rc = 0;
	size_t i;

	cli_start(&command);
	opt = cli_options(&command, argc, argv, take_on, &w);
	if (opt != CLI_END) {
		free_hooks(&w);
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	}
	if (w.notes_to != NULL && (w.notes = fopen(w.notes_to, "ae")) == NULL)
		cli_warn("%s: %s", w.notes_to, strerror(errno));
	w.here = fs_absolute(".");
	w.words = argv + optind;
	w.count = (size_t)(argc - optind);
	w.store = store_open(w.dir, STORE_WRITE, &e);
	if (w.store == NULL || store_check_owner(w.store, &e) == -1)
		rc = -1;
	for (i = 0; rc == 0 && i < w.hooks; i++)
		rc = job_hook_begin(&w.hook[i], w.store, &e);
	if (rc == 0) {
		say_never_idle(&w);
		status = w.once ? pass(&w) : loop(&w);
	} else {
		complain(&w, NULL, e.text);
		status = CLI_WRONG;
	}
	if (w.notes != NULL)
		fclose(w.notes);
	store_close(w.store);
	while (w.unwrittens > 0) {
		store_table_free(w.unwritten[0].table);
		drop_unwritten(&w, 0);
	}
	free_hooks(&w);
	strlist_free(&w.moved);
	strlist_free(&w.waits);
	free(w.here);
	return cli_finish(status);
}
