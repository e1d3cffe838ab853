#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../place.h"
#include "control/prune.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/once.h"
#include "store/request.h"
#include "store/table.h"

static void
set(struct store_table *table, uint64_t task, enum store_state state,
    const char *rungs)
{
	struct store_row *row = store_table_edit(table, task);

	row->state = state;
	row->rungs = xcopy(rungs);
}

/* The value of compared after a pass, and what it is before the next one. */
static int compared;

/* What a watcher does with the newest table.  Returns the tasks it stops. */
static char *
stopped(const struct store_job *job)
{
	struct store_requests before, after;
	struct strlist trouble = {0};
	struct store_chunks chunks = {0};
	struct store_table *table = store_table_load(job, NULL);
	struct job_policy_input input = {.job = job,
	    .table = table,
	    .chunks = &chunks,
	    .requests = &before,
	    .trouble = &trouble,
	    .compared = &compared};
	struct idset all = {0};
	uint64_t task;
	char *text;

	assert_non_null(table);
	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &before, NULL), 0);
	job_prune_act(&input);
	assert_int_equal(trouble.count, 0);
	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &after, NULL), 0);
	for (task = 0; task < table->count; task++)
		if (state_stop(&after, task, 0) != NULL)
			idset_add(&all, task, task);
	text = idset_text(&all);
	idset_free(&all);
	store_requests_free(&after);
	store_requests_free(&before);
	store_table_free(table);
	return text;
}

/*
 * Return a search in which tasks 1 and 2 run, with values at epochs 2 and 4,
 * and task 0 has this state.  Of two tasks at a rung, one continues.
 */
static struct store_job *
place_three(struct place *p, enum store_state state, const char *rungs)
{
	struct store_job *job = place_search(p, 3);
	struct store_table *table = store_table_new(3);

	set(table, 0, state, rungs);
	set(table, 1, STORE_RUNNING, "2=0.5@0.0");
	set(table, 2, STORE_RUNNING, "4=0.6@0.0");
	store_table_count(table);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	return job;
}

/* Task 1 is second at epoch 2, first, or alone. */
static void
a_value_counts_however_its_task_ended(void **state)
{
	static const struct {
		enum store_state state;
		const char *rungs, *want;
	} cases[] = {
	    {STORE_ERROR, "2=0.9@0.0", "1"},
	    {STORE_FINISHED, "2=0.9@0.0", "1"},
	    {STORE_STOPPED, "2=0.9@0.0", "1"},
	    {STORE_ERROR, "2=0.1@0.0", ""},
	    {STORE_ERROR, NULL, ""},
	};
	struct store_job *job;
	char *text;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job = place_three(*state, cases[i].state, cases[i].rungs);
		compared = 0;
		text = stopped(job);
		if (strcmp(text, cases[i].want) != 0)
			fail_msg("case %zu: stops '%s'", i, text);
		free(text);
		store_job_free(job);
	}
}

/* It reached one more rung while it was being stopped at the first one. */
static void
a_task_that_is_being_stopped_is_not_the_best(void **state)
{
	struct store_job *job =
	    place_three(*state, STORE_RUNNING, "2=0.4@0.0 4=0.9@0.0");
	char *text;

	compared = 0;
	text = stopped(job);
	assert_string_equal(text, "2");
	free(text);
	store_job_free(job);
	job = place_three(*state, STORE_RUNNING, "2=0.4@0.0 4=0.9@0.0");
	place_wish(job, 0, 0, NULL);
	compared = 0;
	text = stopped(job);
	assert_string_equal(text, "0");
	free(text);
	store_job_free(job);
}

static void
expect_stopped(const struct store_job *job, const char *tasks, int known)
{
	char *text = stopped(job);

	assert_string_equal(text, tasks);
	assert_int_equal(compared, known);
	free(text);
}

static void
what_was_compared_is_not_compared_again(void **state)
{
	struct store_job *job =
	    place_three(*state, STORE_FINISHED, "2=0.9@0.0");

	compared = 1;
	expect_stopped(job, "", 1);
	compared = 0;
	expect_stopped(job, "1", 0);
	/* Now it is being stopped, and nothing is left to do. */
	expect_stopped(job, "1", 1);
	store_job_free(job);
	job = place_three(*state, STORE_FINISHED, "2=0.1@0.0");
	compared = 0;
	expect_stopped(job, "", 1);
	store_job_free(job);
}

/* Its canary is spared until it has passed. */
static void
what_is_spared_is_compared_again(void **state)
{
	struct store_job *job = place_search(*state, 3);
	struct store_table *table = store_table_new(3);
	char *text;

	job->policy.canary = 1;
	set(table, 0, STORE_RUNNING, "2=0.4@0.0");
	set(table, 1, STORE_FINISHED, "2=0.5@0.0 4=0.6@0.0");
	store_table_count(table);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	compared = 0;
	expect_stopped(job, "", 0);
	assert_int_equal(
	    store_once_set(job, "canary", "epoch 1 of task 0", NULL), 0);
	text = stopped(job);
	assert_string_equal(text, "0");
	free(text);
	store_job_free(job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		a_value_counts_however_its_task_ended, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_task_that_is_being_stopped_is_not_the_best, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		what_was_compared_is_not_compared_again, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(what_is_spared_is_compared_again,
		place_set_up_fast, place_tear_down),
	};

	setenv("SLURM_CONF", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
