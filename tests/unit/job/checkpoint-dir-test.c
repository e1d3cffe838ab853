#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>

#include "../fs-faults.h"
#include "../place.h"
#include "job/checkpoint-dir.h"

/* What a file of this name in the checkpoint directory of a task is taken for.
 */
static void
expect(void *state, const char *name, int answer)
{
	struct store_job *job = place_job(state, 1);
	char *path = job_checkpoint_path(job, 0, 0);
	int dir;

	assert_int_equal(fs_make_dirs(path, NULL), 0);
	dir = fs_open_dir(path, NULL);
	if (name != NULL)
		assert_int_equal(fs_place(dir, name, "1", 1, NULL), 0);
	fs_close(dir);
	assert_int_equal(job_checkpoint_is_there(job, 0, 0, NULL), answer);
	free(path);
	store_job_free(job);
}

static void
any_file_is_a_checkpoint(void **state)
{
	struct store_job *job = place_job(*state, 1);

	assert_int_equal(job_checkpoint_is_there(job, 0, 0, NULL), 0);
	store_job_free(job);
	expect(*state, NULL, 0);
	expect(*state, "epoch=1.ckpt", 1);
	expect(*state, ".orbax", 1);
}

/* The answer when the at-th call of those that look fails; -2 if none did. */
static int
look(const struct store_job *job, int at, int number, struct error *e)
{
	int answer;

	real = fs_ops;
	memset(&fault, 0, sizeof fault);
	fault.at = at;
	fault.error = number;
	fs_ops.openat = bad_openat;
	fs_ops.readdir = bad_readdir;
	answer = job_checkpoint_is_there(job, 0, 0, e);
	fs_ops = real;
	return fault.calls < at ? -2 : answer;
}

static void
what_cannot_be_looked_at_is_not_missing(void **state)
{
	static const int numbers[] = {EIO, ESTALE, EINTR, EMFILE, EACCES};
	struct store_job *job = place_job(*state, 1);
	char *path = job_checkpoint_path(job, 0, 0);
	struct error e;
	int at, answer, dir;
	size_t i;

	assert_int_equal(fs_make_dirs(path, NULL), 0);
	dir = fs_open_dir(path, NULL);
	assert_int_equal(fs_place(dir, "epoch=1.ckpt", "1", 1, NULL), 0);
	fs_close(dir);
	for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		for (at = 1; (answer = look(job, at, numbers[i], &e)) != -2;
		     at++) {
			assert_int_not_equal(answer, 0);
			assert_true(answer == 1 || strstr(e.text, path));
		}
		assert_int_equal(look(job, 1, numbers[i], &e), -1);
		assert_true(at > 2);
	}
	free(path);
	store_job_free(job);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(any_file_is_a_checkpoint),
	    TEST(what_cannot_be_looked_at_is_not_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
