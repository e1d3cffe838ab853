#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sys/fs-private.h"
#include "sys/proc-private.h"

extern char **environ;

/* The status of a process that another caller waited for: an exit with 255. */
enum { UNKNOWN_END = 255 << 8 };

/* Milliseconds to wait for a killed process; later, it hangs in the kernel. */
enum { LAST_WORDS = 1000 };

/* Nanoseconds between two checks for the end, which comes soon. */
enum { SHORTEST_NAP = 30000, LONGEST_NAP = 1000000 };

/* Notice a signal of proc_interrupt_on within this many milliseconds. */
enum { ATTENTION = 100 };

static sigset_t interrupting;
static int interrupts;

struct stream {
	int fd; /* -1 after the end of file */
	char *text;
	size_t length;
};

void
proc_result_free(struct proc_result *result)
{
	free(result->out);
	free(result->complaint);
	memset(result, 0, sizeof *result);
}

int64_t
proc_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void
proc_interrupt_on(const sigset_t *set)
{
	interrupting = *set;
	interrupts = 1;
}

sigset_t
proc_interrupt_off(void)
{
	sigset_t before = interrupting;

	if (!interrupts)
		sigemptyset(&before);
	sigemptyset(&interrupting);
	return before;
}

/* Return the first pending signal of a set, or 0. */
static int
first_pending(const sigset_t *set)
{
	sigset_t pending;
	int i;

	if (sigpending(&pending) == -1)
		return 0;
	for (i = 1; i < NSIG; i++)
		if (sigismember(set, i) == 1 && sigismember(&pending, i) == 1)
			return i;
	return 0;
}

int
proc_interrupted(void)
{
	return interrupts ? first_pending(&interrupting) : 0;
}

static sigset_t
ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

/* The signal mask before proc_block, and whether proc_block is in effect. */
static sigset_t mask_before;
static int blocks;

/* The function of proc_on_blocked, until it has been called. */
static void (*on_blocked)(void);

void
proc_on_blocked(void call(void))
{
	on_blocked = call;
}

void
proc_block(void)
{
	sigset_t set = ending_signals();

	if (!blocks)
		sigprocmask(SIG_BLOCK, &set, &mask_before);
	blocks = 1;
}

void
proc_unblock(void)
{
	if (blocks)
		sigprocmask(SIG_SETMASK, &mask_before, NULL);
	blocks = 0;
}

int
proc_blocked(void)
{
	sigset_t set = ending_signals();

	return first_pending(&set);
}

/* Read the available bytes; close the stream at the end of file. */
static void
stream_read(struct stream *s)
{
	ssize_t n;

	s->text = xrealloc(s->text, s->length + 65536 + 1);
	n = read(s->fd, s->text + s->length, 65536);
	if (n > 0) {
		s->length += (size_t)n;
	} else if (n == 0 || errno != EINTR) {
		close(s->fd);
		s->fd = -1;
	}
	s->text[s->length] = '\0';
}

/*
 * Read both streams until they end.  Returns 0, or -1 if the deadline or a
 * signal came first, or if the second stream contains the text enough.
 */
static int
collect(struct stream s[2], int64_t deadline, const char *enough)
{
	struct pollfd p[2] = {{.events = POLLIN}, {.events = POLLIN}};
	void (*call)(void);
	int64_t left, most;
	int i;

	while (s[0].fd != -1 || s[1].fd != -1) {
		if (enough != NULL && on_blocked != NULL && blocks &&
		    proc_blocked() != 0) {
			call = on_blocked;
			on_blocked = NULL;
			call();
		}
		left = deadline - proc_clock();
		if (left <= 0 || proc_interrupted() != 0 ||
		    (enough != NULL && s[1].text != NULL &&
			strstr(s[1].text, enough) != NULL))
			return -1;
		for (i = 0; i < 2; i++)
			p[i].fd = s[i].fd;
		most = interrupts || on_blocked != NULL ? ATTENTION : 60000;
		if (poll(p, 2, (int)(left > most ? most : left)) == -1)
			continue;
		for (i = 0; i < 2; i++)
			if (p[i].fd != -1 && p[i].revents != 0)
				stream_read(&s[i]);
	}
	return 0;
}

/* Wait until a process ends.  Returns 0, or -1 if the deadline came first. */
static int
wait_until(pid_t pid, int64_t deadline, int *status)
{
	struct timespec nap = {0, SHORTEST_NAP};
	pid_t got;

	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got == pid)
			return 0;
		if (got == -1 && errno != EINTR) {
			*status = UNKNOWN_END;
			return 0;
		}
		if (proc_clock() >= deadline)
			return -1;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < LONGEST_NAP)
			nap.tv_nsec *= 2;
	}
}

/* victim is the process, or its group as a negative number. */
static void
finish(pid_t pid, pid_t victim, int out, int err, int64_t milliseconds,
    const char *enough, struct proc_result *result)
{
	struct stream s[2] = {{.fd = out}, {.fd = err}};
	int64_t deadline = proc_clock() + milliseconds;
	int i;

	memset(result, 0, sizeof *result);
	result->timed_out = collect(s, deadline, enough) == -1 ||
	    wait_until(pid, deadline, &result->status) == -1;
	if (result->timed_out) {
		kill(victim, SIGKILL);
		result->status = SIGKILL;
		wait_until(pid, proc_clock() + LAST_WORDS, &result->status);
	}
	for (i = 0; i < 2; i++)
		if (s[i].fd != -1)
			close(s[i].fd);
	result->out = s[0].text ? s[0].text : xstrdup("");
	result->length = s[0].length;
	result->complaint = s[1].text ? s[1].text : xstrdup("");
}

void
proc_keep_ends(void)
{
	struct sigaction action;

	if (sigaction(SIGCHLD, NULL, &action) == 0 &&
	    action.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

static int
make_pipes(int out[2], int err[2], struct error *e)
{
	proc_keep_ends();
	if (pipe2(out, O_CLOEXEC) == -1)
		return error_errno(e, "pipe");
	if (pipe2(err, O_CLOEXEC) == -1) {
		close(out[0]);
		close(out[1]);
		return error_errno(e, "pipe");
	}
	return 0;
}

int
proc_spawn(pid_t *pid, char *const argv[], char *const env[], int in, int out,
    int err, int apart)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int rc;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes,
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
		(apart ? POSIX_SPAWN_SETPGROUP : 0));
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGCHLD);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawn_file_actions_init(&actions);
	if (in == -1)
		posix_spawn_file_actions_addopen(
		    &actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	rc = posix_spawnp(
	    pid, argv[0], &actions, &attributes, argv, env ? env : environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return rc;
}

/* As proc_run_until, with standard input from a descriptor, or -1. */
static int
run(char *const argv[], char *const env[], int in, int64_t milliseconds,
    const char *enough, struct proc_result *result, struct error *e)
{
	int out[2], err[2], rc, apart = enough != NULL || in != -1;
	pid_t pid;

	if (make_pipes(out, err, e) == -1)
		return -1;
	rc = proc_spawn(&pid, argv, env, in, out[1], err[1], apart);
	close(out[1]);
	close(err[1]);
	if (rc != 0) {
		close(out[0]);
		close(err[0]);
		errno = rc;
		return error_errno(e, "%s: cannot start", argv[0]);
	}
	finish(pid, in != -1 ? -pid : pid, out[0], err[0], milliseconds, enough,
	    result);
	return 0;
}

int
proc_run_until(char *const argv[], char *const env[], int64_t milliseconds,
    const char *enough, struct proc_result *result, struct error *e)
{
	return run(argv, env, -1, milliseconds, enough, result, e);
}

int
proc_ask(char *const argv[], char *const env[], const char *text, size_t length,
    int64_t milliseconds, struct proc_result *result, struct error *e)
{
	int in = memfd_create("input", MFD_CLOEXEC), rc = -1;

	if (in == -1 || fs_write_all(in, text, length) == -1 ||
	    lseek(in, 0, SEEK_SET) == -1)
		error_errno(e, "%s: its input", argv[0]);
	else
		rc = run(argv, env, in, milliseconds, NULL, result, e);
	if (in != -1)
		close(in);
	return rc;
}

void
proc_end_with(pid_t parent, int sig)
{
	prctl(PR_SET_PDEATHSIG, sig);
	if (getppid() != parent)
		raise(sig);
}

/*
 * In the child: call work.  First close the pipes' read ends and replace
 * standard output: with the read ends open, a full pipe would block the child
 * for ever; with standard output open, its reader would wait for the child.
 */
static void
guarded(int (*work)(FILE *, void *), void *arg, const int out[2],
    const int err[2], pid_t parent)
{
	FILE *f;
	int rc;

	proc_end_with(parent, SIGKILL);
	close(out[0]);
	close(err[0]);
	dup2(err[1], STDOUT_FILENO);
	dup2(err[1], STDERR_FILENO);
	f = fdopen(out[1], "w");
	if (f == NULL)
		_exit(125);
	rc = work(f, arg);
	if (fflush(f) == EOF)
		_exit(125);
	_exit(rc & 0xff);
}

int
proc_guard(int (*work)(FILE *out, void *arg), void *arg, int64_t milliseconds,
    struct proc_result *result, struct error *e)
{
	int out[2], err[2];
	pid_t parent = getpid(), pid;

	if (make_pipes(out, err, e) == -1)
		return -1;
	/* Otherwise a library that calls exit() in the child flushes, too. */
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		guarded(work, arg, out, err, parent);
	close(out[1]);
	close(err[1]);
	if (pid == -1) {
		close(out[0]);
		close(err[0]);
		return error_errno(e, "fork");
	}
	finish(pid, pid, out[0], err[0], milliseconds, NULL, result);
	return 0;
}

char *
proc_find(const char *name, const char *directories)
{
	const char *end;
	struct stat st;
	char *path;

	for (;; directories = end + 1) {
		end = strchrnul(directories, ':');
		path = xasprintf(
		    "%.*s/%s", (int)(end - directories), directories, name);
		if (end > directories && stat(path, &st) == 0 &&
		    S_ISREG(st.st_mode) && access(path, X_OK) == 0)
			return path;
		free(path);
		if (*end == '\0')
			return NULL;
	}
}
