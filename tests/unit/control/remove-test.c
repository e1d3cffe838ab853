/* Removing a job while others queue some of it; slurm-stop.t has the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "../place.h"
#include "control/enqueue.h"
#include "control/remove.h"
#include "store/chunk.h"

static char chunk[] = "c00001.0";

/* A job with a chunk that nobody has queued yet, but for the first. */
static struct store_job *
job_requeue(struct place *p)
{
	struct store_job *job = place_job(p, 1);
	struct store_chunk c = {.name = chunk, .token = chunk, .attempt = 1};

	idset_add(&c.tasks, 0, 0);
	assert_int_equal(store_intent(job, &c, NULL), 0);
	idset_free(&c.tasks);
	return job;
}

static void
a_job_is_in_its_place_or_gone(void **state)
{
	struct place *p = *state;
	struct store_job *job = place_job(p, 1);
	struct store_job *other;
	char *trash;

	assert_int_equal(store_job_is_gone(job, NULL), 0);
	trash = store_take(p->store, job->name, job->id, NULL);
	assert_non_null(trash);
	assert_int_equal(store_job_is_gone(job, NULL), 1);
	assert_int_equal(store_put_back(p->store, trash, job->name, NULL), 0);
	assert_int_equal(store_job_is_gone(job, NULL), 0);
	assert_int_equal(store_remove(p->store, job->name, job->id, NULL), 0);
	other = place_store(p, place_record(job->name, 1));
	assert_int_equal(store_job_is_gone(job, NULL), 1);
	assert_int_equal(store_job_is_gone(other, NULL), 0);
	free(trash);
	store_job_free(other);
	store_job_free(job);
}

/* It has its job open, and records a try after that was taken. */
static void
sbatch_is_not_called_for_a_job_that_was_taken(void **state)
{
	struct place *p = *state;
	struct store_job *job = job_requeue(p);
	struct strlist names = {0};
	const struct job_enqueue how = {.only = &names};
	char *trash = store_take(p->store, job->name, job->id, NULL);
	struct job_enqueued queued;
	struct store_chunk c;
	struct error e;

	strlist_push(&names, chunk);
	assert_int_equal(job_enqueue(job, &how, &queued, &e), QUEUE_REFUSED);
	assert_true(queued.gone);
	assert_int_equal(queued.left, 0);
	assert_string_equal(e.text, "job0: removed meanwhile");
	assert_int_equal(store_chunk_read(job, chunk, &c, NULL), 0);
	assert_int_equal(c.tries, 1);
	assert_true(c.refused);
	assert_string_equal(c.refusal, "job0: removed meanwhile");
	store_chunk_free(&c);
	/* Also where its records are gone. */
	assert_int_equal(store_drop(p->store, trash, NULL), 0);
	assert_int_equal(job_enqueue(job, &how, &queued, &e), QUEUE_REFUSED);
	assert_true(queued.gone);
	assert_string_equal(e.text, "job0: removed meanwhile");
	strlist_free(&names);
	free(trash);
	store_job_free(job);
}

static void
a_job_stays_when_slurm_does_not_say(void **state)
{
	struct place *p = *state;
	struct store_job *job = place_job(p, 1);
	struct error e;
	int late;

	assert_int_equal(job_remove(p->store, job, &late, &e), JOB_NOT_REMOVED);
	assert_int_equal(e.code, ERROR_NO_SLURM);
	assert_non_null(strstr(e.text, "job0: not removed: "));
	assert_int_equal(store_job_is_gone(job, NULL), 0);
	store_job_free(job);
}

static void
of_two_one_removes_it(void **state)
{
	struct place *p = *state;
	struct store_job *job = place_job(p, 1);
	struct error e;
	int late;

	assert_int_equal(store_remove(p->store, job->name, job->id, NULL), 0);
	assert_int_equal(
	    job_remove(p->store, job, &late, &e), JOB_REMOVED_BEFORE);
	store_job_free(job);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, place_set_up, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_job_is_in_its_place_or_gone),
	    TEST(sbatch_is_not_called_for_a_job_that_was_taken),
	    TEST(a_job_stays_when_slurm_does_not_say),
	    TEST(of_two_one_removes_it),
	};

	setenv("SLURM_CONF", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
