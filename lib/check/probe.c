/* Running the probe, on a node or on this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "check/private.h"
#include "slurm/queue.h"
#include "state/pending-reason.h"
#include "sys/fs.h"
#include "sys/proc.h"

struct job_plan *
check_plan(const struct check_setup *s)
{
	struct job_plan *plan = job_plan_new();
	size_t i;

	for (i = 0; i < s->given.count; i++)
		sbatch_add(&plan->given, s->given.given[i].name,
		    s->given.given[i].value);
	for (i = 0; i < s->defaults.count; i++)
		sbatch_add(&plan->defaults, s->defaults.given[i].name,
		    s->defaults.given[i].value);
	sbatch_environment(&plan->environment, environ);
	job_plan_defaults(plan);
	return plan;
}

/* Times in milliseconds, except the time limit of the task. */
enum {
	NAP = 200,     /* between two looks at the directory */
	ASKING = 1000, /* between two requests to Slurm */
	PROMPT = 5000, /* time within which a working Slurm answers */
	/* Time to import all frameworks from a slow disk. */
	RUNNING = 600 * 1000,
	/* Delay until files written by a node are visible. */
	ARRIVING = 15 * 1000,
	TIME_LIMIT = 10 /* time limit of the task in minutes */
};

/* ---- the command lines ---- */

static void
add_probe(const struct check_setup *s, const struct check_place *p,
    struct strlist *argv)
{
	size_t i;

	strlist_take(argv, fs_join(p->path, "probe.sh"));
	strlist_push(argv, p->path);
	strlist_push(argv, p->token);
	strlist_push(argv, s->gpu ? "gpu" : "cpu");
	for (i = 0; s->command != NULL && s->command[i] != NULL; i++)
		strlist_push(argv, s->command[i]);
}

/* Add the options that stfm-submit would use, adapted to a short task. */
static void
add_sbatch(const struct check_setup *s, const struct check_place *p,
    struct strlist *argv)
{
	struct job_plan *plan = check_plan(s);
	struct strlist options = {0};

	plan->job->directory = fs_absolute(".");
	if (sbatch_value(&s->given, "time") == NULL)
		strlist_take(&options, xasprintf("--time=%d", TIME_LIMIT));
	if (!s->gpu && !job_plan_asks_gpu(plan)) {
		sbatch_add(&plan->given, "gres", "none");
		strlist_push(&options, "--gres=none");
	}
	strlist_copy(&options, &s->options);
	job_plan_options(plan, &options);
	strlist_copy(argv, &plan->job->options);
	strlist_free(&options);
	job_plan_free(plan);

	strlist_push(argv, "--job-name=stfm-check");
	strlist_take(argv, xasprintf("--comment=%s", p->token));
	/* The task must run and report even if it does not see the store. */
	strlist_push(argv, "--output=/dev/null");
	strlist_push(argv, "--error=/dev/null");
	strlist_push(argv, "--no-requeue");
}

/* ---- the report ---- */

/* Add lines on a report, and free its facts. */
static void
judge(const struct check_setup *s, struct check_report *r,
    struct check_lines *lines)
{
	r->runtime = s->runtime;
	r->gpu = s->gpu;
	if (!r->here)
		check_judge_place(lines, r);
	check_judge_container(lines, r);
	check_judge_python(lines, r);
	if (s->gpu)
		check_judge_gpu(lines, r);
	strlist_free(&r->facts);
}

/* Return both parts of the report, to free, or NULL if one is missing. */
static char *
read_report(const struct check_place *p, int64_t *seen)
{
	int64_t later = 0;
	char *first = check_report_read(p, "seen", seen);
	char *second = check_report_read(p, "report", &later), *both = NULL;

	if (first != NULL && second != NULL)
		both = xasprintf("%s%s", first, second);
	free(first);
	free(second);
	return both;
}

/* ---- on a node ---- */

/* The probe's task, from sbatch to its report. */
struct run {
	const struct check_setup *setup;
	const struct check_place *place;
	struct check_lines *lines;
	int64_t ahead;
	struct check_task task;
	int64_t begun, started, asked, ended; /* times by proc_clock, or 0 */
	char *state;
	int marks_judged;
};

/* Add a line about which marks of stfm's arrays the cluster preserves. */
static void
judge_marks(struct run *r, const struct queue_record *record)
{
	const char *token = r->place->token;
	int comment = queue_token_is_in(record->comment, token);
	int command = queue_token_is_in(record->command, token);

	r->marks_judged = 1;
	if (comment && command)
		check_add(r->lines, CHECK_OK, "comment", NULL,
		    "Slurm keeps the comment of jobs");
	else if (command)
		check_add(r->lines, CHECK_OK, "comment", NULL,
		    "this cluster replaces the comment of jobs: stfm "
		    "recognises them by the name of their batch script");
	else if (comment)
		check_add(r->lines, CHECK_WARN, "comment",
		    "Do not change the comment of stfm's jobs",
		    "this cluster replaces the names of batch scripts: stfm "
		    "recognises its jobs by their comment alone");
	else
		check_add(r->lines, CHECK_FAIL, "comment",
		    "Ask your administrators to keep one of the two: "
		    "stfm-submit refuses to queue without",
		    "this cluster replaces both the comment of jobs and the "
		    "names of batch scripts");
}

/* Ask Slurm about the task.  One missing answer is tolerated. */
static void
ask(struct run *r)
{
	const struct queue_record *record = NULL;
	int64_t now = time(NULL);
	struct queue *q;

	if (proc_clock() - r->asked < ASKING)
		return;
	if (queue_load(&q, NULL) == -1) {
		r->asked = proc_clock();
		return;
	}
	record = queue_find_any(q, r->task.array);
	if (record != NULL) {
		if (!r->marks_judged)
			judge_marks(r, record);
		free(r->task.cause);
		r->task.cause = xstrdup(record->reason);
		free(r->task.node);
		r->task.node = xstrdup(record->nodes);
		free(r->state);
		r->state = xstrdup(record->state_name);
		r->task.exit_status = record->exit_status;
		r->task.expected =
		    record->start > now ? record->start - now : 0;
		if (r->started == 0 &&
		    (!record->alive || record->state != QUEUE_PENDING))
			r->started = proc_clock();
		if (r->ended == 0 && !record->alive)
			r->ended = proc_clock();
	}
	queue_free(q);
	r->asked = proc_clock();
}

static void
show_progress(const struct run *r)
{
	int64_t seconds = (proc_clock() - r->begun) / 1000;
	char *text;

	if (r->started != 0)
		text = xasprintf("task %" PRIu32 " looks around on %s: %" PRId64
				 " s",
		    r->task.array, r->task.node, seconds);
	else
		text = xasprintf("task %" PRIu32 " waits (%s): %" PRId64 " s",
		    r->task.array,
		    r->task.cause && *r->task.cause ? r->task.cause : "None",
		    seconds);
	r->setup->busy(r->setup->arg, text);
	free(text);
}

static int
cancel_once(const char *token, uint32_t array, struct error *e)
{
	struct queue_cancel cancel = {.array = array, .token = token};
	struct queue *q = NULL;

	if (array == 0 && queue_load(&q, e) == -1)
		return -1;
	if (q != NULL)
		queue_find_token(q, token, &cancel.array);
	queue_free(q);
	return cancel.array != 0 ? queue_cancel(&cancel, 1, NULL, e) : 0;
}

/*
 * Cancel the task, or any task with our token (array 0): it must not outlive
 * us. The signal that ended us does not interrupt this.  Tries twice, unless
 * Slurm does not answer.
 */
static void
cancel(const struct check_place *p, uint32_t array, struct check_lines *lines)
{
	sigset_t old_signals = proc_interrupt_off();
	int64_t begun = proc_clock();
	struct error e;
	int rc = cancel_once(p->token, array, &e);

	if (rc == -1 && proc_clock() - begun < PROMPT)
		rc = cancel_once(p->token, array, &e);
	if (rc == -1)
		check_add(lines, CHECK_WARN, "task",
		    "Cancel it: scancel --me -n stfm-check",
		    "it could not be cancelled: %s", e.text);
	proc_interrupt_on(&old_signals);
}

static void
take_report(struct run *r, const char *text, int64_t seen)
{
	char here[4096];
	struct check_report report = {.read = seen, .ahead = r->ahead};
	const char *node;

	check_facts_take(&report.facts, text);
	node = check_fact(&report, "node", NULL);
	if (sbatch_value(&r->setup->given, "chdir") == NULL)
		report.directory = getcwd(here, sizeof here);
	check_add(r->lines, CHECK_OK, "task", NULL,
	    "a small one (%" PRIu32 ") ran on %s", r->task.array,
	    node != NULL ? node : "a node");
	judge(r->setup, &report, r->lines);
}

/* Return whether to stop waiting, and add a line that says why. */
static int
give_up(struct run *r)
{
	int64_t now = proc_clock();

	r->task.waited = (now - r->begun) / 1000;
	if (r->started == 0 && now - r->begun >= r->setup->wait * 1000) {
		check_judge_waiting(r->lines, &r->task);
	} else if (r->ended != 0 &&
	    (r->task.exit_status != 0 || now - r->ended >= ARRIVING)) {
		check_judge_end(r->lines, &r->task, r->place->parent, r->state);
	} else if (r->started != 0 && now - r->started >= RUNNING) {
		check_add(r->lines, CHECK_FAIL, "task",
		    "Try a single import in a task by hand: srun --pty",
		    "it did not end within %d seconds", RUNNING / 1000);
	} else {
		return 0;
	}
	return 1;
}

/* Wait for the report.  Returns 0, or -1 if a signal arrived. */
static int
follow(struct run *r)
{
	struct timespec nap = {0, NAP * 1000000};
	int64_t seen = 0;
	char *text = NULL;

	for (;;) {
		text = read_report(r->place, &seen);
		if (text != NULL || proc_interrupted() != 0)
			break;
		ask(r);
		if (give_up(r))
			break;
		show_progress(r);
		nanosleep(&nap, NULL);
	}
	r->setup->busy(r->setup->arg, NULL);
	if (text != NULL)
		take_report(r, text, seen);
	else
		cancel(r->place, r->task.array, r->lines);
	free(text);
	return text == NULL && proc_interrupted() != 0 ? -1 : 0;
}

static void
judge_refusal(
    struct check_lines *lines, enum queue_answer answer, const char *why)
{
	static const struct job_waiting nobody = {0};
	struct job_pending_reason reason;

	if (answer != QUEUE_FULL && answer != QUEUE_TOO_LARGE) {
		check_add(lines, CHECK_FAIL, "task",
		    answer == QUEUE_UNKNOWN
			? "Try again in a minute; see squeue --me"
			: "Give the options that your site wants, as to "
			  "stfm-submit: stfm-check -A ACCOUNT -p PARTITION",
		    "%s", why);
		return;
	}
	job_pending_reason(&nobody, why, &reason);
	check_add(lines, CHECK_WARN, "task", reason.to_do,
	    "Slurm takes none now: %s", reason.why);
	job_pending_reason_free(&reason);
}

int
check_probe_node(const struct check_setup *s, const struct check_place *p,
    struct check_lines *lines, int64_t ahead)
{
	struct run r = {s, p, lines, ahead, .begun = proc_clock()};
	enum queue_answer answer;
	struct strlist argv = {0};
	struct error e;
	int rc = 0;

	add_sbatch(s, p, &argv);
	add_probe(s, p, &argv);
	s->busy(s->arg, "queueing a task");
	answer = queue_submit(argv.word, p->token, &r.task.array, &e);
	strlist_free(&argv);
	if (answer == QUEUE_QUEUED) {
		rc = follow(&r);
	} else {
		s->busy(s->arg, NULL);
		judge_refusal(lines, answer, e.text);
		if (answer == QUEUE_UNKNOWN)
			cancel(p, 0, lines);
		rc = proc_interrupted() != 0 ? -1 : 0;
	}
	free(r.task.cause);
	free(r.task.node);
	free(r.state);
	return rc;
}

/* ---- on this machine ---- */

int
check_probe_here(const struct check_setup *s, const struct check_place *p,
    struct check_lines *lines, int64_t ahead)
{
	struct proc_result result;
	struct strlist argv = {0};
	struct check_report report = {.ahead = ahead, .here = 1};
	struct error e;
	char *text = NULL;

	strlist_push(&argv, "sh");
	add_probe(s, p, &argv);
	s->busy(s->arg, "looking at Python here");
	if (proc_run(argv.word, NULL, RUNNING, &result, &e) == 0) {
		text = read_report(p, &report.read);
		proc_result_free(&result);
	} else {
		check_add(lines, CHECK_FAIL, "python", NULL, "%s", e.text);
	}
	strlist_free(&argv);
	s->busy(s->arg, NULL);
	if (text != NULL) {
		check_facts_take(&report.facts, text);
		judge(s, &report, lines);
	}
	free(text);
	return proc_interrupted() != 0 ? -1 : 0;
}
