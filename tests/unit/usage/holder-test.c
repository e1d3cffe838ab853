#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "usage/holder.h"

#define GPU "GPU-5a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e"
#define HEAD "gpu 3, " GPU ", 97, 11469, 16384\n"
#define SELF "self 90 12\n"
#define GROUP "group 0::/system.slice/slurmstepd.scope/job_12/step_1/user\n"
#define US "process 90\nName:\tsh\nPPid:\t1\nUid:\t1000\t1000\n"
#define INIT "process 1\nName:\tinit\nPPid:\t0\nUid:\t0\t0\ngroup 0::/init\n"
#define USE(pid) "use " GPU ", " #pid ", 500\n"
#define AGAIN(pid) "again " GPU ", " #pid ", 500\n"
#define THEIRS(ppid) \
	"process 70\nName:\tpython\nPPid:\t" #ppid "\nUid:\t1001\t1001\n"

static void
a_place_is_told_by_what_slurm_tells(void **state)
{
	static const struct {
		const char *text;
		enum usage_place place;
		int64_t job;
		int in_step;
	} cases[] = {
	    /* By its control group, of both versions, or that of a parent. */
	    {US GROUP INIT THEIRS(1) "group 4:memory:/slurm/uid_1001/job_44/"
				     "step_0/task_0\n",
		USAGE_INSIDE, 44, 1},
	    {US GROUP INIT THEIRS(60) "group 0::/user.slice\nprocess 60\n"
				      "PPid:\t1\nUid:\t1001\ngroup 0::/a/"
				      "n1_slurmstepd.scope/job_45/step_0\n",
		USAGE_INSIDE, 45, 1},
	    /* A login that Slurm has adopted may be of another job. */
	    {US GROUP INIT THEIRS(1) "group 0::/a/slurmstepd.scope/job_45/"
				     "step_extern/user\n",
		USAGE_INSIDE, 45},
	    {US GROUP INIT THEIRS(1) "listed 70 46 extern - -\n", USAGE_INSIDE,
		46},
	    /* By Slurm's list, or its own environment. */
	    {US GROUP INIT THEIRS(1) "listed 70 46 0 0 0\n", USAGE_INSIDE, 46,
		1},
	    {US INIT THEIRS(1) "environ 47\n", USAGE_INSIDE, 47},
	    /* Slurm has it in none. */
	    {US GROUP INIT THEIRS(1) "group 0::/user.slice\n", USAGE_STRAY, 0},
	    {US GROUP INIT THEIRS(1) "environ none\n", USAGE_OUTSIDE, 0},
	    {US INIT THEIRS(1) "listed 90 12 1 0 0\n", USAGE_STRAY, 0},
	    /* A group that only looks like a job's. */
	    {US GROUP INIT THEIRS(1) "group 0::/user.slice/job_44/x\n",
		USAGE_STRAY, 0},
	    /* Slurm does not even have us: it tells nothing here. */
	    {US INIT THEIRS(1) "environ none\n", USAGE_NOWHERE, 0},
	    {US INIT THEIRS(1) "listed 91 12 1 0 0\n", USAGE_NOWHERE, 0},
	    {US "group 0::/slurm/job_13/x\n" INIT THEIRS(1), USAGE_NOWHERE, 0},
	    /* It, or who started it, is hidden from us. */
	    {US GROUP INIT, USAGE_NOWHERE, 0},
	    {US GROUP INIT THEIRS(61), USAGE_NOWHERE, 0},
	};
	struct usage_holders h;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = xasprintf("%s%s%s%s%s%s", HEAD, USE(70), SELF,
		    cases[i].text, AGAIN(70), "end\n");
		assert_int_equal(usage_holders_read(text, &h), USAGE_WHOLE);
		assert_int_equal(h.count, 1);
		assert_int_equal(h.holder[0].gpu, 3);
		assert_int_equal(h.holder[0].place, cases[i].place);
		assert_int_equal(h.holder[0].job, cases[i].job);
		assert_int_equal(h.holder[0].in_step, cases[i].in_step);
		usage_holders_free(&h);
		free(text);
	}
}

static void
who_has_left_meanwhile_is_not_told(void **state)
{
	struct usage_holders h;

	(void)state;
	assert_int_equal(
	    usage_holders_read(HEAD USE(70) USE(71) SELF US GROUP INIT THEIRS(1)
				   AGAIN(71) "end\n",
		&h),
	    USAGE_WHOLE);
	assert_int_equal(h.count, 1);
	assert_int_equal(h.holder[0].pid, 71);
	assert_int_equal(h.holder[0].uid, -1);
	assert_int_equal(h.holder[0].place, USAGE_NOWHERE);
	usage_holders_free(&h);
}

/* A process may call itself anything. */
static void
a_command_is_no_line_of_its_own(void **state)
{
	struct usage_holders h;

	(void)state;
	assert_int_equal(
	    usage_holders_read(
		HEAD USE(70) SELF US GROUP INIT
		    THEIRS(1) "command python train.py use x, 5, 5 \n" AGAIN(
			70) "end\n",
		&h),
	    USAGE_WHOLE);
	assert_int_equal(h.count, 1);
	assert_string_equal(h.holder[0].command, "python train.py use x, 5, 5");
	usage_holders_free(&h);
}

static void
what_has_no_end_is_no_answer(void **state)
{
	static const struct {
		const char *text;
		enum usage_answer answer;
	} cases[] = {
	    {"", USAGE_PARTIAL},
	    {"none\n", USAGE_NO_TOOL},
	    {"broken\n", USAGE_BROKEN},
	    {HEAD USE(70) SELF US GROUP INIT THEIRS(1) AGAIN(70),
		USAGE_PARTIAL},
	    {HEAD "use \n" SELF US GROUP INIT "again \nend\n", USAGE_WHOLE},
	    {HEAD "use No running processes found\nend\n", USAGE_WHOLE},
	};
	struct usage_holders h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(
		    usage_holders_read(cases[i].text, &h), cases[i].answer);
		assert_int_equal(h.count, 0);
		usage_holders_free(&h);
	}
}

static void
numbers_that_are_not_told_are_none(void **state)
{
	struct usage_holders h;

	(void)state;
	assert_int_equal(
	    usage_holders_read("use GPU-x, 7, [N/A]\nuse GPU-x, -1, 5\n"
			       "use GPU-x, [N/A], 5\nuse GPU-x, 1e9\n"
			       "again GPU-x, 7, 9\nend\n",
		&h),
	    USAGE_WHOLE);
	assert_int_equal(h.count, 1);
	assert_int_equal(h.holder[0].gpu, -1);
	assert_true(isnan(h.holder[0].memory));
	usage_holders_free(&h);
}

#define TWO(size) "gpu 0, GPU-a, 0, 0, 16384\ngpu 1, GPU-b, 0, 0, " #size "\n"
#define MINORS "minor GPU-a 0\nminor GPU-b 1\n"
#define FILES(list) "gres Type=a100 Count=2 Index=0 File=/dev/" list " x\n"

static void
numbers_are_compared_only_if_all_count_alike(void **state)
{
	static const struct {
		const char *text;
		int ordered;
	} cases[] = {
	    {TWO(16384) MINORS FILES("nvidia[0-1]"), 1},
	    {TWO(16384) MINORS FILES("nvidia0") FILES("nvidia1"), 1},
	    /* Somebody says nothing. */
	    {TWO(16384) MINORS, 0},
	    {TWO(16384) FILES("nvidia[0-1]"), 0},
	    {TWO(16384) "minor GPU-a 0\n" FILES("nvidia[0-1]"), 0},
	    {TWO(16384) MINORS "gres Type=(null) Count=2 Index=0\n", 0},
	    {"", 0},
	    /* The driver, or Slurm, has another order, or other GPUs. */
	    {TWO(16384) "minor GPU-a 1\nminor GPU-b 0\n" FILES("nvidia[0-1]"),
		0},
	    {TWO(16384) MINORS FILES("nvidia1") FILES("nvidia0"), 0},
	    {TWO(16384) MINORS FILES("nvidia[0-2]"), 0},
	    {TWO(16384) MINORS FILES("nvidia0"), 0},
	    {TWO(16384) MINORS FILES("nvidia0,/dev/nvidia-caps/nvidia-cap1"),
		0},
	    /* CUDA may have: they are of two kinds. */
	    {TWO(81920) MINORS FILES("nvidia[0-1]"), 0},
	};
	struct usage_holders h;
	size_t i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = xasprintf("%send\n", cases[i].text);
		assert_int_equal(usage_holders_read(text, &h), USAGE_WHOLE);
		if (h.ordered != cases[i].ordered)
			fail_msg("case %zu", i);
		usage_holders_free(&h);
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_place_is_told_by_what_slurm_tells),
	    cmocka_unit_test(who_has_left_meanwhile_is_not_told),
	    cmocka_unit_test(a_command_is_no_line_of_its_own),
	    cmocka_unit_test(what_has_no_end_is_no_answer),
	    cmocka_unit_test(numbers_that_are_not_told_are_none),
	    cmocka_unit_test(numbers_are_compared_only_if_all_count_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
