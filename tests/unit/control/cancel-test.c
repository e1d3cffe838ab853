/* A stop while a rule of the job queues its tasks again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "../place.h"
#include "base/text.h"
#include "control/cancel-race.h"
#include "control/cancel.h"
#include "control/enqueue.h"
#include "control/retry.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/request.h"
#include "store/table.h"

enum { TASKS = 4 };

static char first[] = "c00000.0", second[] = "c00001.0", third[] = "c00002.0",
	    fourth[] = "c00003.0";
static const char any[] = "any";
static char requeue[] = "requeue", max_fail[] = "max-fail 1";

static void
intend(const struct store_job *job, char *name, uint64_t task, uint64_t last,
    uint32_t attempt, char *why)
{
	struct store_chunk c = {
	    .name = name, .token = name, .attempt = attempt, .why = why};

	idset_add(&c.tasks, task, last);
	assert_int_equal(store_intent(job, &c, NULL), 0);
	idset_free(&c.tasks);
}

/* A job whose tasks a rule has queued again, and that some do not know yet. */
static struct store_job *
job_requeue(struct place *p)
{
	struct store_job *job = place_job(p, TASKS);

	intend(job, first, 0, TASKS - 1, 0, NULL);
	intend(job, second, 1, 2, 1, requeue);
	intend(job, third, 3, 3, 1, requeue);
	return job;
}

/* Whether it is wished to stop in an attempt for this reason, or for any. */
static int
is_wished_for(const struct store_job *job, uint64_t task, uint32_t attempt,
    const char *why)
{
	const struct store_request *w;
	struct store_requests stops;
	int is;

	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &stops, NULL), 0);
	w = state_stop(&stops, task, attempt);
	is = w != NULL && (why == any || text_same(w->why, why));
	store_requests_free(&stops);
	return is;
}

/* Whether it is, so that it does not train. */
static int
is_wished(const struct store_job *job, uint64_t task, uint32_t attempt)
{
	return is_wished_for(job, task, attempt, any);
}

static enum store_claim
claim_of(const struct store_job *job, const char *name)
{
	struct store_chunk c;
	enum store_claim claim;

	assert_int_equal(store_chunk_read(job, name, &c, NULL), 0);
	claim = c.claim;
	store_chunk_free(&c);
	return claim;
}

/* Stop a task as of before it was queued again. */
static void
stop_early(const struct store_job *job, uint64_t task, const char *why)
{
	struct store_table *table = store_table_new(TASKS);
	struct idset tasks = {0};
	struct error e;
	enum job_cancel_outcome outcome;
	int rc;

	idset_add(&tasks, task, task);
	if (why == stop_words(STOP_NO_REQUEUE))
		rc = job_cancel_retries(job, table, &tasks, NULL, &outcome, &e);
	else
		rc = job_cancel(job, table, &tasks, why, NULL, &outcome, &e);
	assert_int_equal(rc, 0);
	assert_true(outcome);
	idset_free(&tasks);
	store_table_free(table);
}

static void
what_was_queued_again_meanwhile_is_stopped(void **state)
{
	struct store_job *job = job_requeue(*state);

	stop_early(job, 1, NULL);
	assert_true(is_wished(job, 1, 0));
	assert_true(is_wished(job, 1, 1));
	assert_false(is_wished(job, 2, 1));
	stop_early(job, 2, stop_words(STOP_NO_REQUEUE));
	assert_true(is_wished(job, 2, 1));
	assert_false(is_wished(job, 3, 1));
	store_job_free(job);
}

static ssize_t
no_space(int fd, const void *bytes, size_t length)
{
	(void)fd, (void)bytes, (void)length;
	errno = ENOSPC;
	return -1;
}

/* Without Slurm it would be untold, had it been asked. */
static void
without_a_wish_slurm_is_not_told(void **state)
{
	struct store_job *job = job_requeue(*state);
	struct store_table *table = store_table_new(TASKS);
	struct idset tasks = {0};
	const struct fs_ops usual = fs_ops;
	enum job_cancel_outcome outcome;
	uint32_t array = 17;
	struct error e;

	assert_int_equal(store_claim(job, first, &array, NULL), 0);
	idset_add(&tasks, 0, 0);
	fs_ops.write = no_space;
	assert_int_equal(
	    job_cancel(job, table, &tasks, NULL, NULL, &outcome, &e), -1);
	fs_ops = usual;
	assert_int_equal(outcome, JOB_CANCEL_UNRECORDED);
	assert_non_null(strstr(e.text, "No space left"));
	assert_int_equal(
	    job_cancel(job, table, &tasks, NULL, NULL, &outcome, &e), -1);
	assert_int_equal(outcome, JOB_CANCEL_UNANSWERED);
	idset_free(&tasks);
	store_table_free(table);
	store_job_free(job);
}

/* By a rule, too; but not what a user has queued again. */
static void
what_a_rule_stops_does_not_come_again(void **state)
{
	struct store_job *job = job_requeue(*state);
	struct store_table *table = store_table_new(TASKS);
	struct idset tasks = {0};
	enum job_cancel_outcome outcome;

	intend(job, fourth, 0, 0, 1, NULL);
	stop_early(job, 1, max_fail);
	assert_true(is_wished_for(job, 1, 0, max_fail));
	assert_true(is_wished_for(job, 1, 1, max_fail));
	stop_early(job, 0, max_fail);
	assert_false(is_wished(job, 0, 1));
	stop_early(job, 0, NULL);
	assert_true(is_wished_for(job, 0, 1, NULL));
	/* What is over is not stopped by that, but only not queued again. */
	idset_add(&tasks, 0, TASKS - 1);
	assert_int_equal(
	    job_cancel_retries(job, table, &tasks, max_fail, &outcome, NULL),
	    0);
	assert_false(is_wished(job, 3, 0));
	assert_true(is_wished_for(job, 3, 1, max_fail));
	assert_true(is_wished_for(job, 2, 1, max_fail));
	idset_free(&tasks);
	store_table_free(table);
	store_job_free(job);
}

/* What was withdrawn is no attempt. */
static void
nothing_else_is_stopped(void **state)
{
	struct store_job *job = job_requeue(*state);

	assert_int_equal(
	    store_chunk_close(job, third, STORE_WITHDRAWN, NULL), 0);
	stop_early(job, 3, NULL);
	assert_false(is_wished(job, 3, 1));
	store_job_free(job);
}

/* Try to queue all, without Slurm. */
static void
queue(const struct store_job *job)
{
	struct job_enqueued queued;
	struct error e;

	job_enqueue(job, NULL, &queued, &e);
	job_enqueued_free(&queued);
}

static void
a_stop_before_withdraws_what_a_rule_made(void **state)
{
	char *unretried = (char *)(uintptr_t)stop_words(STOP_NO_REQUEUE);
	struct store_job *job = job_requeue(*state);
	uint64_t task;

	for (task = 0; task < TASKS; task++)
		place_wish(job, task, 0, task == 1 ? unretried : NULL);
	queue(job);
	assert_int_equal(claim_of(job, second), STORE_WITHDRAWN);
	assert_int_equal(claim_of(job, third), STORE_WITHDRAWN);
	assert_false(is_wished(job, 3, 1));
	store_job_free(job);
}

static int
heed(const struct store_job *job, const char *name)
{
	struct store_requests stops;
	struct store_chunk c;
	int rc;

	assert_int_equal(store_chunk_read(job, name, &c, NULL), 0);
	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &stops, NULL), 0);
	rc = job_cancel_unwanted(job, &c, 1, &stops, NULL);
	store_requests_free(&stops);
	store_chunk_free(&c);
	return rc;
}

static void
a_part_of_it_is_wished_to_stop(void **state)
{
	struct store_job *job = job_requeue(*state);

	assert_int_equal(heed(job, second), 0);
	place_wish(job, 1, 0, NULL);
	assert_int_equal(heed(job, second), 0);
	assert_int_equal(claim_of(job, second), STORE_OPEN);
	assert_true(is_wished(job, 1, 1));
	assert_false(is_wished(job, 2, 1));
	/* What may be in the queue can be cancelled by a stop request alone. */
	place_wish(job, 3, 0, NULL);
	assert_int_equal(store_try(job, third, 1, NULL), 0);
	assert_int_equal(heed(job, third), 1);
	assert_int_equal(claim_of(job, third), STORE_OPEN);
	assert_true(is_wished(job, 3, 1));
	store_job_free(job);
}

/* The rule that counts failures stopped it before, or wants it no more. */
static void
what_a_rule_gave_up_is_not_queued(void **state)
{
	char *not_again = state_not_again(max_fail);
	struct store_job *job = job_requeue(*state);

	job->policy.max_fail = 1;
	place_wish(job, 2, 0, not_again);
	assert_int_equal(heed(job, second), 0);
	assert_int_equal(claim_of(job, second), STORE_OPEN);
	assert_true(is_wished_for(job, 2, 1, max_fail));
	assert_false(is_wished(job, 1, 1));
	place_wish(job, 3, 0, max_fail);
	assert_int_equal(heed(job, third), 1);
	assert_int_equal(claim_of(job, third), STORE_WITHDRAWN);
	free(not_again);
	store_job_free(job);
}

/* The points are dropped while a watcher has the job as it was. */
static void
what_is_dropped_meanwhile_is_not_queued(void **state)
{
	struct store_job *job = job_requeue(*state);
	struct store_extension x = {.first = TASKS, .tasks = TASKS};

	idset_add(&x.dropped, 2, 3);
	x.fingerprint = xstrdup("0123456789abcdef");
	assert_int_equal(store_extend(job, &x, NULL, 0, NULL), 0);
	assert_null(store_job_dropped(job));
	assert_int_equal(heed(job, second), 0);
	assert_true(is_wished_for(job, 2, 1, stop_words(STOP_DROPPED)));
	assert_false(is_wished(job, 1, 1));
	assert_int_equal(heed(job, third), 1);
	assert_int_equal(claim_of(job, third), STORE_WITHDRAWN);
	idset_free(&x.dropped);
	free(x.fingerprint);
	store_job_free(job);
}

/* The user, or a rule behind the user, queued again what was stopped. */
static void
what_a_user_restarts_is_wanted(void **state)
{
	struct store_job *job = place_job(*state, TASKS);

	intend(job, first, 0, TASKS - 1, 0, NULL);
	place_wish(job, 0, 0, NULL);
	intend(job, second, 0, 0, 1, NULL);
	assert_int_equal(heed(job, second), 0);
	intend(job, third, 0, 0, 2, requeue);
	assert_int_equal(heed(job, third), 0);
	place_wish(job, 0, 1, (char *)(uintptr_t)stop_words(STOP_RESTARTED));
	assert_int_equal(heed(job, third), 0);
	place_wish(job, 0, 1, NULL);
	assert_int_equal(heed(job, third), 1);
	assert_int_equal(claim_of(job, third), STORE_WITHDRAWN);
	assert_int_equal(claim_of(job, second), STORE_OPEN);
	store_job_free(job);
}

/* Whether a rule would queue task 0 again that ended in an attempt. */
static int
comes_again(const struct store_job *job, uint32_t attempt)
{
	struct store_requests stops;
	const struct store_chunks none = {0};
	const struct job_retry r = {.job = job,
	    .chunks = &none,
	    .stops = &stops,
	    .attempt = attempt,
	    .cause = "NODE_FAIL"};
	const struct store_chunk *newest;
	int64_t value;
	int again;

	assert_int_equal(
	    store_requests_list(job, STORE_STOPS, &stops, NULL), 0);
	again = job_retry_find(&r, &newest, &value) != JOB_RETRY_NONE;
	store_requests_free(&stops);
	return again;
}

/* It is in ERROR still: that is how it ended. */
static void
what_ends_by_itself_while_it_is_stopped_does_not_come_again(void **state)
{
	struct store_job *job = place_job(*state, TASKS);

	job->policy.requeue = 1;
	place_wish(job, 0, 0, (char *)(uintptr_t)stop_words(STOP_RESTARTED));
	place_wish(job, 1, 0, NULL);
	assert_true(comes_again(job, 0));
	place_wish(job, 0, 0, NULL);
	assert_false(comes_again(job, 0));
	assert_true(comes_again(job, 1));
	store_job_free(job);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown( \
	    name, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_was_queued_again_meanwhile_is_stopped),
	    TEST(without_a_wish_slurm_is_not_told),
	    TEST(what_a_rule_stops_does_not_come_again),
	    TEST(nothing_else_is_stopped),
	    TEST(a_stop_before_withdraws_what_a_rule_made),
	    TEST(a_part_of_it_is_wished_to_stop),
	    TEST(what_a_rule_gave_up_is_not_queued),
	    TEST(what_is_dropped_meanwhile_is_not_queued),
	    TEST(what_a_user_restarts_is_wanted),
	    TEST(what_ends_by_itself_while_it_is_stopped_does_not_come_again),
	};

	setenv("SLURM_CONF", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
