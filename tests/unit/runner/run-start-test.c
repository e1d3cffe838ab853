#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "../place.h"
#include "runner/run-start.h"

/* How a run ends that began, by its own account. */
static void
end(const struct store_job *job, struct store_fact run, const char *kind,
    int64_t asked)
{
	struct store_fact_body body = store_fact_body();

	snprintf(run.kind, sizeof run.kind, "%s", kind);
	body.asked = asked;
	assert_int_equal(store_fact_publish(job, &run, &body, NULL), 0);
	store_fact_body_free(&body);
}

/* Slurm begins a task that it has put back so often: the run, and the answer */
static int
begin(const struct store_job *job, uint32_t count, struct store_fact *run,
    int64_t *code)
{
	struct store_fact_body body = store_fact_body();
	int rc;

	*run = (struct store_fact){.restart = count};
	rc = run_start(job, run, &body, 0, code, NULL);
	store_fact_body_free(&body);
	return rc;
}

static void
expect(const struct store_job *job, uint32_t count, uint32_t number,
    struct store_fact *run)
{
	int64_t code;

	assert_int_equal(begin(job, count, run, &code), 1);
	assert_int_equal(run->restart, number);
	assert_int_equal(run_start_count(job, run), count);
}

static void
what_was_interrupted_is_begun_as_the_next_run(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_fact run;

	expect(job, 0, 0, &run);
	end(job, run, "E143", SIGTERM);
	expect(job, 0, 1, &run);
	end(job, run, "Q", -1);
	expect(job, 0, 2, &run);
	/* One that does not end has lost its node. */
	expect(job, 0, 3, &run);
	store_job_free(job);
}

/* What was interrupted is begun again, and ends by itself then. */
static void
end_second(struct store_job *job, struct store_fact *run)
{
	expect(job, 0, 0, run);
	end(job, *run, "E143", SIGTERM);
	expect(job, 0, 1, run);
	end(job, *run, "E3", 0);
}

static void
what_ended_by_itself_is_not_begun_again(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_fact run;
	int64_t code;

	end_second(job, &run);
	assert_int_equal(begin(job, 0, &run, &code), 0);
	assert_int_equal(code, 3);
	store_job_free(job);
}

/* Slurm counts on from where it was, the store from where it is. */
static void
what_slurm_puts_back_is_another_run(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_fact run;
	int64_t code;

	end_second(job, &run);
	expect(job, 1, 2, &run);
	expect(job, 4, 4, &run);
	end(job, run, "E0", 0);
	assert_int_equal(begin(job, 4, &run, &code), 0);
	assert_int_equal(code, 0);
	store_job_free(job);
}

static struct fs_ops real;

static int
open_but(const char *unread, int dir, const char *name, int flags, mode_t mode)
{
	const char *kind = strrchr(name, '.');

	if (kind == NULL || strcmp(kind, unread) != 0)
		return real.openat(dir, name, flags, mode);
	errno = EIO;
	return -1;
}

static int
no_end(int dir, const char *name, int flags, mode_t mode)
{
	return open_but(".E0", dir, name, flags, mode);
}

static int
no_start(int dir, const char *name, int flags, mode_t mode)
{
	return open_but(".S", dir, name, flags, mode);
}

/* It may be one that nobody asked for, and then nothing is left to train. */
static void
what_ended_in_a_way_that_cannot_be_read_is_not_begun_again(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_fact run;
	int64_t code;

	expect(job, 0, 0, &run);
	end(job, run, "E0", 0);
	real = fs_ops;
	fs_ops.openat = no_end;
	assert_int_equal(begin(job, 0, &run, &code), -1);
	fs_ops = real;
	assert_int_equal(run.restart, 0);
	assert_int_equal(begin(job, 0, &run, &code), 0);
	assert_int_equal(code, 0);
	store_job_free(job);
}

/* Slurm may have put it back since, and then there is something to train. */
static void
what_began_in_a_way_that_cannot_be_read_is_not_called_over(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_fact run;
	int64_t code;

	end_second(job, &run);
	real = fs_ops;
	fs_ops.openat = no_start;
	assert_int_equal(begin(job, 1, &run, &code), -1);
	fs_ops = real;
	expect(job, 1, 2, &run);
	store_job_free(job);
}

static void
the_count_of_a_run_that_does_not_tell_is_its_number(void **state)
{
	struct store_job *job = place_job(*state, 1);
	const struct store_fact run = {.restart = 3};

	assert_int_equal(run_start_count(job, &run), 3);
	place_fact(job, "000000.0.3.S");
	assert_int_equal(run_start_count(job, &run), 3);
	store_job_free(job);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_was_interrupted_is_begun_as_the_next_run),
	    TEST(what_ended_by_itself_is_not_begun_again),
	    TEST(what_slurm_puts_back_is_another_run),
	    TEST(what_ended_in_a_way_that_cannot_be_read_is_not_begun_again),
	    TEST(what_began_in_a_way_that_cannot_be_read_is_not_called_over),
	    TEST(the_count_of_a_run_that_does_not_tell_is_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
