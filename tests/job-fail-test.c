#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "job-fail.h"
#include "place.h"
#include "store-fact.h"
#include "store-wish.h"

enum { TASKS = 4 };

static struct store_job *
make_job(void **state, int64_t max_fail)
{
	struct store_job *job = place_job(*state, TASKS);

	job->policy.max_fail = max_fail;
	return job;
}

/* Put a fact of another job into this one. */
static void
place_foreign(void **state, const struct store_job *job, const char *name)
{
	struct store_job *other = place_job(*state, TASKS);
	struct store_fact f;
	char *text;
	size_t length;
	int from, to;

	place_fact(other, name);
	assert_true(store_fact_parse(name, &f));
	from = store_fact_open(other, f.task, 0, NULL);
	to = store_fact_open(job, f.task, 1, NULL);
	assert_int_equal(fs_read(from, name, 1 << 20, &text, &length, NULL), 0);
	assert_int_equal(fs_publish(to, name, text, length, NULL), 0);
	fs_close(from);
	fs_close(to);
	free(text);
	store_job_free(other);
}

/* Which tasks are to stop, as "0-2"; to free. */
static char *
stopped(const struct store_job *job)
{
	struct store_wishes wishes;
	struct ranges all = {0};
	uint64_t task;
	char *text;

	assert_int_equal(store_wishes_list(job, &wishes, NULL), 0);
	for (task = 0; task < TASKS; task++)
		if (store_wished(&wishes, task, 0))
			ranges_add(&all, task, task);
	text = ranges_text(&all);
	ranges_free(&all);
	store_wishes_free(&wishes);
	return text;
}

static void
expect(const struct store_job *job, int made, const char *tasks)
{
	char *text;

	assert_int_equal(job_fail_check(job, NULL), made);
	text = stopped(job);
	assert_string_equal(text, tasks);
	free(text);
}

static void
what_failed_stops_the_rest(void **state)
{
	struct store_job *job = make_job(state, 2);

	place_fact(job, "000000.0.0.E3");
	place_fact(job, "000001.0.0.E0");
	place_fact(job, "000002.0.0.XCANCELLED");
	expect(job, 0, "");
	place_fact(job, "000002.0.0.XTIMEOUT");
	expect(job, 1, "3");
	store_job_free(job);
}

static void
facts_of_another_job_count_for_nothing(void **state)
{
	static const char *const names[] = {"000000.0.0.XTIMEOUT",
	    "000000.0.1.XNODE_FAIL", "000000.0.0.E3", "000001.0.0.E0",
	    "000001.7.0.S", "000002.0.0.XLOST", "000003.0.9.Q"};
	struct store_job *job = make_job(state, 1);
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		place_foreign(state, job, names[i]);
	expect(job, 0, "");
	/* Nor do they hide that one has failed, or that others go on. */
	place_fact(job, "000003.0.0.XTIMEOUT");
	expect(job, 1, "0-2");
	store_job_free(job);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_failed_stops_the_rest),
	    TEST(facts_of_another_job_count_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
