#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "term/live.h"
#include "term/progress.h"

static pid_t child = -1;
static struct timespec began;

/* Rewrite the line every second.  Its 64 bytes fit any terminal. */
static _Noreturn void
write_line(const char *what, pid_t parent)
{
	const struct timespec second = {.tv_sec = 1};
	char line[64];
	int seconds;

	/* The command's signal handlers must not run in this process. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (seconds = 1; getppid() == parent; seconds++) {
		nanosleep(&second, NULL);
		snprintf(line, sizeof line, "\r%.28s ... %d s ", what, seconds);
		live_put(STDERR_FILENO, line);
	}
	_exit(0);
}

void
progress_begin(const char *what)
{
	pid_t parent = getpid();

	progress_end();
	if (!isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &began);
	child = fork();
	if (child == 0)
		write_line(what, parent);
}

void
progress_end(void)
{
	struct timespec now;

	if (child == -1)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = -1;
	/*
	 * The first line is written at least a second after this clock was
	 * read.
	 */
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - began.tv_sec > 1 ||
	    (now.tv_sec - began.tv_sec == 1 && now.tv_nsec >= began.tv_nsec))
		live_put(STDERR_FILENO, "\r\033[K");
}
