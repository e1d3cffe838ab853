#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "term/live.h"
#include "term/progress.h"

static pid_t teller = -1;
static struct timespec began;

/* What is told is as narrow as any terminal: none is asked for its width. */
static _Noreturn void
tell(const char *what, pid_t parent)
{
	const struct timespec second = {.tv_sec = 1};
	char line[64];
	int seconds;

	/* What the command does on a signal is not for this one to do. */
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
	teller = fork();
	if (teller == 0)
		tell(what, parent);
}

/* Whether something was told: it begins a second after this clock. */
static int
was_long(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - began.tv_sec > 1 ||
	    (now.tv_sec - began.tv_sec == 1 && now.tv_nsec >= began.tv_nsec);
}

void
progress_end(void)
{
	if (teller == -1)
		return;
	kill(teller, SIGKILL);
	waitpid(teller, NULL, 0);
	teller = -1;
	if (was_long())
		live_put(STDERR_FILENO, "\r\033[K");
}
