#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sandbox/daemon.h"
#include "sandbox/private.h"

/* How many milliseconds to wait after SIGKILL. */
enum { GRACE = 2000 };

/* Milliseconds between two checks of the processes. */
enum { NAP = 5 };

void
pids_add(struct pids *p, pid_t pid)
{
	p->pid = xgrow(p->pid, p->count, sizeof *p->pid);
	p->pid[p->count++] = pid;
}

void
pids_clear(struct pids *p)
{
	free(p->pid);
	p->pid = NULL;
	p->count = 0;
}

void
sandbox_nap(void)
{
	struct timespec ts = {0, NAP * 1000000L};

	nanosleep(&ts, NULL);
}

static void
signal_all(const struct pids *p, int number)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		kill(p->pid[i], number);
}

static int
any_alive(const struct pids *p)
{
	int status;
	size_t i;

	for (i = 0; i < p->count; i++) {
		waitpid(p->pid[i], &status, WNOHANG);
		if (process_is_alive(p->pid[i]))
			return 1;
	}
	return 0;
}

void
pids_wait(const struct pids *p, int64_t limit)
{
	int64_t deadline = proc_clock() + limit;

	while (any_alive(p) && proc_clock() < deadline)
		sandbox_nap();
}

void
pids_end(const struct pids *p, int64_t limit)
{
	if (limit > 0) {
		signal_all(p, SIGTERM);
		pids_wait(p, limit);
	}
	if (!any_alive(p))
		return;
	signal_all(p, SIGKILL);
	pids_wait(p, GRACE);
}
