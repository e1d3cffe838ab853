#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "job-metrics.h"

static struct metrics_summary
summary(const char *log)
{
	struct metrics_summary m = {0};

	assert_int_equal(metrics_summary_feed(&m, NULL, METRICS_GOAL_BY_NAME,
			     log, strlen(log), 0, NULL),
	    0);
	return m;
}

#define HEAD "epoch,loss,val_loss\n"

static void
an_epoch_is_whole_with_a_value_of_the_objective(void **state)
{
	static const struct {
		const char *log;
		int want;
	} cases[] = {
	    {"", 0},
	    {HEAD, 0},
	    {HEAD "0,1,", 0},
	    {HEAD "0,1,\n", 0},
	    {HEAD "0,1,\n0,,2\n", 1},
	    {HEAD "0,1,nan\n", 1},
	    /* Without one, a line is an epoch. */
	    {"epoch,what\n0,this\n", 1},
	};
	struct metrics_summary m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m = summary(cases[i].log);
		if (job_metrics_has_epoch(&m) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

static void
going_on_means_another_epoch(void **state)
{
	static const struct {
		const char *earlier, *now;
		int want;
	} cases[] = {
	    {"", HEAD, 0},
	    {"", HEAD "0,1,1\n", 1},
	    {HEAD, HEAD "0,1,1\n", 1},
	    {HEAD "0,1,1\n", HEAD "0,1,1\n", 0},
	    {HEAD "0,1,1\n", HEAD "0,1,1\n1,1,1\n", 1},
	    {HEAD "0,1,1\n", HEAD "0,1,1\n1,1,\n", 0},
	    /* From the beginning again, and as far. */
	    {HEAD "0,1,1\n1,1,1\n", HEAD "0,1,1\n1,1,1\n0,1,1\n1,1,1\n", 0},
	    {HEAD "0,1,1\n1,1,1\n", HEAD "0,1,1\n", 0},
	};
	struct metrics_summary earlier, now;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		earlier = summary(cases[i].earlier);
		now = summary(cases[i].now);
		if (job_metrics_went_on(&earlier, &now) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

static void
the_last_epoch_is_known_by_number_or_name(void **state)
{
	static char lr[] = "lr", epochs[] = "epochs", one[] = "1",
		    three[] = "3";
	static char *names[] = {lr, epochs};
	static const char *const values[] = {"0.1", "2"};
	static const struct {
		char *epochs;
		const char *log;
		int want;
	} cases[] = {
	    {NULL, HEAD "0,1,1\n", 0},
	    {NULL, HEAD "0,1,1\n1,1,1\n", 1},
	    {NULL, HEAD "1,1,1\n", 0},
	    {NULL, HEAD "1,1,1\n2,1,1\n", 1},
	    {NULL, HEAD "0,1,1\n1,1,\n", 0},
	    {one, HEAD "0,1,1\n", 1},
	    {three, HEAD "0,1,1\n1,1,1\n", 0},
	    {epochs, HEAD "0,1,1\n1,1,1\n", 1},
	    {lr, HEAD, 0},
	};
	struct store_job job = {.names = {names, 2}};
	struct job_task task = {.job = &job, .value = values};
	struct metrics_summary m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job.epochs = cases[i].epochs;
		m = summary(cases[i].log);
		if (job_metrics_is_complete(&task, &m) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_epoch_is_whole_with_a_value_of_the_objective),
	    cmocka_unit_test(going_on_means_another_epoch),
	    cmocka_unit_test(the_last_epoch_is_known_by_number_or_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
