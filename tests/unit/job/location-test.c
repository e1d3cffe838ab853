/* Where a job was made, and where it is now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../place.h"
#include "base/xalloc.h"
#include "job/location.h"

static struct fs_ops real;
static struct place place, other;
static struct store_job *job; /* in place, made in it */
static int reason;            /* for which its old path cannot be looked at */

static void
make(struct place *p, const char *id)
{
	const struct store_job_files files = {.batch = "#!/bin/sh\n"};

	job = xcalloc(1, sizeof *job);
	job->name = xstrdup("conv2d");
	job->id = xstrdup(id);
	job->args = xstrdup("long");
	job->directory = xstrdup("/tmp");
	job->tasks = 1;
	job->array_size = 1;
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	store_job_free(job);
	job = store_job_load(p->store, "conv2d", NULL);
	assert_non_null(job);
}

static int
set_up(void **state)
{
	(void)state;
	real = fs_ops;
	reason = 0;
	place_make(&place);
	place_make(&other);
	make(&place, "1");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	fs_ops = real;
	store_job_free(job);
	place_remove(&other);
	place_remove(&place);
	return 0;
}

static void
was_made_in(const char *path)
{
	free(job->made_in);
	job->made_in = xstrdup(path);
}

static int
failing_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	if (dir != AT_FDCWD || strcmp(path, job->made_in) != 0)
		return real.fstatat(dir, path, st, flags);
	errno = reason;
	return -1;
}

static void
a_new_job_is_in_its_place(void **state)
{
	(void)state;
	assert_string_equal(job->made_in, job->path);
	fs_ops.fstatat = failing_fstatat; /* nobody looks */
	reason = ENOENT;
	assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
}

static void
by_another_path_it_is_in_its_place(void **state)
{
	char link[128];

	(void)state;
	snprintf(link, sizeof link, "%s/link", other.path);
	assert_int_equal(symlink(job->path, link), 0);
	was_made_in(link);
	assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
	assert_int_equal(job_location_begin(job, NULL), 0);
}

static int
fstatat_elsewhere(int dir, const char *path, struct stat *st, int flags)
{
	int rc = real.fstatat(dir, path, st, flags);

	st->st_dev += dir == AT_FDCWD;
	return rc;
}

static void
by_another_mount_it_is_in_its_place(void **state)
{
	by_another_path_it_is_in_its_place(state);
	fs_ops.fstatat = fstatat_elsewhere;
	assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
}

static void
without_a_record_of_it_nobody_can_tell(void **state)
{
	(void)state;
	free(job->made_in);
	job->made_in = NULL;
	assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
}

static void
what_is_not_there_was_moved(void **state)
{
	struct error e;

	(void)state;
	was_made_in("/nonexistent/a b/jobs/conv2d");
	assert_int_equal(job_location(job, &e), JOB_MOVED);
	assert_non_null(strstr(e.text, ", or: ln -s /"));
	assert_non_null(strstr(e.text, " '/nonexistent/a b'"));
	assert_int_equal(job_location_refuse_copy(job, NULL), 0);
	assert_int_equal(job_location_begin(job, &e), -1);
	assert_ptr_equal(strstr(e.text, "conv2d: was made in"), e.text);
}

static void
what_was_imported_is_where_it_is(void **state)
{
	(void)state;
	was_made_in("/nonexistent/jobs/conv2d");
	job->imported = xstrdup("Slurm job 12");
	assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
}

static void
what_cannot_be_looked_at_says_nothing(void **state)
{
	static const int reasons[] = {EACCES, ESTALE, EIO, ELOOP};
	size_t i;

	(void)state;
	was_made_in("/nonexistent/jobs/conv2d");
	fs_ops.fstatat = failing_fstatat;
	for (i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		reason = reasons[i];
		assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
	}
}

static void
of_two_the_one_where_it_was_made_counts(void **state)
{
	char *here = xstrdup(job->path);
	struct error e;

	(void)state;
	store_job_free(job);
	make(&other, "1");
	was_made_in(here);
	assert_int_equal(job_location(job, &e), JOB_COPIED);
	assert_non_null(strstr(e.text, here));
	assert_int_equal(job_location_refuse_copy(job, NULL), -1);
	assert_int_equal(job_location_begin(job, NULL), -1);
	free(here);
}

static void
another_job_of_the_name_is_none(void **state)
{
	char *here = xstrdup(job->path);
	struct error e;

	(void)state;
	store_job_free(job);
	make(&other, "2");
	was_made_in(here);
	assert_int_equal(job_location(job, &e), JOB_MOVED);
	assert_null(strstr(e.text, "ln -s"));
	free(here);
}

static void
a_record_that_is_damaged_says_nothing(void **state)
{
	char *here = xstrdup(job->path), *record = fs_join(here, "job.json");

	(void)state;
	store_job_free(job);
	make(&other, "1");
	was_made_in(here);
	assert_int_equal(truncate(record, 10), 0);
	assert_int_equal(job_location(job, NULL), JOB_IN_PLACE);
	assert_int_equal(unlink(record), 0);
	assert_int_equal(job_location(job, NULL), JOB_MOVED);
	free(record);
	free(here);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_new_job_is_in_its_place),
	    TEST(by_another_path_it_is_in_its_place),
	    TEST(by_another_mount_it_is_in_its_place),
	    TEST(without_a_record_of_it_nobody_can_tell),
	    TEST(what_is_not_there_was_moved),
	    TEST(what_was_imported_is_where_it_is),
	    TEST(what_cannot_be_looked_at_says_nothing),
	    TEST(of_two_the_one_where_it_was_made_counts),
	    TEST(another_job_of_the_name_is_none),
	    TEST(a_record_that_is_damaged_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
