#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "../place.h"
#include "control/max-fail.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/fact.h"
#include "store/request.h"

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

/* Which tasks are to stop in an attempt, as "0-2"; to free. */
static char *
stopped(const struct store_job *job, uint32_t attempt)
{
	struct store_requests stops;
	struct idset all = {0};
	uint64_t task;
	char *text;

	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &stops, NULL), 0);
	for (task = 0; task < TASKS; task++)
		if (state_stop(&stops, task, attempt) != NULL)
			idset_add(&all, task, task);
	text = idset_text(&all);
	idset_free(&all);
	store_requests_free(&stops);
	return text;
}

static void
expect(const struct store_job *job, int made, const char *tasks)
{
	char *text;

	assert_int_equal(job_max_fail_check(job, NULL), made);
	text = stopped(job, 0);
	assert_string_equal(text, tasks);
	free(text);
}

/* Whether no rule queues a task again that ended in an attempt. */
static int
is_given_up(const struct store_job *job, uint64_t task, uint32_t attempt)
{
	struct store_requests stops;
	int is;

	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &stops, NULL), 0);
	is = state_is_given_up(&stops, task, attempt);
	store_requests_free(&stops);
	return is;
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

/* A job whose tasks are queued again by rules. */
static struct store_job *
make_patient(void **state, int64_t max_fail)
{
	struct store_job *job = make_job(state, max_fail);

	job->policy.memory =
	    (struct store_retry){xstrdup("2"), xstrdup("mem"), 100, 0, 1, 0};
	job->policy.time =
	    (struct store_retry){xstrdup("2"), xstrdup("time"), 5, 0, 1, 0};
	return job;
}

static void
what_a_rule_may_queue_again_is_left_to_a_pass(void **state)
{
	static const char *const names[] = {"000000.0.0.E137",
	    "000000.0.0.XOUT_OF_MEMORY", "000001.0.0.E143", "000002.0.0.E137",
	    "000002.0.0.XTIMEOUT"};
	struct store_job *job = make_patient(state, 1);
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		place_fact(job, names[i]);
		expect(job, 0, "");
	}
	store_job_free(job);

	/* Slurm knows of nothing that a rule is for. */
	job = make_patient(state, 1);
	place_fact(job, "000000.0.0.E137");
	place_fact(job, "000000.0.0.XFAILED");
	expect(job, 1, "1-3");
	store_job_free(job);
	job = make_patient(state, 1);
	place_fact(job, "000001.0.0.XNODE_FAIL");
	expect(job, 1, "0,2-3");
	store_job_free(job);
	job = make_patient(state, 1);
	place_fact(job, "000000.0.0.E137");
	place_fact(job, "000002.0.0.E1");
	expect(job, 1, "1,3");
	store_job_free(job);
}

static void
a_rule_that_is_used_up_or_none_leaves_a_failure(void **state)
{
	struct store_job *job = make_patient(state, 1);

	job->policy.memory.times = 0;
	job->policy.time.times = 0;
	place_fact(job, "000000.0.0.E137");
	expect(job, 1, "1-3");
	store_job_free(job);
	job = make_patient(state, 1);
	job->policy.memory.times = 0;
	place_fact(job, "000000.0.0.XOUT_OF_MEMORY");
	expect(job, 1, "1-3");
	store_job_free(job);
	job = make_job(state, 1);
	place_fact(job, "000000.0.0.E137");
	expect(job, 1, "1-3");
	store_job_free(job);
}

static char second[] = "c00001.0", third[] = "c00002.0";

/* A rule, or a user, queues a task again. */
static void
queue_again(const struct store_job *job, char *name, uint64_t task,
    uint32_t attempt, const char *why)
{
	struct store_chunk c = {.name = name,
	    .token = name,
	    .attempt = attempt,
	    .why = (char *)(uintptr_t)why};

	idset_add(&c.tasks, task, task);
	assert_int_equal(store_intent(job, &c, NULL), 0);
	idset_free(&c.tasks);
}

/* It is in a later attempt than those that are stopped. */
static void
what_failed_is_not_queued_again_by_a_rule_then(void **state)
{
	struct store_job *job = make_patient(state, 1);

	job->policy.memory.times = 3;
	queue_again(job, second, 0, 1, "retry-oom --mem=200M");
	place_fact(job, "000000.0.0.E137");
	place_fact(job, "000000.0.0.XOUT_OF_MEMORY");
	place_fact(job, "000000.1.0.E137");
	place_fact(job, "000000.1.0.XOUT_OF_MEMORY");
	place_fact(job, "000003.0.0.E0");
	expect(job, 0, "");
	assert_false(is_given_up(job, 0, 1));
	place_fact(job, "000001.0.0.E3");
	expect(job, 1, "2");
	assert_true(is_given_up(job, 0, 1));
	assert_false(is_given_up(job, 1, 0));
	assert_false(is_given_up(job, 3, 0));
	store_job_free(job);
}

static int (*real_link)(int, const char *, int, const char *, int);
static const struct store_job *racing;

/* Just before the stop request is there somebody queues two tasks again. */
static int
link_late(int from, const char *name, int to, const char *as, int flags)
{
	const struct store_job *job = racing;

	if (job != NULL && strncmp(as, "stop.", 5) == 0) {
		racing = NULL;
		queue_again(job, second, 0, 1, "retry-oom --mem=200M");
		queue_again(job, third, 1, 1, NULL);
	}
	return real_link(from, name, to, as, flags);
}

static void
what_a_rule_queues_again_meanwhile_is_stopped(void **state)
{
	struct store_job *job = make_patient(state, 1);
	char *text;

	place_fact(job, "000000.0.0.E137");
	place_fact(job, "000000.0.0.XOUT_OF_MEMORY");
	place_fact(job, "000001.0.0.E3");
	racing = job;
	real_link = fs_ops.linkat;
	fs_ops.linkat = link_late;
	expect(job, 1, "2-3");
	fs_ops.linkat = real_link;
	text = stopped(job, 1);
	assert_string_equal(text, "0");
	free(text);
	store_job_free(job);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_failed_stops_the_rest),
	    TEST(what_a_rule_may_queue_again_is_left_to_a_pass),
	    TEST(a_rule_that_is_used_up_or_none_leaves_a_failure),
	    TEST(facts_of_another_job_count_for_nothing),
	    TEST(what_failed_is_not_queued_again_by_a_rule_then),
	    TEST(what_a_rule_queues_again_meanwhile_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
