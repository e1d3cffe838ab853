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

/* Let the checkpoint of a task be so many seconds old. */
static void
save_of(const struct store_job *job, uint64_t task, int64_t ago)
{
	char *path = job_checkpoint_path(job, task, 0), *file;
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

static void
save(const struct store_job *job, int64_t ago)
{
	save_of(job, 1, ago);
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

/* ---- which of the best ---- */

/* The best quarter of so many tasks; they run, and have checkpoints. */
enum { TASKS = 40, QUARTER = TASKS / 4 };

static struct store_job *
population(struct place *p)
{
	struct store_job *job = place_job(p, TASKS);
	char name[STORE_FACT_NAME];
	int i;

	for (i = 0; i < QUARTER; i++) {
		snprintf(name, sizeof name, "%06d.0.0.S", i);
		publish(job, name, 600, 0);
		save_of(job, (uint64_t)i, 0);
	}
	return job;
}

/* Return from which task another one continues. */
static uint64_t
parent_of(struct store_job *job, uint64_t task, int64_t seed, int64_t epoch)
{
	const struct job_run run = {.job = job,
	    .fact = {.task = task},
	    .say = say_nothing,
	    .warn = say_nothing};
	const struct stop_pruned why = {.epoch = epoch,
	    .value = 1,
	    .rank = TASKS,
	    .count = TASKS,
	    .kept = QUARTER};
	struct run_exploit out = {0, NULL};
	struct idset best = {0};

	job->seed = seed;
	idset_add(&best, 0, QUARTER - 1);
	assert_int_equal(run_pbt_choose(&run, &best, &why, &out, NULL), 1);
	assert_true(out.parent < QUARTER);
	idset_free(&best);
	free(out.reason);
	return out.parent;
}

/* Sixteen draws give six different parents at least. */
static void
the_parent_is_drawn_by_seed_task_and_epoch(void **state)
{
	struct store_job *job = population(*state);
	struct idset by_task = {0}, by_seed = {0}, by_epoch = {0};
	uint64_t i, parent;

	for (i = 0; i < 16; i++) {
		parent = parent_of(job, 20 + i, 7, 3);
		assert_int_equal(parent_of(job, 20 + i, 7, 3), parent);
		idset_add(&by_task, parent, parent);
		parent = parent_of(job, 20, (int64_t)i, 3);
		idset_add(&by_seed, parent, parent);
		parent = parent_of(job, 20, 7, 3 * (1 + (int64_t)i));
		idset_add(&by_epoch, parent, parent);
	}
	assert_true(idset_size(&by_task) >= 6);
	assert_true(idset_size(&by_seed) >= 6);
	assert_true(idset_size(&by_epoch) >= 6);
	idset_free(&by_task);
	idset_free(&by_seed);
	idset_free(&by_epoch);
	store_job_free(job);
}

/* The others are over. */
static void
the_only_fit_parent_is_found_whatever_is_drawn(void **state)
{
	struct store_job *job = population(*state);
	char name[STORE_FACT_NAME];
	int64_t seed;
	int i;

	for (i = 0; i < QUARTER; i++) {
		snprintf(name, sizeof name, "%06d.0.0.E0", i);
		if (i != 6)
			publish(job, name, 0, 0);
	}
	for (seed = 0; seed < 16; seed++)
		assert_int_equal(parent_of(job, 20, seed, 3), 6);
	store_job_free(job);
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
	    cmocka_unit_test_setup_teardown(
		the_parent_is_drawn_by_seed_task_and_epoch, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		the_only_fit_parent_is_found_whatever_is_drawn,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
