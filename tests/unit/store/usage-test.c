#include <sys/wait.h>

#include <stdio.h>
#include <unistd.h>

#include "../fs-faults.h"
#include "../place.h"
#include "store/usage.h"

/* As long as a record ever is. */
static const struct store_fact run = {.task = 7, .attempt = 1, .restart = 2};
static char first[8000], second[9000];

static void
fill(char *text, size_t size, char byte)
{
	memset(text, byte, size - 1);
	text[size - 1] = '\0';
}

/* ---- a writer that is killed ---- */

/* Write as a process that ends at its n-th call; whether it came so far. */
static int
write_until(const struct store_job *job, int n)
{
	pid_t pid = fork();
	int status;

	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		real = fs_ops;
		fault.at = n;
		fault.status = 9;
		fs_ops.openat = bad_openat;
		fs_ops.write = bad_write;
		fs_ops.fsync = bad_fsync;
		fs_ops.close = bad_close;
		fs_ops.linkat = bad_linkat;
		fs_ops.unlinkat = bad_unlinkat;
		fs_ops.renameat = bad_renameat;
		store_usage_write(job, &run, second, sizeof second - 1, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status) == 9;
}

static void
a_writer_that_is_killed_leaves_a_whole_record(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct error e;
	size_t length;
	char *text;
	int n = 1, killed = 1, seconds = 0;

	fill(first, sizeof first, 'a');
	fill(second, sizeof second, 'b');
	for (; killed; n++) {
		assert_int_equal(
		    store_usage_write(job, &run, first, sizeof first - 1, NULL),
		    0);
		killed = write_until(job, n);
		text = store_usage_read(job, &run, &length, NULL);
		assert_non_null(text);
		if (strcmp(text, first) != 0)
			assert_string_equal(text, second);
		seconds += strcmp(text, second) == 0;
		free(text);
	}
	assert_true(n > 6 && seconds > 1);
	assert_int_equal(store_usage_remove(job, &run, NULL), 0);
	assert_null(store_usage_read(job, &run, &length, &e));
	assert_int_equal(e.code, ERROR_ABSENT);
	assert_int_equal(store_usage_remove(job, &run, NULL), 0);
	store_job_free(job);
}

/* ---- whose it is ---- */

static void
copy_record(const struct store_job *from, const struct store_fact *run_from,
    const struct store_job *to, const struct store_fact *run_to)
{
	char a[STORE_FACT_NAME], b[STORE_FACT_NAME], *text;
	int source = fs_open_subdir(from->dir, "usage", 0, NULL);
	int target = fs_open_subdir(to->dir, "usage", 0, NULL);
	size_t length;

	store_usage_name(run_from, a);
	store_usage_name(run_to, b);
	assert_int_equal(fs_read(source, a, 1 << 20, &text, &length, NULL), 0);
	assert_int_equal(fs_unlink(target, b, NULL), 0);
	assert_int_equal(fs_place(target, b, text, length, NULL), 0);
	free(text);
	fs_close(source);
	fs_close(target);
}

static void
refuse_record(const struct store_job *job, const struct store_fact *of,
    const char *reason)
{
	struct error e;
	size_t length;

	assert_null(store_usage_read(job, of, &length, &e));
	assert_int_equal(e.code, ERROR_DAMAGED);
	if (strstr(e.text, reason) == NULL)
		fail_msg("%s", e.text);
}

static void
a_record_of_another_run_is_none(void **state)
{
	static const struct store_fact other = {.task = 8};
	struct store_job *job = place_job(*state, 9);
	struct store_job *second_job = place_job(*state, 9);

	fill(first, sizeof first, 'a');
	store_usage_write(job, &run, first, sizeof first - 1, NULL);
	store_usage_write(second_job, &run, first, sizeof first - 1, NULL);
	copy_record(job, &run, job, &other);
	refuse_record(job, &other, "damaged (it is the record 000007.1.2.csv)");
	copy_record(job, &run, second_job, &run);
	refuse_record(
	    second_job, &run, "damaged (it is a record of another job)");
	store_job_free(job);
	store_job_free(second_job);
}

static void
an_older_record_says_nothing_of_its_run(void **state)
{
	static const char old[] = "lines\n# crc32c %08x\n";
	struct store_job *job = place_job(*state, 9);
	char text[64], name[STORE_FACT_NAME], *got;
	size_t length;
	int dir;

	assert_int_equal(store_usage_write(job, &run, "x\n", 2, NULL), 0);
	dir = fs_open_subdir(job->dir, "usage", 0, NULL);
	store_usage_name(&run, name);
	assert_int_equal(fs_unlink(dir, name, NULL), 0);
	snprintf(text, sizeof text, old, fs_crc32c("lines\n", 6));
	assert_int_equal(fs_place(dir, name, text, strlen(text), NULL), 0);
	got = store_usage_read(job, &run, &length, NULL);
	assert_non_null(got);
	assert_string_equal(got, "lines\n");
	assert_int_equal(length, 6);
	free(got);
	fs_close(dir);
	store_job_free(job);
}

static void
a_file_is_of_one_run(void **state)
{
	static const char *const bad[] = {"", "000007.1.2", "7.1.2.csv",
	    "000007.1.2.new", "000007.1.csv", "000007.01.2.csv",
	    "000007.1.2.csv.csv", "-00007.1.2.csv"};
	struct store_fact got;
	size_t i;

	(void)state;
	assert_int_equal(store_usage_parse("000007.1.2.csv", &got), 1);
	assert_true(got.task == 7 && got.attempt == 1 && got.restart == 2);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(store_usage_parse(bad[i], &got), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		a_writer_that_is_killed_leaves_a_whole_record, place_set_up,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_record_of_another_run_is_none, place_set_up, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		an_older_record_says_nothing_of_its_run, place_set_up,
		place_tear_down),
	    cmocka_unit_test(a_file_is_of_one_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
