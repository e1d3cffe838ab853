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

/* Variables of the signal handlers. */
static int terminal = -1;
static volatile sig_atomic_t again;

void
live_put(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	(void)n; /* a lost terminal cannot show an error */
}

/*
 * Restore the terminal; the raised signal takes effect when the handler
 * returns.
 */
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

static void
mask_resize(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(how, &set, NULL);
}

void
live_begin(FILE *f)
{
	struct sigaction before;
	size_t i;

	terminal = fileno(f);
	again = 0;
	/*
	 * A signal that was ignored at the start, as with nohup, stays ignored.
	 */
	for (i = 0; i < ENDING; i++)
		if (sigaction(ending[i], NULL, &before) == 0 &&
		    before.sa_handler != SIG_IGN)
			handle(ending[i], on_end, (int)SA_RESETHAND);
	handle(SIGTSTP, on_stop, SA_RESTART);
	handle(SIGWINCH, on_resize, SA_RESTART);
	/*
	 * Only live_wait unblocks SIGWINCH: no resize is lost before the wait.
	 */
	mask_resize(SIG_BLOCK);
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
	mask_resize(SIG_UNBLOCK);
	terminal = -1;
}

void
live_show(FILE *f, const char *text)
{
	size_t rows = 0, room = 23, shown, i, length;
	struct winsize w;
	const char *at;
	char *frame = NULL;
	FILE *to = xmemopen(&frame, &length);

	/* One row of the terminal is for the cursor. */
	if (ioctl(fileno(f), TIOCGWINSZ, &w) == 0 && w.ws_row >= 2)
		room = (size_t)w.ws_row - 1;
	for (at = text; *at != '\0'; rows++) {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	shown = rows <= room ? rows : room - 1;
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
	/* One write, so that the terminal never shows half a picture. */
	fwrite(frame, 1, length, f);
	fflush(f);
	free(frame);
}

void
live_wait(int milliseconds)
{
	struct timespec time = {
	    milliseconds / 1000, milliseconds % 1000 * 1000000L};
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGWINCH);
	if (!again)
		ppoll(NULL, 0, &time, &mask);
	again = 0;
}
