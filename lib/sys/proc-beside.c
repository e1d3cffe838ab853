/* Programs that have the terminal, and whose standard error is read. */
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/proc.h"

/* From the terminal, the first two reach the program as well. */
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

struct beside {
	pid_t pid;
	int err, signals;
	proc_complaint *take;
	void *arg;
};

/*
 * Start the program.  Returns 0 or an errno.  posix_spawn(3) cannot request a
 * signal for the end of the parent.
 */
static int
spawn(struct beside *b, char *const argv[], char *const env[], int err,
    const sigset_t *mask)
{
	pid_t parent = getpid();
	int failed[2], why = 0;

	if (pipe2(failed, O_CLOEXEC) == -1)
		return errno;
	fflush(NULL);
	b->pid = fork();
	if (b->pid == 0) {
		proc_end_with(parent, SIGTERM);
		dup2(err, STDERR_FILENO);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvpe(argv[0], argv, env);
		why = errno;
		if (write(failed[1], &why, sizeof why) != (ssize_t)sizeof why)
			_exit(126);
		_exit(127);
	}
	close(failed[1]);
	if (b->pid == -1)
		why = errno;
	else if (read(failed[0], &why, sizeof why) == (ssize_t)sizeof why)
		waitpid(b->pid, NULL, 0);
	else
		why = 0;
	close(failed[0]);
	return why;
}

/* Pass on a piece of the output.  Returns 0 if there is none, or at its end. */
static int
copy(struct beside *b)
{
	char text[4096];
	ssize_t n = read(b->err, text, sizeof text);

	if (n > 0)
		b->take(b->arg, text, (size_t)n);
	else if (n == 0) {
		close(b->err);
		b->err = -1;
	}
	return n > 0;
}

/* Wait until the program ends.  Returns its status as from waitpid(2). */
static int
stay(struct beside *b)
{
	struct pollfd p[2] = {{.events = POLLIN}, {.events = POLLIN}};
	struct signalfd_siginfo s;
	int status;

	for (;;) {
		p[0].fd = b->err;
		p[1].fd = b->signals;
		if (poll(p, 2, -1) == -1)
			continue;
		if (p[0].revents != 0)
			copy(b);
		if (p[1].revents == 0 ||
		    read(b->signals, &s, sizeof s) != (ssize_t)sizeof s)
			continue;
		if (s.ssi_signo == SIGCHLD) {
			if (waitpid(b->pid, &status, WNOHANG) == b->pid)
				break;
		} else if (s.ssi_code != SI_KERNEL || s.ssi_signo == SIGHUP) {
			kill(b->pid, (int)s.ssi_signo);
		}
	}
	while (b->err != -1 && copy(b))
		continue;
	return status;
}

int
proc_beside(char *const argv[], char *const env[], proc_complaint *take,
    void *arg, int *status, struct error *e)
{
	struct beside b = {.take = take, .arg = arg};
	sigset_t set, before;
	int err[2], rc;
	size_t i;

	proc_keep_ends();
	if (pipe2(err, O_CLOEXEC) == -1)
		return error_errno(e, "pipe");
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	b.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	b.err = err[0];
	fcntl(b.err, F_SETFL, O_NONBLOCK);
	rc = b.signals == -1 ? errno : spawn(&b, argv, env, err[1], &before);
	close(err[1]);
	if (rc == 0)
		*status = stay(&b);
	if (b.err != -1)
		close(b.err);
	if (b.signals != -1)
		close(b.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		return 0;
	errno = rc;
	return error_errno(e, "%s: cannot start", argv[0]);
}
