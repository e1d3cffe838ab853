#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../place.h"
#include "control/prune.h"
#include "state/resolve.h"
#include "store/chunk.h"
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
	    .trouble = &trouble};
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

/* Task 1 is the second of two at epoch 2, or the only one. */
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
	struct store_table *table;
	struct store_job *job;
	char *text;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job = place_search(*state);
		table = store_table_new(2);
		set(table, 0, cases[i].state, cases[i].rungs);
		set(table, 1, STORE_RUNNING, "2=0.5@0.0");
		store_table_count(table);
		assert_int_equal(store_table_publish(job, table, NULL), 0);
		store_table_free(table);
		text = stopped(job);
		if (strcmp(text, cases[i].want) != 0)
			fail_msg("case %zu: stops '%s'", i, text);
		free(text);
		store_job_free(job);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		a_value_counts_however_its_task_ended, place_set_up_fast,
		place_tear_down),
	};

	setenv("SLURM_CONF", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
