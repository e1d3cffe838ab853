#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "../place.h"
#include "runner/prune.h"
#include "runner/task.h"
#include "store/table.h"

static void __attribute__((format(printf, 1, 2)))
say_nothing(const char *fmt, ...)
{
	(void)fmt;
}

/*
 * Publish a table in which task 0 has ended so, and task 2 is the best of
 * those that may finish.
 */
static void
end(const struct store_job *job, enum store_state state, const char *rungs)
{
	struct store_table *table = store_table_new(3);
	struct store_row *row = store_table_edit(table, 0);

	row->state = state;
	row->rungs = xcopy(rungs);
	store_table_edit(table, 1)->state = STORE_RUNNING;
	row = store_table_edit(table, 2);
	row->state = STORE_RUNNING;
	row->rungs = xstrdup("4=0.6@0.0");
	store_table_count(table);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
}

/* Let task 1 log three epochs: its value at epoch 2 is 0.5. */
static void
train(const struct store_job *job)
{
	char *path = fs_join(store_job_path(job), "metrics/000001.csv");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("epoch,acc\n1,0.4\n2,0.5\n3,0.6\n", f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

/* Return whether task 1 stops itself. */
static int
stops(struct store_job *job)
{
	const struct job_run run = {.job = job,
	    .task = {.job = job, .task = 1},
	    .fact = {.task = 1},
	    .say = say_nothing,
	    .warn = say_nothing};
	struct run_prune *prune = run_prune_new(&run);
	int rc;

	assert_non_null(prune);
	rc = run_prune_look(prune);
	run_prune_free(prune);
	return rc;
}

/* Task 1 is second at epoch 2, first, or alone. */
static void
a_value_counts_however_its_task_ended(void **state)
{
	static const struct {
		enum store_state state;
		const char *rungs;
		int want;
	} cases[] = {
	    {STORE_ERROR, "2=0.9@0.0", 1},
	    {STORE_FINISHED, "2=0.9@0.0", 1},
	    {STORE_STOPPED, "2=0.9@0.0", 1},
	    {STORE_ERROR, "2=0.1@0.0", 0},
	    {STORE_ERROR, NULL, 0},
	};
	struct store_job *job;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job = place_search(*state, 3);
		end(job, cases[i].state, cases[i].rungs);
		train(job);
		if (stops(job) != cases[i].want)
			fail_msg("case %zu: stops %d", i, !cases[i].want);
		store_job_free(job);
	}
}

/* The table does not have what task 0 recorded since. */
static void
a_value_that_no_pass_has_seen_counts(void **state)
{
	struct store_job *job = place_search(*state, 3);

	end(job, STORE_ERROR, NULL);
	place_fact(job, "000000.0.0.R2=0.9");
	train(job);
	assert_true(stops(job));
	store_job_free(job);
}

/* Only task 1 is left of three. */
static void
the_best_that_may_finish_does_not_stop_itself(void **state)
{
	struct store_job *job = place_search(*state, 3);

	end(job, STORE_RUNNING, "2=0.9@0.0");
	place_wish(job, 0, 0, NULL);
	train(job);
	assert_true(stops(job));
	store_job_free(job);
	job = place_search(*state, 3);
	end(job, STORE_RUNNING, "2=0.9@0.0");
	place_wish(job, 0, 0, NULL);
	place_wish(job, 2, 0, NULL);
	train(job);
	assert_false(stops(job));
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
		a_value_that_no_pass_has_seen_counts, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		the_best_that_may_finish_does_not_stop_itself,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
