/*
 * Programs that read a given text, and whose output is copied to that of this
 * process.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "sys/proc-private.h"

/* Intervals between checks for the end of the program, in nanoseconds. */
enum { SHORTEST = 100000, LONGEST = 20000000 };

/*
 * Milliseconds that a program may still run after this process gets a signal,
 * and that a killed program may take to end.
 */
enum { LAST_CHANCE = 5000, LAST_WORDS = 1000 };

/* Return a descriptor of an unnamed file that contains the text, or -1. */
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

/* A pipe that a program writes to, and the descriptor to copy the text to. */
struct relay {
	int from; /* -1 if closed */
	int to;
	int error; /* errno of the failed write, or 0 */
};

/*
 * Make the pipes for both streams.  Sets ends to the descriptors for the
 * program.  If both streams go to the same file, there is one pipe, so that
 * their text stays in order.
 */
static int
open_relays(struct relay relays[2], int ends[2], struct error *e)
{
	struct stat out, err;
	int one, fd[2], i;

	one = fstat(STDOUT_FILENO, &out) == 0 &&
	    fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev &&
	    out.st_ino == err.st_ino;
	for (i = 0; i < (one ? 1 : 2); i++) {
		if (pipe2(fd, O_CLOEXEC) == -1) {
			error_errno(e, "pipe");
			while (i-- > 0) {
				close(relays[i].from);
				close(ends[i]);
			}
			return -1;
		}
		fcntl(fd[0], F_SETFL, O_NONBLOCK);
		relays[i].from = fd[0];
		ends[i] = fd[1];
	}
	if (one)
		ends[1] = ends[0];
	return 0;
}

static void
close_relay(struct relay *r)
{
	if (r->from != -1)
		close(r->from);
	r->from = -1;
}

static int
is_writable(int fd, int milliseconds)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, milliseconds) == 1;
}

/*
 * Copy a piece of the output.  Returns its length.  If the output cannot be
 * written, the pipe is closed: the program gets SIGPIPE when it writes more.
 */
static size_t
copy(struct relay *r)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	char text[PIPE_BUF];
	ssize_t length = r->from == -1 ? -1 : read(r->from, text, sizeof text);
	ssize_t at = 0, n;

	if (length == 0)
		close_relay(r);
	if (length <= 0)
		return 0;
	sigaction(SIGPIPE, &ignore, &before);
	while (at < length && r->error == 0) {
		n = write(r->to, text + at, (size_t)(length - at));
		if (n >= 0) {
			at += n;
		} else if (errno == EAGAIN) {
			is_writable(r->to, 1000);
		} else if (errno != EINTR) {
			r->error = errno;
			close_relay(r);
		}
	}
	sigaction(SIGPIPE, &before, NULL);
	return (size_t)length;
}

/*
 * Copy available output that can be written at once, or wait for either.
 * Returns whether any output was copied.
 */
static int
copy_or_wait(struct relay relays[2], const struct timespec *nap)
{
	struct pollfd p[2];
	size_t copied = 0;
	int i;

	for (i = 0; i < 2; i++) {
		p[i] = (struct pollfd){relays[i].from, POLLIN, 0};
		if (relays[i].from != -1 && !is_writable(relays[i].to, 0))
			p[i] = (struct pollfd){relays[i].to, POLLOUT, 0};
	}
	if (ppoll(p, 2, nap, NULL) < 1)
		return 0;
	for (i = 0; i < 2; i++)
		if (p[i].revents != 0 && p[i].fd == relays[i].from)
			copied += copy(&relays[i]);
	return copied > 0;
}

/* Wait until the program ends.  Returns 0, or -1 if the deadline came first. */
static int
wait_for(pid_t pid, struct relay relays[2], int64_t deadline, int *status)
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
		if (!asked && proc_interrupted() != 0) {
			asked = 1;
			if (deadline > now + LAST_CHANCE)
				deadline = now + LAST_CHANCE;
		}
		if (now >= deadline)
			return -1;
		if (copy_or_wait(relays, &nap))
			nap.tv_nsec = SHORTEST;
		else if (nap.tv_nsec < LONGEST)
			nap.tv_nsec *= 2;
	}
}

/*
 * Copy the rest of the output.  Returns 0, or 1 with the reason in e if some of
 * it could not be copied.
 */
static int
finish(struct relay relays[2], struct error *e)
{
	static const char *const names[] = {
	    "standard output", "standard error"};
	int i, left, failed = 0;
	struct relay *r;
	size_t n;

	for (i = 0; i < 2; i++) {
		r = &relays[i];
		left = 0;
		/* Copy only the bytes there now: others may write for ever. */
		if (r->from == -1 || ioctl(r->from, FIONREAD, &left) == -1)
			left = 0;
		for (n = 1; left > 0 && n > 0; left -= (int)n)
			n = copy(r);
		close_relay(r);
		if (failed || r->error == 0)
			continue;
		failed = 1;
		errno = r->error;
		error_errno(e, "%s", names[i]);
	}
	return failed;
}

static int
start(pid_t *pid, char *const argv[], char *const env[], int in,
    struct relay relays[2], struct error *e)
{
	int ends[2], rc;

	if (open_relays(relays, ends, e) == -1)
		return -1;
	proc_keep_ends();
	rc = proc_spawn(pid, argv, env, in, ends[0], ends[1], 1);
	close(ends[0]);
	if (ends[1] != ends[0])
		close(ends[1]);
	if (rc == 0)
		return 0;
	close_relay(&relays[0]);
	close_relay(&relays[1]);
	errno = rc;
	return error_errno(e, "%s: cannot start", argv[0]);
}

int
proc_feed(char *const argv[], char *const env[], const char *text,
    size_t length, int64_t milliseconds, int *status, struct error *e)
{
	struct relay relays[2] = {
	    {-1, STDOUT_FILENO, 0}, {-1, STDERR_FILENO, 0}};
	int in = text_file(text, length, e), rc, killed;
	pid_t pid;

	if (in == -1)
		return -1;
	rc = start(&pid, argv, env, in, relays, e);
	close(in);
	if (rc == -1)
		return -1;
	killed =
	    wait_for(pid, relays, proc_clock() + milliseconds, status) == -1;
	if (killed) {
		kill(-pid, SIGKILL);
		wait_for(pid, relays, proc_clock() + LAST_WORDS, status);
	}
	rc = finish(relays, e);
	return killed ? 1 : rc == 0 ? 0 : 2;
}
