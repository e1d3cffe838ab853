#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "job/points.h"
#include "store/job.h"
#include "store/store.h"
#include "sys/fs.h"
#include "verify/verify.h"

static char place[] = "/tmp/stfm-points.XXXXXX";
static struct store *store;
static ssize_t bytes_read;
static ino_t broken; /* the file that the disk does not give back, or 0 */

static ssize_t
counting_read(int fd, void *out, size_t length)
{
	struct stat st;
	ssize_t n;

	if (broken != 0 && fstat(fd, &st) == 0 && st.st_ino == broken) {
		errno = EIO;
		return -1;
	}
	n = read(fd, out, length);
	bytes_read += n > 0 ? n : 0;
	return n;
}

static int
begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(place));
	store = store_open(place, 1, NULL);
	assert_non_null(store);
	fs_ops.read = counting_read;
	return 0;
}

static int
end(void **state)
{
	int root = fs_open_dir("/", NULL);

	(void)state;
	store_close(store);
	assert_int_equal(fs_remove_tree(root, place + 1, NULL), 0);
	fs_close(root);
	return 0;
}

/* A job whose points are "v0 \N", "v1 \N" and so on. */
static struct store_job *
make(const char *name, uint64_t tasks)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_job *job = xcalloc(1, sizeof *job);
	const char *value[2] = {NULL, NULL};
	char text[32], *points = NULL;
	FILE *f = open_memstream(&points, &files.points_length);
	uint64_t i;

	job->name = xstrdup(name);
	job->id = store_job_new_id();
	job->args = xstrdup("long");
	job->directory = xstrdup("/tmp");
	job->tasks = tasks;
	job->array_size = 1000;
	job->points_kept = 1;
	strlist_push(&job->names, "a");
	strlist_push(&job->names, "b");
	job_points_header(f, &job->names);
	for (i = 0; i < tasks; i++) {
		snprintf(text, sizeof text, "v%" PRIu64 "\t%d", i, 7);
		value[0] = text;
		job_points_row(f, value, 2);
	}
	fclose(f);
	files.points = points;
	job->fingerprint = job_points_fingerprint(points, files.points_length);
	assert_int_equal(store_job_create(store, job, &files, NULL), 0);
	free(points);
	return job;
}

/* Whether the values of a task are right; 0 when they are not told. */
static int
see(struct job_points *p, uint64_t task)
{
	const char *const *value = job_points_get(p, task, NULL);
	char text[32];

	if (value == NULL)
		return 0;
	snprintf(text, sizeof text, "v%" PRIu64 "\t%d", task, 7);
	assert_string_equal(value[0], text);
	assert_null(value[1]);
	return 1;
}

static void
few_points_are_read_alone(void **state)
{
	struct store_job *job = make("many", 50000);
	struct job_points *p = job_points_open_few(job, NULL);
	struct error e;
	uint64_t i;

	(void)state;
	bytes_read = 0;
	assert_true(see(p, 0));
	assert_true(see(p, 49999));
	assert_true(see(p, 31415));
	assert_in_range(bytes_read, 1, 1000);
	assert_null(job_points_get(p, 50000, &e));
	assert_non_null(strstr(e.text, "many/50000: no such task"));
	for (i = 0; i < 50000; i++)
		assert_true(see(p, i));
	assert_in_range(bytes_read, 600000, 1000000); /* all of them, once */
	job_points_free(p);
	/* As an earlier release left it. */
	assert_int_equal(unlinkat(job->dir, "points.idx", 0), 0);
	p = job_points_open_few(job, NULL);
	assert_true(see(p, 49999));
	job_points_free(p);
	store_job_free(job);
}

static void
overwrite(const struct store_job *job, const char *name, const char *bytes,
    size_t length)
{
	int fd = openat(job->dir, name, O_WRONLY | O_TRUNC);

	assert_true(fd != -1);
	assert_int_equal(write(fd, bytes, length), (ssize_t)length);
	close(fd);
}

/* Read all, and one: neither may give anything else than what was stored. */
static int
count_right(const struct store_job *job)
{
	struct job_points *all = job_points_open(job, NULL), *few;
	int right = 0;

	if (all != NULL)
		right += see(all, 3);
	job_points_free(all);
	few = job_points_open_few(job, NULL);
	assert_non_null(few);
	right += see(few, 3);
	job_points_free(few);
	return right;
}

/* Damage every bit of a file, and cut it everywhere. */
static void
damage(const struct store_job *job, const char *name, int least)
{
	size_t length, i;
	char *bytes;

	assert_int_equal(
	    fs_read(job->dir, name, 1 << 20, &bytes, &length, NULL), 0);
	for (i = 0; i < 8 * length; i++) {
		bytes[i / 8] ^= 1 << (i % 8);
		overwrite(job, name, bytes, length);
		bytes[i / 8] ^= 1 << (i % 8);
		assert_in_range(count_right(job), least, 2);
	}
	for (i = 0; i < length; i++) {
		overwrite(job, name, bytes, i);
		assert_in_range(count_right(job), least, 2);
	}
	overwrite(job, name, bytes, length);
	assert_int_equal(count_right(job), 2);
	free(bytes);
}

static void
damaged_points_are_never_taken_for_others(void **state)
{
	struct store_job *job = make("damaged", 5);

	(void)state;
	damage(job, "points.tsv", 0);
	damage(job, "points.idx", 2); /* the points tell for themselves */
	store_job_free(job);
}

/* A disk in trouble says nothing of what is on it. */
static void
points_that_cannot_be_read_are_not_damaged(void **state)
{
	struct store_job *job = make("unread", 5);
	char *names[] = {job->name};
	struct verify_findings found;
	struct error e;
	struct stat st;
	int rc;

	(void)state;
	assert_int_equal(fstatat(job->dir, "points.tsv", &st, 0), 0);
	broken = st.st_ino;
	assert_null(job_points_open(job, &e));
	assert_int_equal(e.code, ERROR_LATER);
	assert_int_equal(e.number, EIO);
	rc = verify_store(store, names, 1, &found, &e);
	broken = 0;
	assert_int_equal(rc, -1);
	assert_non_null(strstr(e.text, "points.tsv"));
	assert_non_null(strstr(e.text, strerror(EIO)));
	assert_int_equal(found.damage, 0);
	verify_findings_free(&found);

	overwrite(job, "points.tsv", "a\tb\n", 4);
	assert_null(job_points_open(job, &e));
	assert_int_equal(e.code, ERROR_DAMAGED);
	assert_int_equal(verify_store(store, names, 1, &found, &e), 0);
	assert_int_equal(found.damage, 1);
	verify_findings_free(&found);
	store_job_free(job);
}

static void
a_seed_of_nothing_that_is_drawn_changes_no_points(void **state)
{
	struct store_job job = {.name = (char[]){"seeded"}, .tasks = 4};
	struct job_points *p;
	struct error e;

	(void)state;
	strlist_push(&job.space, "--seed=7");
	strlist_push(&job.space, "a=1,2");
	strlist_push(&job.space, "--zip=b,c");
	strlist_push(&job.space, "b=3,4");
	strlist_push(&job.space, "--seed=8");
	strlist_push(&job.space, "c=5,6");
	strlist_push(&job.names, "a");
	strlist_push(&job.names, "b");
	strlist_push(&job.names, "c");
	p = job_points_open(&job, &e);
	assert_non_null(p);
	assert_string_equal(job_points_get(p, 3, NULL)[0], "2");
	assert_string_equal(job_points_get(p, 3, NULL)[2], "6");
	job_points_free(p);
	strlist_free(&job.space);
	strlist_free(&job.names);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(few_points_are_read_alone),
	    cmocka_unit_test(damaged_points_are_never_taken_for_others),
	    cmocka_unit_test(points_that_cannot_be_read_are_not_damaged),
	    cmocka_unit_test(a_seed_of_nothing_that_is_drawn_changes_no_points),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
