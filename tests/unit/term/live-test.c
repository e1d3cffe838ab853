#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "term/live.h"

/* A terminal of our own: what is written to one end is read at the other. */
static int master;
static FILE *slave;
static char screen[4096];

static int
open_terminal(void **state)
{
	struct winsize size = {.ws_row = 6, .ws_col = 40};

	(void)state;
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master == -1 || grantpt(master) == -1 || unlockpt(master) == -1 ||
	    ioctl(master, TIOCSWINSZ, &size) == -1)
		return -1;
	slave = fopen(ptsname(master), "w");
	return slave == NULL ? -1 : 0;
}

static int
close_terminal(void **state)
{
	(void)state;
	fclose(slave);
	close(master);
	return 0;
}

/* What has been written, until it ends with this. */
static const char *
written(const char *end)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	size_t used = 0, length = strlen(end);
	ssize_t n;

	do {
		assert_int_equal(poll(&p, 1, 10000), 1);
		n = read(master, screen + used, sizeof screen - 1 - used);
		assert_true(n > 0);
		used += (size_t)n;
		screen[used] = '\0';
	} while (used < length || strcmp(screen + used - length, end) != 0);
	return screen;
}

static void
a_picture_is_drawn_over_the_one_before(void **state)
{
	(void)state;
	live_begin(slave);
	assert_string_equal(written("l"), "\033[?25l");
	live_show(slave, "one\ntwo\n");
	assert_string_equal(
	    written("\033[J"), "\033[Hone\033[K\r\ntwo\033[K\r\n\033[J");
	live_show(slave, "");
	assert_string_equal(written("\033[J"), "\033[H\033[J");
	live_end(slave);
	assert_string_equal(written("h"), "\033[?25h");
}

static void
a_picture_never_scrolls(void **state)
{
	(void)state;
	live_begin(slave);
	live_show(slave, "1\n2\n3\n4\n5\n");
	assert_non_null(strstr(written("\033[J"), "5\033[K\r\n\033[J"));
	live_show(slave, "1\n2\n3\n4\n5\n6\n7");
	assert_non_null(strstr(
	    written("\033[J"), "4\033[K\r\n... 3 more rows\033[K\r\n\033[J"));
	live_end(slave);
	written("h");
}

static void
another_size_ends_the_wait(void **state)
{
	(void)state;
	live_begin(slave);
	/* It came while the picture was drawn. */
	raise(SIGWINCH);
	live_wait(60000);
	live_wait(1);
	live_end(slave);
	written("h");
}

static void
whoever_ends_it_the_cursor_is_back(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		live_begin(slave);
		for (;;)
			live_wait(60000);
	}
	written("\033[?25l");
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_string_equal(written("h"), "\033[?25h");
}

static void
it_can_be_stopped_and_goes_on(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		live_begin(slave);
		live_wait(60000);
		_exit(7);
	}
	written("\033[?25l");
	kill(pid, SIGTSTP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	assert_string_equal(written("h"), "\033[?25h");
	kill(pid, SIGCONT);
	assert_string_equal(written("l"), "\033[?25l");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_picture_is_drawn_over_the_one_before),
	    cmocka_unit_test(a_picture_never_scrolls),
	    cmocka_unit_test(another_size_ends_the_wait),
	    cmocka_unit_test(whoever_ends_it_the_cursor_is_back),
	    cmocka_unit_test(it_can_be_stopped_and_goes_on),
	};

	return cmocka_run_group_tests(tests, open_terminal, close_terminal);
}
