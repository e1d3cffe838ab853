/* Whether what a job was submitted with is there as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../place.h"
#include "job/preflight.h"

static struct fs_ops real;
static struct place place;
static struct store_job *job;

static int
set_up(void **state)
{
	(void)state;
	real = fs_ops;
	place_make(&place);
	job = place_job(&place, 1);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	fs_ops = real;
	store_job_free(job);
	place_remove(&place);
	return 0;
}

static ssize_t
failing_read(int fd, void *bytes, size_t length)
{
	(void)fd, (void)bytes, (void)length;
	errno = EIO;
	return -1;
}

static void
what_cannot_be_read_now_is_not_damaged(void **state)
{
	struct error e = {""};

	(void)state;
	assert_int_equal(job_preflight_check(job, &e), 0);
	fs_ops.read = failing_read;
	assert_int_equal(job_preflight_check(job, &e), -1);
	assert_int_equal(e.code, ERROR_LATER);
	assert_non_null(strstr(e.text, "batch.sh: cannot read: Input/output"));
	assert_null(strstr(e.text, "submit it again"));
	fs_ops = real;
	assert_int_equal(fs_ops.unlinkat(job->dir, "batch.sh", 0), 0);
	assert_int_equal(job_preflight_check(job, &e), -1);
	assert_int_equal(e.code, ERROR_ABSENT);
	assert_non_null(strstr(e.text, "submit it again"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		what_cannot_be_read_now_is_not_damaged, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
