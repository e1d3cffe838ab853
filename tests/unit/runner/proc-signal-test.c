#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/proc-signal.h"
#include "sys/proc-table.h"

/* What the table below has a word for. */
#define NO PROC_DEAF
#define ALL PROC_CATCHES_ALL
#define WAIT PROC_BLOCKS
#define IT PROC_CATCHES

enum { MOST = 8, TOP = 10 };

/* Which of some processes, ending with one without a number, are chosen. */
static void
the_topmost_that_catch_it_get_it(void **state)
{
	static const struct {
		struct proc_catch all[MOST];
		pid_t want[MOST];
	} cases[] = {
	    {{{1, 0, IT}}, {0}},
	    {{{10, 1, NO}, {20, 10, NO}}, {0}},
	    {{{10, 1, IT}}, {10}},
	    /* The workers of one that catches it have its handler. */
	    {{{10, 1, IT}, {20, 10, IT}, {30, 20, IT}}, {10}},
	    /* bash train.sh, with python train.py in it */
	    {{{10, 1, NO}, {20, 10, IT}, {30, 20, IT}, {31, 20, IT}}, {20}},
	    /* Numbers begin again from 1; /proc has any order. */
	    {{{5, 20, IT}, {20, 10, NO}, {4, 5, IT}, {10, 1, NO}}, {5}},
	    /* The ranks of a launcher. */
	    {{{10, 1, NO}, {20, 10, NO}, {30, 20, IT}, {31, 20, IT},
		 {40, 10, IT}, {50, 30, IT}},
		{30, 31, 40}},
	    /* What is above or beside does not concern it. */
	    {{{1, 0, IT}, {2, 1, IT}, {10, 2, NO}, {20, 10, IT}, {30, 2, IT}},
		{20}},
	    {{{10, 2, NO}, {2, 1, IT}, {30, 2, IT}}, {0}},
	    /* srun in a script, which blocks it; but not where one catches. */
	    {{{10, 1, NO}, {20, 10, WAIT}}, {20}},
	    {{{10, 1, WAIT}, {20, 10, NO}, {30, 20, IT}}, {30}},
	    /* Shells that clean up at their end, around who wants it. */
	    {{{10, 1, ALL}, {20, 10, ALL}, {30, 20, IT}}, {30}},
	    {{{10, 1, ALL}, {20, 10, WAIT}}, {20}},
	    {{{10, 1, ALL}, {20, 10, ALL}, {30, 20, NO}}, {10}},
	    /* Whose parent is gone, or has a new number: a circle. */
	    {{{10, 1, NO}, {20, 15, IT}, {50, 60, IT}, {60, 50, NO},
		 {70, 70, IT}},
		{0}},
	};
	struct proc_catch p[MOST];
	size_t count, chosen, i, k;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (count = 0; cases[i].all[count].pid != 0; count++)
			p[count] = cases[i].all[count];
		chosen = proc_catch_choose(p, count, TOP);
		for (k = 0; k < chosen; k++)
			assert_int_equal(p[k].pid, cases[i].want[k]);
		assert_int_equal(cases[i].want[chosen], 0);
	}
	assert_int_equal(proc_catch_choose(p, 0, TOP), 0);
}

#define STATUS(uid, blocked, caught) \
	"Name:\tSigCgt: \\n\nState:\tS (sleeping)\nPid:\t77\nPPid:\t5\n" \
	"TracerPid:\t9\nUid:\t" uid "\t0\t0\t0\n" \
	"SigBlk:\t" blocked "\nSigCgt:\t" caught "\n"

static enum proc_take
taken(const char *blocked, const char *caught, int signal)
{
	struct proc_catch p;
	char text[512];

	snprintf(text, sizeof text, STATUS("%ld", "%s", "%s"), (long)getuid(),
	    blocked, caught);
	assert_int_equal(proc_catch_read(text, signal, &p), 0);
	assert_int_equal(p.pid, 77);
	assert_int_equal(p.parent, 5);
	return p.take;
}

static int
catches(const char *caught, int signal)
{
	return taken("0000000000000000", caught, signal) == PROC_CATCHES;
}

static void
what_a_process_catches_is_read(void **state)
{
	static const char *const none[] = {"", "Name:\tx\n",
	    "Name:\tx\nPid:\t7\nPPid:\t5\nUid:\t0\n",
	    "x\nPid:\t7\nPPid:\t5\nUid:\t0\nSigBlk:\t0\nSigCgt:\t-\n"};
	struct proc_catch p;
	size_t i;

	(void)state;
	assert_true(catches("0000000000000200", SIGUSR1));
	assert_false(catches("0000000000000200", SIGUSR2));
	assert_false(catches("0000000000000200", SIGHUP));
	assert_true(catches("0000000000000001", SIGHUP));
	assert_true(catches("8000000000000000", 64));
	assert_false(catches("0000000000000000", SIGUSR1));
	/* As srun has it, which waits for it. */
	assert_int_equal(taken("0000000008027a07", "0000000000000000", SIGUSR1),
	    PROC_BLOCKS);
	assert_int_equal(
	    taken("0000000008027807", "0000000000000000", SIGUSR1), PROC_DEAF);
	/* As bash has it for trap ... EXIT; it may block it for a moment. */
	assert_int_equal(taken("0000000000010000", "0000000043817efb", SIGUSR1),
	    PROC_CATCHES_ALL);
	assert_int_equal(taken("0000000000010200", "0000000043817efb", SIGUSR1),
	    PROC_BLOCKS);
	assert_int_equal(taken("0000000000010200", "0000000000000200", SIGUSR1),
	    PROC_CATCHES);
	for (i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(proc_catch_read(none[i], SIGUSR1, &p), -1);
	/* What is not ours is deaf. */
	assert_int_equal(
	    proc_catch_read(
		STATUS("4294967294", "0000000000000000", "0000000000000200"),
		SIGUSR1, &p),
	    0);
	assert_int_equal(p.take, PROC_DEAF);
}

static void
hear(int signal)
{
	(void)signal;
}

static void
what_we_catch_ourselves_is_seen(void **state)
{
	struct proc_catch p;
	char *text;

	(void)state;
	signal(SIGUSR2, hear);
	text = proc_file(getpid(), "status", NULL);
	assert_non_null(text);
	assert_int_equal(proc_catch_read(text, SIGUSR2, &p), 0);
	assert_int_equal(p.take, PROC_CATCHES);
	assert_int_equal(p.parent, getppid());
	assert_int_equal(proc_catch_read(text, SIGUSR1, &p), 0);
	assert_int_equal(p.take, PROC_DEAF);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_topmost_that_catch_it_get_it),
	    cmocka_unit_test(what_a_process_catches_is_read),
	    cmocka_unit_test(what_we_catch_ourselves_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
