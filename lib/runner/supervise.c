#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "runner/proc-signal.h"
#include "runner/supervise.h"
#include "sys/proc.h"

static const int forwarded[] = {
    SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

/* Parts of the grace time that are left at SIGTERM, and at SIGKILL. */
enum { ASK = 4, FORCE = 8 };

/* Milliseconds from SIGTERM to SIGKILL after a tick ended the training. */
enum { LAST_MS = 10000 };

/* A running training; times are by proc_clock. */
struct training {
	const struct job_supervise *of;
	struct job_supervised *out;
	pid_t pid;
	int64_t tick, ask, force; /* when each is due, or -1 */
};

static void
signal_set(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (i = 0; i < FORWARDED; i++)
		sigaddset(set, forwarded[i]);
}

/* Start a program with signal mask before and default signal actions. */
static int
start(char *const command[], char *const environment[], const sigset_t *before,
    pid_t *pid)
{
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int rc;

	signal_set(&defaults);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, before);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(
	    &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(
	    pid, command[0], NULL, &attributes, command, environment);
	posix_spawnattr_destroy(&attributes);
	return rc;
}

static int
code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static int
is_request_to_end(int signal)
{
	return signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
	    signal == SIGQUIT;
}

static void
take_signal(struct training *t, int signal)
{
	int64_t now = proc_clock(), grace = t->of->grace;

	if (t->out->heard == 0 && signal != SIGCONT &&
	    !is_request_to_end(signal))
		t->out->heard = signal;
	if (signal == t->of->notice) {
		if (!t->out->noticed && grace > 0) {
			t->ask = now + grace - grace / ASK;
			t->force = now + grace - grace / FORCE;
		}
		t->out->noticed = 1;
		proc_signal_tree(t->pid, t->of->notice_as);
		return;
	}
	if (t->out->asked == 0 && is_request_to_end(signal))
		t->out->asked = signal;
	if (!t->of->direct)
		kill(t->pid, signal);
}

static void
do_what_is_due(struct training *t)
{
	int64_t now = proc_clock();
	int rc;

	if (t->ask != -1 && now >= t->ask) {
		t->ask = -1;
		kill(t->pid, SIGTERM);
	}
	if (t->force != -1 && now >= t->force) {
		t->force = -1;
		kill(t->pid, SIGKILL);
	}
	if (t->tick != -1 && now >= t->tick) {
		rc = t->of->tick(t->of->arg);
		now = proc_clock();
		t->tick = rc > 0 ? now + t->of->every : -1;
		if (rc < 0) {
			t->ask = now;
			t->force = now + LAST_MS;
		}
	}
}

/* Wait until the training has ended.  Returns its status as waitpid(2). */
static int
stay(struct training *t, const sigset_t *set)
{
	const int64_t *when[] = {&t->tick, &t->ask, &t->force};
	int64_t wait, now, left;
	struct timespec nap;
	int status, got;
	size_t i;

	while (waitpid(t->pid, &status, WNOHANG) != t->pid) {
		wait = 60000; /* until something is due */
		now = proc_clock();
		for (i = 0; i < sizeof when / sizeof *when; i++) {
			left = *when[i] > now ? *when[i] - now : 0;
			if (*when[i] != -1 && left < wait)
				wait = left;
		}
		nap.tv_sec = wait / 1000;
		nap.tv_nsec = wait % 1000 * 1000000;
		got = sigtimedwait(set, NULL, &nap);
		if (got > 0 && got != SIGCHLD)
			take_signal(t, got);
		do_what_is_due(t);
	}
	return status;
}

int
job_supervise(
    const struct job_supervise *of, struct job_supervised *out, struct error *e)
{
	struct training t = {of, out, 0, -1, -1, -1};
	sigset_t set, before;
	int status, rc;

	memset(out, 0, sizeof *out);
	signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	rc = start(of->command, of->environment, &before, &t.pid);
	if (rc != 0) {
		errno = rc;
		return error_errno(e, "%s: cannot start", of->command[0]);
	}
	if (of->tick != NULL)
		t.tick = proc_clock() + of->every;
	status = stay(&t, &set);
	/* Slurm signals all at once; the training may have ended first. */
	if (out->asked == 0)
		out->asked = job_supervise_asked();
	if (WIFSIGNALED(status))
		out->signal = WTERMSIG(status);
	out->exit = code_of(status);
	return 0;
}

/* ---- several programs ---- */

/* Collect programs that have ended, 0 in pid.  Returns whether any is left. */
static int
reap(pid_t *pid, size_t count, int *code)
{
	int status, alive = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (pid[i] == 0)
			continue;
		if (waitpid(pid[i], &status, WNOHANG) != pid[i]) {
			alive = 1;
			continue;
		}
		pid[i] = 0;
		if (*code == 0)
			*code = code_of(status);
	}
	return alive;
}

int
job_supervise_all(
    char *const *const commands[], size_t count, char *const environment[])
{
	const struct timespec patience = {60, 0};
	pid_t *pid = xcalloc(count + 1, sizeof *pid);
	sigset_t set, before;
	int code = 0, got;
	size_t i;

	signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	for (i = 0; i < count; i++)
		if (start(commands[i], environment, &before, &pid[i]) != 0) {
			pid[i] = 0;
			code = 127;
		}
	while (reap(pid, count, &code)) {
		got = sigtimedwait(&set, NULL, &patience);
		for (i = 0; got > 0 && got != SIGCHLD && i < count; i++)
			if (pid[i] != 0)
				kill(pid[i], got);
	}
	free(pid);
	return code;
}

int
job_supervise_asked(void)
{
	sigset_t pending;
	size_t i;

	if (sigpending(&pending) == -1)
		return 0;
	for (i = 0; i < FORWARDED; i++)
		if (is_request_to_end(forwarded[i]) &&
		    sigismember(&pending, forwarded[i]) == 1)
			return forwarded[i];
	return 0;
}

int
job_supervise_wait(int seconds)
{
	int64_t until = proc_clock() + (int64_t)seconds * 1000, left;
	struct timespec patience;
	sigset_t set;
	size_t i;
	int got;

	sigemptyset(&set);
	for (i = 0; i < FORWARDED; i++)
		if (is_request_to_end(forwarded[i]))
			sigaddset(&set, forwarded[i]);
	while ((left = until - proc_clock()) > 0) {
		patience.tv_sec = left / 1000;
		patience.tv_nsec = left % 1000 * 1000000;
		got = sigtimedwait(&set, NULL, &patience);
		if (got > 0)
			return got;
		if (errno == EAGAIN)
			break;
	}
	return 0;
}
