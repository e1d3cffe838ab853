#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "../place.h"
#include "store/facts.h"

enum { NEVER = INT32_MAX };

/*
 * Publish a fact that was made so many seconds ago, and delay seconds after the
 * time that it has, by a clock that is so many seconds behind.
 */
static void
publish(const struct store_job *job, const char *name, int64_t ago,
    int64_t delay, int64_t behind)
{
	struct store_fact_body body = store_fact_body();
	int64_t made = time(NULL) - ago;
	struct store_fact fact;
	int dir;

	assert_true(store_fact_parse(name, &fact));
	body.time = behind != NEVER ? made - delay - behind : -1;
	assert_int_equal(store_fact_publish(job, &fact, &body, NULL), 0);
	store_fact_body_free(&body);
	dir = store_fact_open(job, fact.task, 0, NULL);
	assert_int_equal(fs_set_changed(dir, name, made, NULL), 0);
	fs_close(dir);
}

/* How many seconds ago a fact was, give or take those that a test lasts. */
static void
expect(const struct store_job *job, const char *name, int64_t want)
{
	struct store_facts facts;
	struct store_fact of;
	int64_t ago;

	assert_true(store_fact_parse(name, &of));
	assert_int_equal(store_facts_list(job, NULL, &facts, NULL), 0);
	ago = time(NULL) - store_facts_time(job, &facts, &of);
	store_facts_free(&facts);
	if (ago < want - 4 || ago > want + 4)
		fail_msg(
		    "%s was %d seconds ago, not %d", name, (int)ago, (int)want);
}

static void
a_fact_has_the_time_of_the_file_system(void **state)
{
	static const int64_t behind[] = {0, 3600, -3600};
	struct store_job *job;
	size_t i, k;

	for (i = 0; i < sizeof behind / sizeof *behind; i++)
		for (k = 0; k < sizeof behind / sizeof *behind; k++) {
			job = place_job(*state, 2);
			publish(job, "000000.0.0.S", 900, 0, behind[i]);
			publish(job, "000000.0.0.R3=0.5", 600, 20, behind[i]);
			/* By a watcher on another host. */
			publish(job, "000000.0.0.R9=0.7", 300, 0, behind[k]);
			/* Other runs and tasks may be on other nodes. */
			publish(job, "000000.0.1.S", 200, 0, behind[k]);
			publish(job, "000001.0.0.S", 100, 0, behind[k]);
			expect(job, "000000.0.0.S", 900);
			expect(job, "000000.0.0.R3=0.5", 620);
			expect(job, "000000.0.0.R9=0.7", 300);
			expect(job, "000000.0.1.S", 200);
			expect(job, "000001.0.0.S", 100);
			store_job_free(job);
		}
}

static void
a_fact_that_is_made_late_counts_from_its_time(void **state)
{
	struct store_job *job = place_job(*state, 1);

	publish(job, "000000.0.0.S", 600, 30, 3600);
	publish(job, "000000.0.0.E3", 300, 0, 3600);
	expect(job, "000000.0.0.S", 630);
	expect(job, "000000.0.0.E3", 300);
	store_job_free(job);
}

static void
a_fact_without_a_time_has_that_of_its_file(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_facts facts;
	struct store_fact of;

	publish(job, "000000.0.0.S", 600, 0, NEVER);
	expect(job, "000000.0.0.S", 600);
	assert_true(store_fact_parse("000000.0.1.S", &of));
	assert_int_equal(store_facts_list(job, NULL, &facts, NULL), 0);
	assert_int_equal(store_facts_time(job, &facts, &of), -1);
	store_facts_free(&facts);
	store_job_free(job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		a_fact_has_the_time_of_the_file_system, place_set_up,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_fact_that_is_made_late_counts_from_its_time, place_set_up,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_fact_without_a_time_has_that_of_its_file, place_set_up,
		place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
