#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "term/progress.h"

static int master, before;
static char seen[4096];

/* Standard error is a terminal of our own. */
static int
open_terminal(void **state)
{
	int slave;

	(void)state;
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master == -1 || grantpt(master) == -1 || unlockpt(master) == -1)
		return -1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	before = dup(STDERR_FILENO);
	if (slave == -1 || before == -1 || dup2(slave, STDERR_FILENO) == -1)
		return -1;
	seen[0] = '\0';
	return close(slave);
}

static int
close_terminal(void **state)
{
	(void)state;
	dup2(before, STDERR_FILENO);
	close(before);
	return close(master);
}

/* Read until the text has come, for so many milliseconds at most. */
static int
comes(const char *text, int patience)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	size_t length = strlen(seen);
	ssize_t n;

	while (strstr(seen, text) == NULL && poll(&p, 1, patience) == 1) {
		n = read(master, seen + length, sizeof seen - 1 - length);
		if (n <= 0)
			break;
		length += (size_t)n;
		seen[length] = '\0';
	}
	return strstr(seen, text) != NULL;
}

static void
what_takes_long_is_told_and_gone_at_the_end(void **state)
{
	(void)state;
	progress_begin("asking Slurm");
	assert_true(comes("\rasking Slurm ... 1 s ", 10000));
	assert_true(comes("\rasking Slurm ... 2 s ", 10000));
	progress_end();
	assert_true(comes("\r\033[K", 10000));
	assert_null(strchr(seen, '\n'));
}

static void
what_is_done_within_a_second_is_not_told(void **state)
{
	(void)state;
	progress_begin("asking Slurm");
	progress_end();
	progress_end();
	assert_false(comes("asking", 0));
	assert_string_equal(seen, "");
}

static void
without_a_terminal_nothing_is_told(void **state)
{
	int ends[2], saved = dup(STDERR_FILENO);
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	progress_begin("asking Slurm");
	progress_end();
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		what_takes_long_is_told_and_gone_at_the_end, open_terminal,
		close_terminal),
	    cmocka_unit_test_setup_teardown(
		what_is_done_within_a_second_is_not_told, open_terminal,
		close_terminal),
	    cmocka_unit_test(without_a_terminal_nothing_is_told),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
