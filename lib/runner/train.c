#include <sys/resource.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "control/max-fail.h"
#include "job/checkpoint-dir.h"
#include "job/container.h"
#include "job/training-log.h"
#include "runner/preempt.h"
#include "runner/rank.h"
#include "runner/pbt.h"
#include "runner/point.h"
#include "runner/prune.h"
#include "runner/run-start.h"
#include "runner/measure.h"
#include "runner/software.h"
#include "runner/supervise.h"
#include "runner/train.h"
#include "runner/workdir.h"
#include "slurm/task.h"
#include "state/history.h"
#include "state/words.h"
#include "store/job.h"
#include "store/usage.h"
#include "sys/fs.h"
#include "term/cli.h"

extern char **environ;

/* How often to ask Slurm to requeue a task. */
enum { TRIES = 3 };

/*
 * Milliseconds between two checks: of a packed task for a stop request, of a
 * canary for its first epoch, of the log for a rung of the search.
 */
enum { STOP_MS = 5000, EPOCH_MS = 2000, RUNG_MS = 1000 };

/*
 * Seconds by which Slurm may send the time-limit signal early, with a margin.
 */
enum { EARLY = 90 };

/* ---- the training ---- */

static int64_t
milliseconds(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000 + t->tv_usec / 1000;
}

static void
measure(struct store_fact_body *body)
{
	struct rusage used;

	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		return;
	body->memory = (int64_t)used.ru_maxrss * 1024;
	body->cpu = milliseconds(&used.ru_utime) + milliseconds(&used.ru_stime);
}

/* Record why the training did not start.  Takes over reason. */
static void
give_up(struct job_run *r, char *reason, int64_t code)
{
	r->body.reason = reason;
	r->body.exit = code;
	r->body.time = time(NULL);
	r->warn("%s", reason);
}

/* Record that this node cannot enter the directory of the training. */
static void
miss_directory(struct job_run *r, const char *place, int number)
{
	enum cause cause =
	    fs_says_absent(number) ? CAUSE_NO_DIRECTORY : CAUSE_SHUT_DIRECTORY;

	r->body.cause = xasprintf("%s%s", cause_words(cause), place);
	give_up(r,
	    xasprintf("%s: cannot go to this directory here: %s", place,
		strerror(number)),
	    CLI_LATER);
}

/* Record that this node cannot read the image of the container. */
static void
miss_image(struct job_run *r, const struct error *e)
{
	int is_gone =
	    access(r->job->container, F_OK) == -1 && fs_says_absent(errno);

	r->body.cause = xasprintf("%s%s",
	    cause_words(is_gone ? CAUSE_NO_IMAGE : CAUSE_SHUT_IMAGE),
	    r->job->container);
	give_up(r, xstrdup(e->text), CLI_LATER);
}

/* ---- supervising the training ---- */

/* What a run checks while its training runs. */
struct watch {
	const struct job_run *run;
	struct metrics_summary log;
	struct run_prune *prune; /* or NULL */
	int is_awaited; /* a canary: other tasks wait for its first epoch */
	int stopped;    /* a stop request ended the training */
	int unread;     /* its log is unreadable, which is reported */
};

/*
 * Read the log of the task.  Returns 1, 0 if there is no log, or -1 with a
 * warning.
 */
static int
read_log(const struct job_run *r, struct metrics_summary *log)
{
	struct error e;
	int rc = job_training_log_read(&r->task, log, &e);

	if (rc == -1)
		r->warn("%s", e.text);
	return rc;
}

static int
is_canary(const struct job_run *r)
{
	return r->fact.task == 0 && job_has_canary(r->job);
}

/*
 * Check a run.  Returns -1 to stop it: Slurm does not end packed tasks one by
 * one. Returns whether to check again.
 */
static int
watch_over(void *arg)
{
	struct watch *w = arg;
	struct error e;
	int rc;

	if (w->run->packed > 1 && job_run_is_unwanted(w->run, NULL) == 1) {
		w->stopped = 1;
		return -1;
	}
	if (w->is_awaited) {
		rc = job_training_log_read(&w->run->task, &w->log, &e);
		if (rc == -1 && !w->unread)
			w->run->warn("%s", e.text);
		w->unread = rc == -1;
		w->is_awaited = !job_training_log_has_epoch(&w->log) ||
		    job_canary_pass(w->run->job, NULL) == -1;
	}
	if (w->prune != NULL && run_prune_look(w->prune)) {
		w->stopped = 1;
		return -1;
	}
	return w->is_awaited || w->run->packed > 1 || w->prune != NULL;
}

static struct job_supervise
care(const struct job_run *r, struct watch *watch,
    const struct strlist *command, const struct strlist *environment)
{
	const struct store_policy *policy = &r->job->policy;
	struct job_supervise how = {
	    .command = command->word, .environment = environment->word};

	if (policy->signal_before > 0) {
		how.notice = store_policy_signal(store_policy_notice(policy));
		how.notice_as = store_policy_signal(policy->signal);
		how.grace =
		    policy->requeue > 0 ? policy->signal_before * 1000 : 0;
	}
	watch->is_awaited = is_canary(r);
	watch->prune = run_prune_new(r);
	if (watch->is_awaited || r->packed > 1 || watch->prune != NULL) {
		how.tick = watch_over;
		how.arg = watch;
		how.every = watch->prune != NULL ? RUNG_MS
		    : watch->is_awaited          ? EPOCH_MS
						 : STOP_MS;
	}
	return how;
}

/* Wrap the command of a distributed training: srun starts it on all nodes. */
static void
wrap(const struct job_run *r, char **failure, struct strlist *command)
{
	const char *log = r->body.log != NULL ? r->body.log : "/dev/null";
	struct strlist options = {0}, files = {0};

	/* No file system client may have cached the absence of this name. */
	*failure = r->body.log != NULL
	    ? xasprintf("%s.%016" PRIx64, log, fs_noise())
	    : xstrdup("/dev/null");
	strlist_push(&files, log);
	strlist_push(&files, r->program);
	job_container_options(r->job, &files, &options);
	strlist_free(&files);
	job_rank_wrap(
	    r->job->dist, &options, log, *failure, r->program, command);
	strlist_free(&options);
}

/*
 * Run the training to its end while another process samples its use of
 * resources.
 */
static int
attend(struct job_run *r, const struct job_supervise *how,
    struct job_supervised *end, struct error *e)
{
	struct job_measure usage = job_measure_start(r);
	int rc = job_supervise(how, end, e);

	r->body.time = time(NULL);
	/*
	 * Measure before the sampling process ends, because its use would count
	 * too.
	 */
	/* Else only srun's use would be measured. */
	if (!job_container_is_beside(r->job))
		measure(&r->body);
	free(r->body.usage);
	r->body.usage = job_measure_end(&usage, r, end->asked != 0);
	return rc;
}

/*
 * Return whether the image of the container exists, and report a changed image.
 */
static int
has_image(const struct job_run *r, struct error *e)
{
	char *note;
	int rc = job_container_stands(r->job, &note, e);

	if (note != NULL)
		r->say("%s", note);
	free(note);
	return rc;
}

/*
 * Tell a packed task how many tasks share its allocation, and divide the CPUs.
 */
static void
share(const struct job_run *r, struct strlist *environment)
{
	int64_t packed = (int64_t)r->packed, n = 0;
	const char *cpus = getenv("SLURM_CPUS_PER_TASK");

	if (r->job->pack <= 1)
		return;
	strlist_take(environment, xasprintf("STFM_PACK=%" PRId64, packed));
	if (cpus == NULL)
		cpus = getenv("SLURM_CPUS_ON_NODE");
	if (cpus != NULL)
		num_int("cpus", cpus, 1, INT32_MAX, &n, NULL);
	if (n > 0 && getenv("OMP_NUM_THREADS") == NULL)
		strlist_take(environment,
		    xasprintf("OMP_NUM_THREADS=%" PRId64,
			n > packed ? n / packed : 1));
}

/* Tell the reader of the log why a rule has stopped the training. */
static void
say_why_stopped(const struct job_run *r)
{
	char *why = job_run_stop_reason(r);

	if (why != NULL)
		r->say("%s", why);
	free(why);
}

/* Set *next to the task from which the run is to continue, if there is one. */
static void
find_next(
    struct watch *w, const struct job_supervised *end, struct run_exploit *next)
{
	const struct run_exploit *found =
	    w->prune != NULL ? run_prune_exploit(w->prune) : NULL;

	*next = (struct run_exploit){0, NULL};
	if (found == NULL || end->asked != 0)
		return;
	*next = (struct run_exploit){found->parent, xstrdup(found->reason)};
	w->stopped = 0;
}

/*
 * Run the training to its end and record the result in r.  *next says from
 * which task it is to continue; its reason, to free, is NULL if it is not.
 */
static void
train(struct job_run *r, struct job_supervised *end, struct run_exploit *next)
{
	struct strlist command = {0}, environment = {0};
	struct watch watch = {.run = r};
	char *place = store_job_place(r->job), *failure = NULL;
	struct job_supervise how;
	struct error e;

	memset(end, 0, sizeof *end);
	job_argv_words(&r->task, &command);
	job_workdir_words(r->job, &command);
	job_container_wrap(r->job, job_container_gpus(), &command);
	if (r->job->dist != NULL)
		wrap(r, &failure, &command);
	else
		job_container_step(r->job, &command);
	job_argv_environment(&r->task, environ, &environment);
	job_workdir_environment(r->job, &environment);
	share(r, &environment);
	how = care(r, &watch, &command, &environment);
	r->body.start = r->body.time;
	if (job_run_is_safe(r, &e) == -1) {
		r->body.cause = xstrdup(cause_words(CAUSE_UNSAFE));
		give_up(r, xstrdup(e.text), CLI_LATER);
	} else if (job_run_is_sound(r, &e) == -1)
		give_up(r, xstrdup(e.text), CLI_LATER);
	else if (has_image(r, &e) == -1)
		miss_image(r, &e);
	else if (chdir(place) == -1)
		miss_directory(r, place, errno);
	else if (attend(r, &how, end, &e) == -1)
		give_up(r, xstrdup(e.text), job_train_code(&e));
	else {
		if (failure != NULL && r->body.log != NULL)
			job_rank_failure(failure, end);
		r->body.exit = end->exit;
	}
	if (end->asked != 0 || watch.stopped)
		say_why_stopped(r);
	if (watch.prune != NULL) {
		run_prune_end(watch.prune,
		    r->body.exit == 0 && end->asked == 0 && end->heard == 0);
		free(r->body.value);
		r->body.value = run_prune_value(watch.prune);
	}
	find_next(&watch, end, next);
	run_prune_free(watch.prune);
	r->unwanted = watch.stopped;
	if (watch.stopped && end->asked == 0)
		end->asked = SIGTERM;
	r->body.signal = end->signal;
	r->body.asked = end->asked;
	r->body.heard = end->heard;
	strlist_free(&command);
	strlist_free(&environment);
	free(failure);
	free(place);
}

/* ---- checkpoints ---- */

/*
 * Set whether the task continues from a checkpoint: a later run does if there
 * is one.  If a checkpoint cannot be looked for, refuse to train: a new
 * training might overwrite it.
 */
static int
find_checkpoint(struct job_run *r, struct error *e)
{
	int there = 0;
	struct error why;

	if (r->fact.restart > 0 || r->chunk.resume)
		there = job_checkpoint_is_there(
		    r->job, r->fact.task, r->task.origin, &why);
	if (there == -1)
		return error_set(e,
		    "not trained, for it is not known whether there is a "
		    "checkpoint to go on from: %s",
		    why.text);
	r->task.resume = there;
	return 0;
}

/* Return whether the training has written the file "done": it is complete. */
static int
is_done(const struct job_run *r)
{
	char *path = job_argv_checkpoint(&r->task), *mark;
	int done;

	mark = fs_join(path, "done");
	done = fs_exists(mark);
	free(mark);
	free(path);
	return done;
}

/* ---- the end ---- */

static enum job_requeue_answer
decide(struct job_run *r, const struct job_supervised *end,
    const struct metrics_summary *before)
{
	struct job_requeue run = {.policy = &r->job->policy,
	    .preempted = end->asked == 0 && job_preempt_is_on(r),
	    .noticed = end->noticed,
	    .exit = r->body.exit};
	struct metrics_summary after = {0};
	enum job_requeue_answer answer;
	struct error e;
	int logged;

	if (!run.preempted && (!end->noticed || r->job->policy.requeue == 0))
		return JOB_REQUEUE_NO;
	run.unwanted = end->asked != 0 || job_supervise_asked() != 0 ||
	    job_run_is_unwanted(r, NULL) == 1;
	if (job_history_carry(&r->task, 0, &after, &e) == -1)
		r->warn("%s", e.text);
	logged = read_log(r, &after);
	run.complete =
	    is_done(r) || job_training_log_is_complete(&r->task, &after);
	if (run.complete)
		r->body.heard = 0; /* a complete training ignores the signal */
	run.progress = -1;
	if (logged == 1)
		run.progress = job_training_log_went_on(before, &after);
	else if (logged == 0 && r->job->metrics != NULL)
		run.progress = 0; /* the log should exist, but does not */
	run.earlier = job_run_earlier(r);
	answer = job_requeue(&run);
	/*
	 * Ask Slurm only if its answer matters, because time is short.  Slurm
	 * sends the signal up to a minute early; an unknown time left does not
	 * count as early.
	 */
	if (answer == JOB_REQUEUE_STUCK || answer == JOB_REQUEUE_ENOUGH) {
		run.early = queue_task_left(r->array, r->index) >
		    r->job->policy.signal_before + EARLY;
		answer = job_requeue(&run);
	}
	return answer;
}

/* Record the end with its usage, then remove the usage file. */
static int
ends(struct job_run *r, const char *kind, int64_t patience, struct error *e)
{
	if (job_run_ends(r, kind, patience, e) == -1)
		return -1;
	if (r->body.usage != NULL)
		store_usage_remove(r->job, &r->fact, NULL);
	return 0;
}

/*
 * Requeue the task.  The requeue is recorded first, because Slurm (and
 * scontrol) ends us as soon as we ask.  Returns 0, also if Slurm is ending us
 * for another reason, or -1 if Slurm refused or the record failed: then the end
 * fact says so.
 */
static int
put_back(struct job_run *r, struct error *e)
{
	int tries;

	if (ends(r, "Q", r->job->policy.signal_before, e) == -1) {
		/* No other record says that the training is not complete. */
		r->body.cause = xstrdup(cause_words(CAUSE_NOT_REQUEUED));
		if (r->body.exit == 0)
			r->body.exit = CLI_LATER;
		r->warn("%s", e->text);
		return -1;
	}
	/* Slurm would requeue the other packed tasks too. */
	if (r->job->pack > 1) {
		r->say("stfm-watch queues it again");
		return 0;
	}
	for (tries = 0; tries < TRIES; tries++) {
		if (queue_task_requeue(r->array, r->index, r->chunk.token, e) ==
			0 ||
		    e->code == ERROR_ENDING || job_supervise_asked() != 0)
			return 0;
		if (!error_may_pass(e))
			break;
	}
	r->body.reason =
	    xasprintf("Slurm did not put it back into the queue: %s", e->text);
	r->warn("%s", r->body.reason);
	return -1;
}

/* Wait until Slurm ends the task, and record why the run ended. */
static void
await(struct job_run *r)
{
	r->say("preempted: waiting until Slurm ends the task");
	r->body.asked = job_preempt_wait(r);
	if (r->body.asked != 0)
		return;
	r->body.cause = xstrdup("PREEMPTED");
	if (r->body.exit == 0)
		r->body.exit = CLI_LATER;
}

/* Record why the task is not requeued. */
static void
refuse(struct job_run *r, enum job_requeue_answer answer)
{
	int64_t n = r->job->policy.requeue;

	if (answer != JOB_REQUEUE_ENOUGH)
		r->body.cause = xstrdup(cause_words(CAUSE_NO_PROGRESS));
	else if (n == 1)
		r->body.cause = xstrdup(cause_words(CAUSE_REQUEUED_ONCE));
	else
		r->body.cause = xasprintf(
		    "%s%" PRId64 " times", cause_words(CAUSE_REQUEUED), n);
	if (r->body.exit == 0)
		r->body.exit = CLI_LATER;
	r->say("not requeued: %s", r->body.cause);
}

/* Stop the other tasks of the job if too many tasks failed. */
static void
count_failures(const struct job_run *r)
{
	struct error e;

	switch (job_max_fail_check(r->job, &e)) {
	case -1:
		r->warn("%s", e.text);
		break;
	case 1:
		r->say("max-fail %" PRId64 ": the rest of %s is stopped",
		    r->job->policy.max_fail, r->job->name);
	}
}

/* Release the other tasks if the canary ended well or after an epoch. */
static void
release_others(const struct job_run *r)
{
	struct metrics_summary log = {0};
	struct error e;

	read_log(r, &log);
	if ((r->body.exit == 0 && r->body.asked == 0) ||
	    job_training_log_has_epoch(&log))
		if (job_canary_pass(r->job, &e) == -1)
			r->warn("%s", e.text);
}

/* Requeue the task or record its end.  Returns the exit status. */
static int
conclude(struct job_run *r, const struct job_supervised *end,
    const struct metrics_summary *before)
{
	enum job_requeue_answer answer = decide(r, end, before);
	char kind[STORE_KIND];
	struct error e;

	if (answer == JOB_REQUEUE_YES && put_back(r, &e) == 0)
		return CLI_LATER;
	if (answer == JOB_REQUEUE_WAIT)
		await(r);
	else if (answer == JOB_REQUEUE_ENOUGH || answer == JOB_REQUEUE_STUCK)
		refuse(r, answer);
	snprintf(kind, sizeof kind, "E%" PRId64, r->body.exit);
	if (ends(r, kind, 0, &e) == -1) {
		r->warn("%s", e.text);
		if (answer == JOB_REQUEUE_YES)
			/* Only the exit code reports it. */
			r->body.exit = CLI_LATER;
	} else if (r->body.exit != 0 && r->body.asked == 0) {
		count_failures(r);
	}
	if (is_canary(r))
		release_others(r);
	if (r->unwanted && r->body.exit == 0)
		return CLI_LATER;
	return (int)r->body.exit;
}

/* ---- the program ---- */

/*
 * Find out where the training continues, and read its progress so far.  From
 * scratch, move the log of an earlier run, and logs that other programs left,
 * to another name.  This is done before the start is recorded, so never twice.
 * Returns 1, 0 if the last run is this run, so that nothing can be done yet, or
 * -1.
 */
static int
make_way(struct job_run *r, const struct store_fact *launch,
    struct metrics_summary *before, struct error *e)
{
	struct store_fact last;
	struct strlist notes = {0};
	size_t i;
	int taken = job_training_log_is_taken(&r->task), found = 0;

	if (taken || r->fact.attempt > 0 || r->fact.restart > 0)
		found = run_start_last(r->job, launch, &last, e);
	if (found == -1)
		return -1;
	if (found == 1 &&
	    store_run_compare(STORE_RUN(&last), STORE_RUN(&r->fact)) == 0)
		return 0;
	if (find_checkpoint(r, e) == -1)
		return -1;
	/* Logs from before the task's first run belong to other programs. */
	if (taken)
		job_training_log_set_aside(
		    &r->task, found == 0 && !r->task.resume, &notes);
	for (i = 0; i < notes.count; i++)
		r->say("%s", notes.word[i]);
	strlist_free(&notes);
	if (r->job->policy.requeue > 0)
		read_log(r, before);
	if (found == 1 && !r->task.resume)
		job_training_log_keep(&r->task, last.attempt, last.restart);
	return 1;
}

/* Record that a run that has started cannot train.  Returns -1. */
static int
end_untrained(struct job_run *r, const struct error *e)
{
	struct error why;

	r->body.start = r->body.time;
	r->body.reason = xstrdup(e->text);
	r->body.exit = CLI_LATER;
	if (job_run_ends(r, "E75", 0, &why) == -1)
		r->warn("%s", why.text);
	return -1;
}

/*
 * Record the GPU model, the driver and the packages.  A container is not
 * examined.
 */
static void
describe_software(struct job_run *r)
{
	struct strlist command = {0};
	char *place = store_job_place(r->job);

	job_argv_words(&r->task, &command);
	job_workdir_words(r->job, &command);
	if (r->job->container == NULL)
		r->body.packages = job_software_packages(&command, place);
	if (r->body.gpus != NULL)
		job_software_gpus("/proc/driver/nvidia", &r->body.gpu_models,
		    &r->body.driver);
	strlist_free(&command);
	free(place);
}

/* Record the start with all its data.  Returns as job_run_starts does. */
static int
begin(struct job_run *r, struct metrics_summary *before, struct error *e)
{
	struct store_fact launch = r->fact;
	int go, ready, rc;

	job_run_describe(r);
	ready = make_way(r, &launch, before, e);
	if (ready == -1)
		return -1;
	describe_software(r);
	go = job_run_starts(r, e);
	/* The start fact has the software; the end fact does not repeat it. */
	free(r->body.packages);
	free(r->body.gpu_models);
	free(r->body.driver);
	r->body.packages = r->body.gpu_models = r->body.driver = NULL;
	if (go == 1 && r->fact.restart > launch.restart) {
		if (!ready || (launch.attempt == 0 && launch.restart == 0))
			rc = make_way(r, &launch, before, e);
		else
			rc = find_checkpoint(r, e);
		if (rc == -1)
			return end_untrained(r, e);
	}
	return go;
}

/*
 * Record the end of a packed task that was stopped before it started.  Slurm
 * does not report it, because the other packed tasks keep the Slurm task
 * running.
 */
static void
end_at_once(struct job_run *r)
{
	struct metrics_summary before = {0};
	struct error e;

	if (begin(r, &before, &e) != 1) {
		r->warn("%s", e.text);
		return;
	}
	r->body.start = r->body.time;
	r->body.asked = SIGTERM;
	r->body.exit = 128 + SIGTERM;
	if (job_run_ends(r, "E143", 0, &e) == -1)
		r->warn("%s", e.text);
}

/*
 * Let the training continue from the checkpoint of another task, as a new run.
 * Returns 1, or -1 if it cannot; then the run has ended.
 */
static int
go_on(struct job_run *r, const struct run_exploit *exploit,
    struct metrics_summary *before, struct error *e)
{
	r->say("%s", exploit->reason);
	if (run_pbt_next(r, exploit, e) == -1 || run_pbt_adopt(r, e) == -1)
		return end_untrained(r, e);
	return begin(r, before, e) == 1 ? 1 : -1;
}

int
job_train(struct job_run *r)
{
	struct metrics_summary before = {0};
	struct run_exploit next = {0, NULL};
	struct job_supervised end;
	struct error e;
	char *checkpoint;
	int go = job_run_may_train(r, &e), done = 0;

	if (go == 0) {
		r->say("%s", e.text);
		if (r->packed > 1 && r->unwanted)
			end_at_once(r);
		/* Other jobs wait in Slurm for success (afterok). */
		return CLI_LATER;
	}
	job_run_close(r);
	if (go == 1)
		done = run_start_is_done(r->job, &r->fact, &e);
	if (done == 1) {
		r->say("%s/%" PRIu64 " finished in an earlier run of "
		       "this attempt, which Slurm has forgotten: stfm-restart "
		       "trains it again",
		    r->job->name, r->fact.task);
		return 0;
	}
	if (go == -1 || done == -1 || run_point_choose(r, &e) == -1 ||
	    run_pbt_adopt(r, &e) == -1 || job_run_places(r, &e) == -1 ||
	    (go = begin(r, &before, &e)) == -1) {
		r->warn("%s", e.text);
		return CLI_LATER;
	}
	if (go == 0) {
		r->say("%s", e.text);
		return (int)r->body.exit;
	}
	train(r, &end, &next);
	while (next.reason != NULL) {
		go = go_on(r, &next, &before, &e);
		free(next.reason);
		if (go == -1) {
			r->warn("%s", e.text);
			return CLI_LATER;
		}
		train(r, &end, &next);
	}
	/*
	 * The checkpoint directory was made in advance; remove it if it is
	 * empty.
	 */
	checkpoint = job_argv_checkpoint(&r->task);
	rmdir(checkpoint);
	free(checkpoint);
	return conclude(r, &end, &before);
}
