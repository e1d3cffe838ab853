#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "term/live.h"

static const char hide[] = "\033[?25l", show[] = "\033[?25h";

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { ENDING = sizeof ending / sizeof *ending };

/* Signal handlers have no other way to know. */
static int terminal = -1;
static volatile sig_atomic_t again;

void
live_put(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	(void)n; /* there is nobody left to tell */
}

/* The signal takes effect when the handler returns. */
static void
on_end(int signal)
{
	live_put(terminal, show);
	raise(signal);
}

static void
on_resize(int signal)
{
	(void)signal;
	again = 1;
}

static void
on_stop(int signal)
{
	int before = errno;

	(void)signal;
	live_put(terminal, show);
	raise(SIGSTOP);
	live_put(terminal, hide);
	again = 1;
	errno = before;
}

static void
handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

/* A signal that was ignored before, as nohup has it, stays so. */
static void
handle_end(int signal)
{
	struct sigaction before;

	if (sigaction(signal, NULL, &before) == 0 &&
	    before.sa_handler != SIG_IGN)
		handle(signal, on_end, (int)SA_RESETHAND);
}

static void
hear_resize(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(how, &set, NULL);
}

void
live_begin(FILE *f)
{
	size_t i;

	terminal = fileno(f);
	again = 0;
	for (i = 0; i < ENDING; i++)
		handle_end(ending[i]);
	handle(SIGTSTP, on_stop, SA_RESTART);
	handle(SIGWINCH, on_resize, SA_RESTART);
	/* It is heard in live_wait alone, where it cannot come too early. */
	hear_resize(SIG_BLOCK);
	fflush(f);
	live_put(terminal, hide);
}

void
live_end(FILE *f)
{
	size_t i;

	fflush(f);
	live_put(terminal, show);
	for (i = 0; i < ENDING; i++)
		handle(ending[i], SIG_DFL, 0);
	handle(SIGTSTP, SIG_DFL, 0);
	handle(SIGWINCH, SIG_DFL, 0);
	hear_resize(SIG_UNBLOCK);
	terminal = -1;
}

static size_t
count_rows(const char *text)
{
	size_t rows = 0;

	for (; *text != '\0'; rows++)
		text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
	return rows;
}

/* The rows of the terminal without the one for the cursor. */
static size_t
rows_of(int fd)
{
	struct winsize w;

	if (ioctl(fd, TIOCGWINSZ, &w) == -1 || w.ws_row < 2)
		return 23;
	return (size_t)w.ws_row - 1;
}

void
live_show(FILE *f, const char *text)
{
	size_t rows = count_rows(text), room = rows_of(fileno(f)), i, length;
	size_t shown = rows <= room ? rows : room - 1;
	char *frame = NULL;
	FILE *to = xmemopen(&frame, &length);

	fputs("\033[H", to);
	for (i = 0; i < shown; i++) {
		fprintf(to, "%.*s\033[K\n", (int)strcspn(text, "\n"), text);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	if (shown < rows)
		fprintf(to, "... %zu more rows\033[K\n", rows - shown);
	fputs("\033[J", to);
	xmemclose(to);
	/* In one piece, so that no half picture is ever seen. */
	fwrite(frame, 1, length, f);
	fflush(f);
	free(frame);
}

void
live_wait(int milliseconds)
{
	struct timespec time = {
	    milliseconds / 1000, milliseconds % 1000 * 1000000L};
	sigset_t heard;

	sigprocmask(SIG_SETMASK, NULL, &heard);
	sigdelset(&heard, SIGWINCH);
	if (!again)
		ppoll(NULL, 0, &time, &heard);
	again = 0;
}
