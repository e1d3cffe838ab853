#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "../place.h"
#include "job/checkpoint-dir.h"
#include "runner/pbt.h"
#include "runner/task.h"
#include "state/words.h"

static void __attribute__((format(printf, 1, 2)))
say_nothing(const char *fmt, ...)
{
	(void)fmt;
}

/* Publish a fact of task 1 that was made so many seconds ago. */
static void
publish(
    const struct store_job *job, const char *name, int64_t ago, int64_t behind)
{
	struct store_fact_body body = store_fact_body();
	int64_t made = time(NULL) - ago;
	struct store_fact fact;
	char file[STORE_FACT_NAME];
	int dir;

	assert_true(store_fact_parse(name, &fact));
	body.time = made - behind;
	assert_int_equal(store_fact_publish(job, &fact, &body, NULL), 0);
	store_fact_body_free(&body);
	store_fact_name(&fact, file);
	dir = store_fact_open(job, fact.task, 0, NULL);
	assert_int_equal(fs_set_changed(dir, file, made, NULL), 0);
	fs_close(dir);
}

/* Let the checkpoint of task 1 be so many seconds old. */
static void
save(const struct store_job *job, int64_t ago)
{
	char *path = job_checkpoint_path(job, 1, 0), *file;
	FILE *f;

	file = fs_join(path, "saved");
	assert_int_equal(fs_make_dirs(path, NULL), 0);
	f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(
	    fs_set_changed(AT_FDCWD, file, time(NULL) - ago, NULL), 0);
	free(file);
	free(path);
}

/* Return whether task 0 may continue from task 1, compared at an epoch. */
static int
may_continue(struct store_job *job, int64_t epoch)
{
	const struct job_run run = {
	    .job = job, .say = say_nothing, .warn = say_nothing};
	const struct stop_pruned why = {
	    .epoch = epoch, .value = 1, .rank = 4, .count = 4, .kept = 1};
	struct run_exploit out = {0, NULL};
	struct idset best = {0};
	int rc;

	idset_add(&best, 1, 1);
	rc = run_pbt_choose(&run, &best, &why, &out, NULL);
	assert_int_not_equal(rc, -1);
	idset_free(&best);
	free(out.reason);
	return rc;
}

/* The rungs are not in the order of their names: R12 is before R3. */
static void
a_checkpoint_is_newer_than_the_value_at_the_rung_before(void **state)
{
	struct store_job *job = place_job(*state, 2);

	publish(job, "000001.0.0.S", 600, 0);
	publish(job, "000001.0.0.R3=1", 500, 0);
	publish(job, "000001.0.0.R6=2", 400, 0);
	publish(job, "000001.0.0.R9=3", 300, 0);
	publish(job, "000001.0.0.R12=4", 200, 0);
	assert_false(may_continue(job, 15));
	save(job, 250);
	assert_false(may_continue(job, 15));
	assert_true(may_continue(job, 12));
	save(job, 150);
	assert_true(may_continue(job, 15));
	save(job, 550);
	assert_false(may_continue(job, 6));
	assert_true(may_continue(job, 3));
	publish(job, "000001.0.0.E0", 0, 0);
	assert_false(may_continue(job, 3));
	store_job_free(job);
}

/* A node's clock may be wrong, and a watcher's clock another one. */
static void
a_checkpoint_is_compared_by_the_clock_of_the_file_system(void **state)
{
	static const struct {
		int64_t node, writer;
	} behind[] = {{0, 0}, {3600, 3600}, {3600, 0}, {-3600, -3600},
	    {-3600, 0}, {0, 3600}, {0, -3600}};
	struct store_job *job;
	size_t i;

	for (i = 0; i < sizeof behind / sizeof *behind; i++) {
		job = place_job(*state, 2);
		publish(job, "000001.0.0.S", 600, behind[i].node);
		publish(job, "000001.0.0.R3=1", 300, behind[i].writer);
		save(job, 400);
		assert_false(may_continue(job, 6));
		save(job, 200);
		assert_true(may_continue(job, 6));
		store_job_free(job);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		a_checkpoint_is_newer_than_the_value_at_the_rung_before,
		place_set_up, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_checkpoint_is_compared_by_the_clock_of_the_file_system,
		place_set_up, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
