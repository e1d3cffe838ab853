#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/container.h"
#include "job/usage.h"
#include "store/facts.h"
#include "store/usage.h"
#include "sys/proc.h"

extern char **environ;

/*
 * How long it may take to end, in milliseconds, also where the task was asked
 * to, and how often that is seen.
 */
enum { PATIENCE = 2000, HURRY = 100, NAP = 2 };

/* How long a record of a run that goes on may be old, in seconds. */
enum { OLDEST = 300, PART = 8 };

/* ---- the process ---- */

int64_t
job_usage_every(const struct store_job *job)
{
	int64_t every = job->policy.usage;

	if (every < 0)
		return 0;
	return every > 0 ? every : JOB_USAGE_EVERY;
}

/* With all signals held back: it looks for those that mean it. */
static int
start(const struct job_run *r, int in, pid_t *pid)
{
	char run[STORE_FACT_NAME], *gpus = xcopy(r->body.gpus), none[] = "";
	char tree[] = "tree", no[] = "no", alone[] = "alone", word[] = "usage";
	char *argv[] = {(char *)(uintptr_t)r->program, word, r->job->path, run,
	    job_container_is_beside(r->job) ? no
		: r->beside > 1             ? alone
					    : tree,
	    gpus != NULL ? gpus : none, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all;
	int rc;

	store_usage_name(&r->fact, run);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	rc = posix_spawn(pid, r->program, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(gpus);
	return rc;
}

struct job_usage
job_usage_start(const struct job_run *r)
{
	struct job_usage u = {0, -1};
	int ends[2];

	if (job_usage_every(r->job) == 0 || pipe2(ends, O_CLOEXEC) == -1)
		return u;
	if (start(r, ends[0], &u.pid) != 0)
		u.pid = 0;
	close(ends[0]);
	if (u.pid != 0)
		u.fd = ends[1];
	else
		close(ends[1]);
	return u;
}

/* Wait for it as long: 1 when it has ended, or 0. */
static int
has_ended(pid_t pid, int64_t patience)
{
	struct timespec nap = {0, NAP * 1000000};
	int64_t until = proc_clock() + patience;

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (proc_clock() >= until)
			return 0;
		nanosleep(&nap, NULL);
	}
	return 1;
}

/*
 * End it, which is not to take long: one that a dead file server holds does not
 * even end by SIGKILL, and is left to who comes after us.
 */
static void
stop(struct job_usage *u, int64_t patience)
{
	close(u->fd);
	kill(u->pid, job_usage_signal());
	if (!has_ended(u->pid, patience)) {
		kill(u->pid, SIGKILL);
		has_ended(u->pid, PATIENCE);
	}
	*u = (struct job_usage){0, -1};
}

/* The record as the fact of an end has it, to free, or NULL. */
static char *
shorten(const char *text, size_t length)
{
	struct usage *u = xcalloc(1, sizeof *u);
	char *out = NULL;

	if (usage_read(u, text, length, NULL) == 0 && u->count > 0) {
		usage_thin(u, USAGE_KEPT);
		out = usage_text(u, &length);
	}
	free(u);
	return out;
}

char *
job_usage_end(struct job_usage *u, const struct job_run *r, int asked)
{
	char *text, *out = NULL;
	size_t length;

	if (u->pid == 0)
		return NULL;
	stop(u, asked ? HURRY : PATIENCE);
	text = store_usage_read(r->job, &r->fact, &length, NULL);
	if (text != NULL)
		out = shorten(text, length);
	free(text);
	return out;
}

/* ---- rows ---- */

static struct store_fact
run_of(const struct store_row *row)
{
	return (struct store_fact){.task = row->task,
	    .attempt = row->attempt,
	    .restart = row->restart};
}

/* The record in the file of a run, to free: 0, or -1 with errno. */
static int
read_file(const struct store_job *job, const struct store_row *row, char **out,
    struct error *e)
{
	struct store_fact run = run_of(row);
	size_t size;
	char *text = store_usage_read(job, &run, &size, e);

	*out = NULL;
	if (text == NULL)
		return -1;
	*out = shorten(text, size);
	free(text);
	return 0;
}

char *
job_usage_file(
    const struct store_job *job, const struct store_row *row, size_t *length)
{
	char *out;

	read_file(job, row, &out, NULL);
	if (out != NULL && length != NULL)
		*length = strlen(out);
	return out;
}

static int
is_end_of(const struct store_fact *f, const struct store_row *row)
{
	return store_run_compare(STORE_RUN(f), STORE_RUN(row)) == 0 &&
	    f->kind[0] != 'S';
}

char *
job_usage_record(
    const struct store_job *job, const struct store_row *row, struct error *e)
{
	struct store_fact_body body;
	struct store_facts facts;
	char *text = NULL;
	size_t i;

	if (store_facts_of(job, row->task, &facts, e) == -1)
		return NULL;
	for (i = 0; i < facts.count && text == NULL; i++) {
		if (!is_end_of(&facts.fact[i], row) ||
		    store_facts_read(
			job, &facts, &facts.fact[i], &body, NULL) == -1)
			continue;
		text = body.usage;
		body.usage = NULL;
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
	if (text != NULL || read_file(job, row, &text, e) == -1)
		return text;
	if (text == NULL)
		errno = ENOENT;
	return text;
}

void
job_usage_take(struct store_row *row, const char *record)
{
	struct usage *u;
	struct usage_sum sum;

	if (record == NULL)
		return;
	u = xcalloc(1, sizeof *u);
	if (usage_read(u, record, strlen(record), NULL) == 0 && u->count > 0) {
		usage_sum(u, &sum);
		free(row->usage);
		row->usage = usage_sum_text(&sum);
	}
	free(u);
}

void
job_usage_sum(const struct store_row *row, struct usage_sum *out)
{
	usage_sum_read(out, row->usage != NULL ? row->usage : "");
}

/* When the file of a run that goes on is written again after this time. */
static double
pause_after(double time, double every)
{
	return fmax(every, fmin(time / PART, OLDEST));
}

void
job_usage_refresh(
    const struct store_job *job, struct store_row *row, int64_t now)
{
	double every = (double)job_usage_every(job);
	struct usage_sum sum;
	char *record;

	job_usage_sum(row, &sum);
	if (every == 0 ||
	    (row->start != -1 &&
		(double)(now - row->start) <
		    sum.time + pause_after(sum.time, every)))
		return;
	record = job_usage_file(job, row, NULL);
	job_usage_take(row, record);
	free(record);
}

/* What may go by: it is worth to try again. */
static int
passes(int number)
{
	return number == EIO || number == ESTALE || number == EINTR ||
	    number == ETIMEDOUT || number == ENOMEM || number == EMFILE ||
	    number == ENFILE;
}

int
job_usage_settle(
    const struct store_job *job, struct store_row *row, struct error *e)
{
	char *record;
	int number;

	row->facts &= ~STORE_USE_DUE;
	if (job_usage_every(job) == 0)
		return 0;
	if (read_file(job, row, &record, e) == -1) {
		number = errno;
		if (passes(number))
			row->facts |= STORE_USE_DUE;
		return number == ENOENT ? 0 : error_prefix(e, "use");
	}
	job_usage_take(row, record);
	free(record);
	return 0;
}

static int64_t
idle(void)
{
	const char *text = getenv("STFM_IDLE");
	int64_t seconds;

	if (text == NULL ||
	    num_int("STFM_IDLE", text, 1, INT32_MAX, &seconds, NULL) == -1)
		return JOB_USAGE_IDLE;
	return seconds;
}

int
job_usage_is_idle(const struct store_row *row)
{
	struct usage_sum sum;

	if (row->state != STORE_RUNNING || row->usage == NULL)
		return 0;
	job_usage_sum(row, &sum);
	return sum.still >= (double)idle();
}
