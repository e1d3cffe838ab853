/*
 * What is done where a record is damaged on which it hangs: nothing, and the
 * reason names the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../place.h"
#include "control/canary.h"
#include "control/enqueue.h"
#include "control/hold.h"
#include "control/max-fail.h"
#include "control/policy.h"
#include "control/restart.h"
#include "reconcile/reconcile.h"
#include "runner/task.h"
#include "store/facts.h"
#include "store/once.h"
#include "store/request.h"
#include "store/table.h"

enum { TASKS = 4, ARRAY = 4102 };

static char first[] = "c00000.0", second[] = "c00001.0", third[] = "c00002.0",
	    other[] = "c00003.0";

/* Turn a byte of each record whose name begins so. */
static void
damage(const struct store_job *job, const char *part, const char *begin)
{
	char *path = xasprintf("%s/%s", job->path, part), *name;
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int found = 0;
	FILE *file;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, begin, strlen(begin)) != 0)
			continue;
		name = fs_join(path, entry->d_name);
		file = fopen(name, "r+");
		assert_non_null(file);
		assert_int_equal(fseek(file, 9, SEEK_SET), 0);
		assert_int_equal(fputc('X', file), 'X');
		assert_int_equal(fclose(file), 0);
		free(name);
		found = 1;
	}
	assert_true(found);
	closedir(dir);
	free(path);
}

static void
request(const struct store_job *job, enum store_request_kind kind)
{
	struct store_request o = {.kind = kind, .parallel = 1};

	idset_add(&o.tasks, 0, TASKS - 1);
	assert_int_equal(store_request_add(job, &o, 1, NULL), 0);
	idset_free(&o.tasks);
}

static void
intend(const struct store_job *job, char *name, uint64_t task, uint64_t last,
    uint32_t attempt, int resume)
{
	struct store_chunk c = {
	    .name = name, .token = name, .attempt = attempt, .resume = resume};

	idset_add(&c.tasks, task, last);
	assert_int_equal(store_intent(job, &c, NULL), 0);
	idset_free(&c.tasks);
}

/* The reason names the file, and what to do. */
static void
expect_named(const struct error *e, const char *file)
{
	if (strstr(e->text, file) == NULL ||
	    strstr(e->text, "stfm-check --store --repair") == NULL)
		fail_msg("%s: does not name %s", e->text, file);
}

/* ---- a run ---- */

/* A run of task 0 in an array that has its chunk. */
static struct job_run
run_of(struct store_job *job, uint32_t attempt, uint32_t restart)
{
	struct job_run r = {.job = job, .array = ARRAY};

	r.chunk.name = first;
	r.chunk.array = ARRAY;
	r.chunk.attempt = attempt;
	r.fact.attempt = attempt;
	r.fact.restart = restart;
	return r;
}

static void
a_run_that_may_be_stopped_does_not_train(void **state)
{
	struct store_job *job = place_job(*state, TASKS);
	struct job_run r = run_of(job, 0, 0);
	struct error e;

	assert_int_equal(job_run_may_train(&r, &e), 1);
	place_wish(job, 3, 0, NULL);
	assert_int_equal(job_run_may_train(&r, &e), 1);
	damage(job, "ctl", "stop.");
	assert_int_equal(job_run_may_train(&r, &e), -1);
	expect_named(&e, "/ctl/stop.");
	assert_false(r.unwanted);
	/* What another stop request says is known. */
	place_wish(job, 0, 0, NULL);
	assert_int_equal(job_run_may_train(&r, &e), 0);
	assert_true(r.unwanted);
	store_job_free(job);
}

/* Slurm has put back a run; its task may have a newer attempt. */
static void
a_run_that_may_be_outdated_does_not_train(void **state)
{
	struct store_job *job = place_job(*state, TASKS);
	struct job_run once = run_of(job, 0, 0), again = run_of(job, 0, 1);
	struct error e;

	intend(job, first, 0, TASKS - 1, 0, 0);
	intend(job, second, 3, 3, 1, 0);
	assert_int_equal(job_run_may_train(&again, &e), 1);
	assert_int_equal(job_run_may_train(&once, &e), 1);
	damage(job, "sub", second);
	assert_int_equal(job_run_may_train(&again, &e), -1);
	assert_int_equal(job_run_may_train(&once, &e), -1);
	expect_named(&e, "/sub/c00001.0.intent");
	store_job_free(job);
}

/*
 * A task that was cancelled while it waited was queued again.  A Slurm that was
 * put back to what it knew before has the first array once more.
 */
static void
a_task_trains_in_the_array_that_was_queued_last(void **state)
{
	struct store_job *job = place_job(*state, TASKS);
	struct job_run old = run_of(job, 0, 0), new = run_of(job, 1, 0);
	struct error e;

	intend(job, first, 0, TASKS - 1, 0, 0);
	assert_int_equal(job_run_may_train(&old, &e), 1);
	intend(job, second, 0, 1, 1, 0);
	new.chunk.name = second;
	assert_int_equal(job_run_may_train(&old, &e), 0);
	assert_non_null(strstr(e.text, "/0 has a newer attempt"));
	assert_int_equal(job_run_may_train(&new, &e), 1);
	old.fact.task = 2;
	assert_int_equal(job_run_may_train(&old, &e), 1);
	/* What was not queued after all leaves the task to the first. */
	old.fact.task = 0;
	assert_int_equal(
	    store_chunk_close(job, second, STORE_WITHDRAWN, &e), 0);
	assert_int_equal(job_run_may_train(&old, &e), 1);
	store_job_free(job);
}

/* The intents of all arrays of a large job are not read for each task. */
static void
what_was_submitted_at_first_hides_no_newer_attempt(void **state)
{
	struct store_job *job = place_job(*state, 2000);
	struct job_run r = run_of(job, 0, 0);
	struct error e;

	intend(job, first, 0, 999, 0, 0);
	intend(job, second, 1000, 1999, 0, 0);
	damage(job, "sub", second);
	assert_int_equal(job_run_may_train(&r, &e), 1);
	intend(job, third, 0, 0, 1, 0);
	assert_int_equal(job_run_may_train(&r, &e), 0);
	store_job_free(job);
}

/* Open a run of task 0 in a chunk: 0, or -1 where it cannot be said which. */
static int
open_run(const struct store_job *job, char *chunk, struct error *e)
{
	char *const words[] = {job->path, job->id, chunk};
	struct job_run r = {.program = "stfm-run"};
	int rc = job_run_open(&r, words, 0, e);

	job_run_free(&r);
	return rc;
}

static void
a_run_goes_on_from_no_other_attempt(void **state)
{
	static const char points[] = "x\n1\n2\n3\n4\n";
	struct place *p = *state;
	struct store_job_files files = {.batch = "#!/bin/sh\n",
	    .points = points,
	    .points_length = sizeof points - 1};
	struct store_job *job = place_record("resumes", TASKS);
	struct error e;

	strlist_push(&job->names, "x");
	job->points_kept = 1;
	job->fingerprint = job_points_fingerprint(points, sizeof points - 1);
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	setenv("SLURM_ARRAY_JOB_ID", "4102", 1);
	setenv("SLURM_ARRAY_TASK_ID", "0", 1);
	intend(job, first, 0, TASKS - 1, 0, 0);
	intend(job, second, 0, 0, 1, 1);
	intend(job, third, 0, 0, 2, 1);
	intend(job, other, 3, 3, 1, 1);
	assert_int_equal(open_run(job, third, &e), 0);
	damage(job, "sub", other);
	assert_int_equal(open_run(job, third, &e), 0);
	damage(job, "sub", second);
	assert_int_equal(open_run(job, third, &e), -1);
	expect_named(&e, "/sub/c0000");
	store_job_free(job);
}

/* ---- queueing ---- */

static void
expect_not_queued(const struct store_job *job, const char *file)
{
	struct job_enqueued queued;
	struct error e;

	assert_int_equal(job_enqueue(job, NULL, &queued, &e), QUEUE_UNKNOWN);
	assert_true(queued.failed);
	expect_named(&e, file);
	job_enqueued_free(&queued);
}

static void
what_may_be_stopped_or_held_is_not_queued(void **state)
{
	struct store_job *job = place_job(*state, TASKS);

	place_wish(job, 3, 0, NULL);
	damage(job, "ctl", "stop.");
	expect_not_queued(job, "/ctl/stop.");
	store_job_free(job);
	job = place_job(*state, TASKS);
	request(job, STORE_REQUEST_HOLD);
	damage(job, "ctl", "order.");
	expect_not_queued(job, "/ctl/order.000001");
	store_job_free(job);
}

static void
expect_not_restarted(const struct store_job *job, const char *file)
{
	struct store_table *table = store_table_new(TASKS);
	struct job_restart how = {0};
	struct job_restarted done;
	struct store_chunks chunks;
	struct idset tasks = {0};
	struct error e;

	store_table_edit(table, 0)->state = STORE_ERROR;
	idset_add(&tasks, 0, 0);
	assert_int_equal(job_restart(job, table, &tasks, &how, &done, &e), -1);
	if (file != NULL)
		expect_named(&e, file);
	assert_int_equal(store_chunks_list(job, &chunks, NULL), 0);
	assert_int_equal(chunks.count + chunks.damaged.count, 1);
	store_chunks_free(&chunks);
	job_restarted_free(&done);
	idset_free(&tasks);
	store_table_free(table);
}

static void
nor_is_it_restarted(void **state)
{
	struct store_job *job = place_job(*state, TASKS);

	intend(job, first, 0, TASKS - 1, 0, 0);
	place_wish(job, 3, 0, NULL);
	damage(job, "ctl", "stop.");
	expect_not_restarted(job, "/ctl/stop.");
	store_job_free(job);
	job = place_job(*state, TASKS);
	intend(job, first, 0, TASKS - 1, 0, 0);
	request(job, STORE_REQUEST_HOLD);
	damage(job, "ctl", "order.");
	expect_not_restarted(job, "/ctl/order.000001");
	store_job_free(job);
	job = place_job(*state, TASKS);
	intend(job, first, 0, TASKS - 1, 0, 0);
	damage(job, "sub", first);
	expect_not_restarted(job, "/sub/c00000.0.intent");
	store_job_free(job);
}

/* ---- requests ---- */

static void
nothing_is_ordered_beside_what_is_damaged(void **state)
{
	struct store_job *job = place_job(*state, TASKS);
	struct store_table *table = store_table_new(TASKS);
	struct store_requests requests;
	struct job_held done;
	struct idset tasks = {0};
	struct error e;

	idset_add(&tasks, 0, 0);
	request(job, STORE_REQUEST_HOLD);
	damage(job, "ctl", "order.");
	assert_int_equal(job_hold_tasks(job, table, &tasks,
			     STORE_REQUEST_RELEASE, NULL, &done, &e),
	    -1);
	expect_named(&e, "/ctl/order.000001");
	assert_false(done.later);
	assert_int_equal(job_hold_parallel(job, 3, &done, &e), -1);
	expect_named(&e, "/ctl/order.000001");
	assert_int_equal(job_hold_rest(job, &done, &e), -1);
	expect_named(&e, "/ctl/order.000001");
	assert_int_equal(
	    store_requests_list(job, STORE_HOLDS, &requests, NULL), 0);
	assert_int_equal(requests.count, 0);
	store_requests_free(&requests);
	idset_free(&tasks);
	store_table_free(table);
	store_job_free(job);
}

static void
a_canary_lets_nothing_go_that_may_be_held(void **state)
{
	struct store_job *job = place_job(*state, TASKS);
	struct store_chunk c = {.name = first, .token = first, .array = ARRAY};
	struct error e;

	request(job, STORE_REQUEST_HOLD);
	idset_add(&c.tasks, 0, TASKS - 1);
	/* All of it is held: Slurm need not be told. */
	assert_int_equal(job_canary_release(job, &c, &e), 0);
	damage(job, "ctl", "order.");
	c.name = second;
	assert_int_equal(job_canary_release(job, &c, &e), -1);
	expect_named(&e, "/ctl/order.000001");
	assert_int_equal(store_once_is_set(job, "released.c00001.0", NULL), 0);
	idset_free(&c.tasks);
	store_job_free(job);
}

/* ---- rules ---- */

/* The last time is lost at which the rule has counted. */
static void
failures_are_not_counted_twice(void **state)
{
	struct store_job *job = place_record("counted", TASKS);
	struct store_requests stops;
	struct error e;

	job->policy.max_fail = 1;
	place_store(*state, job);
	place_fact(job, "000000.0.0.S");
	place_fact(job, "000000.0.0.E3");
	assert_int_equal(job_max_fail_check(job, &e), 1);
	damage(job, "ctl", "stop.");
	assert_int_equal(job_max_fail_check(job, &e), -1);
	expect_named(&e, "/ctl/stop.");
	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &stops, NULL), 0);
	assert_int_equal(stops.count, 0);
	store_requests_free(&stops);
	store_job_free(job);
}

/* ---- a pass ---- */

static void
expect_cause(const struct place *p, const struct store_job *job,
    const char *cause, const char *file)
{
	struct reconcile *pass = reconcile_alone(p->store, NULL);
	struct store_table *table;
	const struct store_row *row;

	assert_non_null(pass);
	assert_int_equal(reconcile_job(pass, job, NULL, NULL, &table, NULL), 0);
	row = store_table_row(table, 1);
	assert_int_equal(row->state, STORE_SUBMITTED);
	assert_string_equal(row->cause, cause);
	assert_int_equal(table->damaged.count, file != NULL);
	if (file != NULL)
		assert_non_null(strstr(table->damaged.word[0], file));
	store_table_free(table);
	reconcile_free(pass);
}

static void
a_pass_says_that_it_is_not_known(void **state)
{
	struct store_job *job = place_job(*state, TASKS);

	expect_cause(*state, job, "not queued yet", NULL);
	place_wish(job, 0, 0, NULL);
	expect_cause(*state, job, "not queued yet", NULL);
	damage(job, "ctl", "stop.");
	expect_cause(
	    *state, job, "perhaps stopped: a record is damaged", "/ctl/stop.");
	store_job_free(job);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown( \
	    name, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_run_that_may_be_stopped_does_not_train),
	    TEST(a_run_that_may_be_outdated_does_not_train),
	    TEST(a_task_trains_in_the_array_that_was_queued_last),
	    TEST(what_was_submitted_at_first_hides_no_newer_attempt),
	    TEST(a_run_goes_on_from_no_other_attempt),
	    TEST(what_may_be_stopped_or_held_is_not_queued),
	    TEST(nor_is_it_restarted),
	    TEST(nothing_is_ordered_beside_what_is_damaged),
	    TEST(a_canary_lets_nothing_go_that_may_be_held),
	    TEST(failures_are_not_counted_twice),
	    TEST(a_pass_says_that_it_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
