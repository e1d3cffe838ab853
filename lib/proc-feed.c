/* Programs that are given a text, and otherwise share what we have. */
#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <time.h>
#include <unistd.h>

#include "proc.h"

/* How often to look whether it has ended, in nanoseconds. */
enum { SHORTEST = 100000, LONGEST = 20000000 };

/*
 * What is left to a program when we are asked to end; what a killed one may
 * take to go.
 */
enum { LAST_CHANCE = 5000, LAST_WORDS = 1000 };

/* A file without a name that has the text, at its beginning; or -1. */
static int
text_file(const char *text, size_t length, struct error *e)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC);
	ssize_t n = 0;

	if (fd == -1)
		return error_errno(e, "memfd_create");
	for (; length > 0 && n >= 0; text += n, length -= (size_t)n)
		n = write(fd, text, length);
	if (n >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	error_errno(e, "cannot keep what the program is to read");
	close(fd);
	return -1;
}

/* In a process group of its own, so that all of it can be ended. */
static int
spawn(pid_t *pid, char *const argv[], char *const env[], int in)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int rc;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes,
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
		POSIX_SPAWN_SETPGROUP);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGCHLD);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	rc = posix_spawnp(pid, argv[0], &actions, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return rc;
}

/* Wait for the end: 0, or -1 when the time is up. */
static int
wait_for(pid_t pid, int64_t deadline, int *status)
{
	struct timespec nap = {0, SHORTEST};
	int64_t now;
	int asked = 0;
	pid_t got;

	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got == pid)
			return 0;
		if (got == -1 && errno != EINTR)
			return -1;
		now = proc_clock();
		if (!asked && proc_heeded() != 0) {
			asked = 1;
			if (deadline > now + LAST_CHANCE)
				deadline = now + LAST_CHANCE;
		}
		if (now >= deadline)
			return -1;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < LONGEST)
			nap.tv_nsec *= 2;
	}
}

int
proc_feed(char *const argv[], char *const env[], const char *text,
    size_t length, int64_t milliseconds, int *status, struct error *e)
{
	int in = text_file(text, length, e), rc;
	pid_t pid;

	if (in == -1)
		return -1;
	proc_keep_ends();
	rc = spawn(&pid, argv, env, in);
	close(in);
	if (rc != 0) {
		errno = rc;
		return error_errno(e, "%s: cannot start", argv[0]);
	}
	if (wait_for(pid, proc_clock() + milliseconds, status) == 0)
		return 0;
	kill(-pid, SIGKILL);
	wait_for(pid, proc_clock() + LAST_WORDS, status);
	return 1;
}
