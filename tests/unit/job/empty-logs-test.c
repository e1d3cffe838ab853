/* The record of empty logs, whose names are cut where they are too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "../place.h"
#include "base/xalloc.h"
#include "job/empty-logs.h"

static struct place place;
static struct store_job *job;

static int
set_up(void **state)
{
	const struct store_job_files files = {.batch = "#!/bin/sh\n"};

	(void)state;
	place_make(&place);
	job = xcalloc(1, sizeof *job);
	job->name = xstrdup("conv2d");
	job->id = xstrdup("1");
	job->args = xstrdup("long");
	job->directory = xstrdup("/tmp");
	job->tasks = 1;
	job->array_size = 1;
	assert_int_equal(store_job_create(place.store, job, &files, NULL), 0);
	store_job_free(job);
	job = store_job_load(place.store, "conv2d", NULL);
	assert_non_null(job);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	store_job_free(job);
	place_remove(&place);
	return 0;
}

/* What is recorded of the tasks 0 to 1099 in an attempt, as a set. */
static char *
recorded(uint32_t attempt)
{
	struct job_empty_logs logs;
	struct idset found = {0};
	uint64_t task;
	char *text;

	assert_int_equal(job_empty_logs_load(job, &logs, NULL), 0);
	for (task = 0; task < 1100; task++)
		if (job_empty_logs_has(&logs, task, attempt))
			idset_add(&found, task, task);
	text = idset_text(&found);
	idset_free(&found);
	job_empty_logs_free(&logs);
	return text;
}

static void
each_recorded_task_is_found(void **state)
{
	static const char *const texts[] = {"0", "0-999", "0,2-4,1000"};
	struct idset tasks, all = {0};
	char *found, *wanted;
	uint32_t attempt;
	uint64_t task;

	(void)state;
	found = recorded(0);
	assert_string_equal(found, "");
	free(found);
	for (attempt = 0; attempt < 3; attempt++) {
		tasks = (struct idset){0};
		assert_int_equal(idset_parse(&tasks, texts[attempt], NULL), 0);
		assert_int_equal(
		    job_empty_logs_note(job, attempt, &tasks, NULL), 0);
		/* Once more, as after a crash. */
		assert_int_equal(
		    job_empty_logs_note(job, attempt, &tasks, NULL), 0);
		idset_free(&tasks);
		found = recorded(attempt);
		assert_string_equal(found, texts[attempt]);
		free(found);
	}
	for (task = 0; task < 1100; task += 3)
		idset_add(&all, task, task);
	assert_int_equal(job_empty_logs_note(job, 7, &all, NULL), 0);
	wanted = idset_text(&all);
	found = recorded(7);
	assert_string_equal(found, wanted);
	free(found);
	free(wanted);
	idset_free(&all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		each_recorded_task_is_found, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
