/* Running the probe, on a node or here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "check/private.h"
#include "state/pending-reason.h"
#include "sys/fs.h"
#include "sys/proc.h"

static void
copy(const struct sbatch *from, struct sbatch *to)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		sbatch_add(to, from->given[i].name, from->given[i].value);
}

struct job_plan *
check_plan(const struct check_setup *s)
{
	struct job_plan *plan = job_plan_new();

	copy(&s->given, &plan->given);
	copy(&s->defaults, &plan->defaults);
	sbatch_environment(&plan->environment, environ);
	job_plan_defaults(plan);
	return plan;
}

enum {
	NAP = 200,     /* ms between two looks at the directory */
	ASKING = 1000, /* between two questions to Slurm */
	PROMPT = 5000, /* an answer, not a silence */
	RUNNING =
	    600 * 1000, /* the imports of all frameworks, on a slow disk */
	ARRIVING = 15 * 1000, /* what a node has written may come late */
	TIME_LIMIT = 10       /* minutes */
};

/* ---- its words ---- */

static void
add_probe(const struct check_setup *s, const struct check_place *p,
    struct strlist *out)
{
	size_t i;

	strlist_take(out, fs_join(p->path, "probe.sh"));
	strlist_push(out, p->path);
	strlist_push(out, p->token);
	strlist_push(out, s->gpu ? "gpu" : "cpu");
	for (i = 0; s->command != NULL && s->command[i] != NULL; i++)
		strlist_push(out, s->command[i]);
}

/* Its options, as stfm-submit completes them, but for a short time. */
static void
add_options(const struct check_setup *s, struct strlist *out)
{
	struct job_plan *plan = check_plan(s);
	struct strlist words = {0};

	plan->job->directory = fs_absolute(".");
	if (sbatch_value(&s->given, "time") == NULL)
		strlist_take(&words, xasprintf("--time=%d", TIME_LIMIT));
	if (!s->gpu && !sbatch_has_gpu(&plan->given) &&
	    !sbatch_has_gpu(&plan->environment) &&
	    !sbatch_has_gpu(&plan->defaults)) {
		sbatch_add(&plan->given, "gres", "none");
		strlist_push(&words, "--gres=none");
	}
	strlist_copy(&words, &s->options);
	job_plan_options(plan, &words);
	strlist_copy(out, &plan->job->options);
	strlist_free(&words);
	job_plan_free(plan);
}

static void
task_words(const struct check_setup *s, const struct check_place *p,
    struct strlist *out)
{
	add_options(s, out);
	strlist_push(out, "--job-name=stfm-check");
	strlist_take(out, xasprintf("--comment=%s", p->token));
	/* Nobody need see the store to run it and to say so. */
	strlist_push(out, "--output=/dev/null");
	strlist_push(out, "--error=/dev/null");
	strlist_push(out, "--no-requeue");
	add_probe(s, p, out);
}

/* ---- the answers ---- */

static void
judge(const struct check_setup *s, const struct check_report *r,
    struct check_lines *lines)
{
	if (!r->here)
		check_judge_place(lines, r);
	check_judge_container(lines, r);
	check_judge_python(lines, r);
	if (s->gpu)
		check_judge_gpu(lines, r);
}

/* One text of what was seen, and then found: to free. */
static char *
read_report(const struct check_place *p, int64_t *seen)
{
	int64_t later = 0;
	char *first = check_report_read(p, "seen", seen), *second, *both;

	second = check_report_read(p, "report", &later);
	both = xasprintf("%s%s", first ? first : "", second ? second : "");
	if (second == NULL || first == NULL) {
		free(both);
		both = NULL;
	}
	free(first);
	free(second);
	return both;
}

/* ---- on a node ---- */

struct run {
	const struct check_setup *setup;
	const struct check_place *place;
	struct check_lines *lines;
	int64_t ahead;
	struct check_task task;
	int64_t begun, started, asked, ended; /* by proc_clock, or 0 */
	char *state;
	int looked; /* at whether the comment is as it was given */
};

static int64_t
expected(const struct queue_record *record)
{
	int64_t now = time(NULL);

	return record->start > now ? record->start - now : 0;
}

/* Whether the cluster keeps the marks by which stfm recognises its arrays. */
static void
judge_marks(struct run *r, const struct queue_record *record)
{
	const char *token = r->place->token;
	int comment = queue_token_is_in(record->comment, token);
	int command = queue_token_is_in(record->command, token);

	r->looked = 1;
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

static void
note(struct run *r, const struct queue_record *record)
{
	if (!r->looked)
		judge_marks(r, record);
	free(r->task.cause);
	r->task.cause = xstrdup(record->reason);
	free(r->task.node);
	r->task.node = xstrdup(record->nodes);
	free(r->state);
	r->state = xstrdup(record->state_name);
	r->task.exit_status = record->exit_status;
	r->task.expected = expected(record);
	if (r->started == 0 &&
	    (!record->alive || record->state != QUEUE_PENDING))
		r->started = proc_clock();
	if (r->ended == 0 && !record->alive)
		r->ended = proc_clock();
}

/* Ask Slurm, which may be silent for once. */
static void
ask(struct run *r)
{
	const struct queue_record *record;
	struct queue *q;

	if (proc_clock() - r->asked < ASKING)
		return;
	if (queue_load(&q, NULL) == 0) {
		record = queue_find_any(q, r->task.array);
		if (record != NULL)
			note(r, record);
		queue_free(q);
	}
	r->asked = proc_clock();
}

static void
tell(const struct run *r)
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
	return cancel.array != 0 ? queue_cancel(&cancel, 1, e) : 0;
}

/*
 * What we queued is not to outlive us: neither is Slurm's answer cut short by
 * the signal that ended us, nor is one try enough, unless Slurm is silent.
 */
static void
cancel(const struct check_place *p, uint32_t array, struct check_lines *lines)
{
	sigset_t heeded = proc_interrupt_off();
	int64_t begun = proc_clock();
	struct error e;
	int rc = cancel_once(p->token, array, &e);

	if (rc == -1 && proc_clock() - begun < PROMPT)
		rc = cancel_once(p->token, array, &e);
	if (rc == -1)
		check_add(lines, CHECK_WARN, "task",
		    "Cancel what is left of it: scancel --me -n stfm-check",
		    "it could not be cancelled: %s", e.text);
	proc_interrupt_on(&heeded);
}

static void
take_report(struct run *r, const char *text, int64_t seen)
{
	char here[4096];
	struct check_report report = {.text = text,
	    .read = seen,
	    .ahead = r->ahead,
	    .runtime = r->setup->runtime,
	    .gpu = r->setup->gpu};
	char *node = check_cluster_fact(text, "node");

	if (sbatch_value(&r->setup->given, "chdir") == NULL)
		report.directory = getcwd(here, sizeof here);
	check_add(r->lines, CHECK_OK, "task", NULL,
	    "a small one (%" PRIu32 ") ran on %s", r->task.array,
	    node != NULL ? node : "a node");
	free(node);
	judge(r->setup, &report, r->lines);
}

/* Not, or no longer, worth waiting for: say so, and what became of it. */
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

/* 0, or -1 when a signal came. */
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
		tell(r);
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

	if (answer != QUEUE_FULL) {
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
	struct strlist words = {0};
	struct error e;
	int rc = 0;

	task_words(s, p, &words);
	s->busy(s->arg, "queueing a task");
	answer = queue_submit(words.word, p->token, &r.task.array, &e);
	strlist_free(&words);
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

/* ---- here ---- */

int
check_probe_here(const struct check_setup *s, const struct check_place *p,
    struct check_lines *lines, int64_t ahead)
{
	struct proc_result result;
	struct strlist words = {0};
	struct check_report report = {
	    .ahead = ahead, .runtime = s->runtime, .gpu = s->gpu, .here = 1};
	struct error e;
	char *text = NULL;

	strlist_push(&words, "sh");
	add_probe(s, p, &words);
	s->busy(s->arg, "looking at Python here");
	if (proc_run(words.word, NULL, RUNNING, &result, &e) == 0) {
		text = read_report(p, &report.read);
		proc_result_free(&result);
	} else {
		check_add(lines, CHECK_FAIL, "python", NULL, "%s", e.text);
	}
	strlist_free(&words);
	s->busy(s->arg, NULL);
	report.text = text;
	if (text != NULL)
		judge(s, &report, lines);
	free(text);
	return proc_interrupted() != 0 ? -1 : 0;
}

/* What runs containers. */

static char *
fact_of(const struct check_report *r, const char *runtime)
{
	char *name = xasprintf("container.%s", runtime);
	char *fact = check_cluster_fact(r->text, name);

	free(name);
	return fact;
}

/* Any of them, the first that there is. */
static void
judge_any(struct check_lines *lines, const struct check_report *r)
{
	static const char *const names[] = {
	    "apptainer", "singularity", "pyxis"};
	char *fact = NULL;
	size_t i;

	for (i = 0; fact == NULL && i < sizeof names / sizeof *names; i++)
		fact = fact_of(r, names[i]);
	if (fact != NULL)
		check_add(lines, CHECK_OK, "container", NULL, "%s", fact);
	free(fact);
}

void
check_judge_container(struct check_lines *lines, const struct check_report *r)
{
	char *fact;

	if (r->runtime == NULL) {
		judge_any(lines, r);
		return;
	}
	fact = fact_of(r, r->runtime);
	if (fact != NULL)
		check_add(lines, CHECK_OK, "container", NULL, "%s", fact);
	else
		check_add(lines, CHECK_FAIL, "container",
		    "Load its module before stfm-submit, which hands PATH on, "
		    "or name another with --container-runtime",
		    "no %s %s", r->runtime, r->here ? "here" : "on that node");
	free(fact);
}

/* Python and the frameworks, as a probe has met them. */

static const char *const frameworks[] = {"tensorflow", "torch", "jax", "keras"};

enum { FRAMEWORKS = sizeof frameworks / sizeof *frameworks };

/* How Python is handed to the check. */
static const char hand_over[] =
    "Activate the environment of your trainings first, or name their Python: "
    "stfm-check -- venv/bin/python";

static void
judge_path(struct check_lines *lines, const char *version, const char *path,
    const char *other, int here)
{
	char *remedy;

	if (other == NULL) {
		check_add(lines, CHECK_OK, "python", NULL, "%s, %s%s", version,
		    path != NULL ? path : "", here ? ", on this machine" : "");
		return;
	}
	remedy = xasprintf(
	    "Name that one: stfm-check -- %s/bin/python, and so to "
	    "stfm-submit; a startup file of the shell, or srun, may change "
	    "PATH",
	    other);
	check_add(lines, CHECK_WARN, "python", remedy,
	    "%s, %s, but the active environment is %s", version,
	    path != NULL ? path : "", other);
	free(remedy);
}

/* It is there, and did not do what it was told. */
static void
judge_broken(struct check_lines *lines, const char *text)
{
	char *command = check_cluster_fact(text, "python.command");
	char *error = check_cluster_fact(text, "python.error");
	char *status = check_cluster_fact(text, "python.status");
	int unseen = error != NULL && strstr(error, "probe.py") != NULL;

	check_add(lines, CHECK_FAIL, "python",
	    unseen ? "Bind the directory of the store into the container, "
		     "under the same path (apptainer -B)"
		   : hand_over,
	    "%s ended with %s%s%s", command ? command : "it",
	    status ? status : "an error", error && *error ? ": " : "",
	    error ? error : "");
	free(command);
	free(error);
	free(status);
}

static int
judge_version(struct check_lines *lines, const struct check_report *r)
{
	const char *text = r->text;
	char *version = check_cluster_fact(text, "python");
	char *path = check_cluster_fact(text, "python.path");
	char *other = check_cluster_fact(text, "python.other");
	char *missing = check_cluster_fact(text, "python.missing");
	int is_there = version != NULL;

	if (is_there)
		judge_path(lines, version, path, other, r->here);
	else if (missing != NULL)
		check_add(lines, CHECK_WARN, "python", hand_over,
		    "there is neither python3 nor python; that is fine for "
		    "trainings in other languages");
	else
		judge_broken(lines, text);
	free(version);
	free(path);
	free(other);
	free(missing);
	return is_there;
}

static int
judge_framework(struct check_lines *lines, const char *text, const char *name)
{
	char *version = check_cluster_fact(text, name), *key, *error, *backend;
	const struct check_sign *sign;
	int found;

	key = xasprintf("%s.error", name);
	error = check_cluster_fact(text, key);
	free(key);
	backend = check_cluster_fact(text, "keras.backend");
	sign = check_sign(error);
	found = version != NULL || error != NULL;
	if (version != NULL && strcmp(name, "keras") == 0 && backend != NULL)
		check_add(
		    lines, CHECK_OK, name, NULL, "%s on %s", version, backend);
	else if (version != NULL)
		check_add(lines, CHECK_OK, name, NULL, "%s", version);
	else if (error != NULL)
		check_add(lines, CHECK_FAIL, name,
		    sign != NULL ? sign->remedy
				 : "Install it anew, in an environment of its "
				   "own, with the versions of what it needs",
		    "cannot be imported: %s", error);
	free(version);
	free(error);
	free(backend);
	return found;
}

void
check_judge_python(struct check_lines *lines, const struct check_report *r)
{
	int found = 0;
	size_t i;

	if (!judge_version(lines, r))
		return;
	for (i = 0; i < FRAMEWORKS; i++)
		found |= judge_framework(lines, r->text, frameworks[i]);
	if (!found)
		check_add(lines, CHECK_WARN, "framework", hand_over,
		    "this Python has none of tensorflow, torch, jax, keras");
}
