#include "../place.h"
#include "control/dependency.h"
#include "control/policy.h"
#include "store/table.h"

#include <errno.h>

/* How a job is that waits for this, as its record has it. */
static enum job_dependency
look(struct place *p, const char *word, char **why)
{
	struct store_job *job = place_job(p, 1);
	enum job_dependency how;

	strlist_push(&job->after, word);
	how = job_dependency_look(job, why);
	store_job_free(job);
	return how;
}

static void
what_was_removed_is_over_but_did_not_finish(void **state)
{
	char *why;

	assert_int_equal(
	    look(*state, "gone:any:1234", &why), JOB_DEPENDENCY_MET);
	assert_null(why);
	assert_int_equal(
	    look(*state, "gone:ok:1234", &why), JOB_DEPENDENCY_NEVER);
	assert_string_equal(why, "after gone, which was removed");
	free(why);
}

static void
records_that_are_cut_short_are_read_to_their_end(void **state)
{
	static const char *const words[] = {"gone", "gone:", "gone:any", ""};
	char *why;
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++) {
		assert_int_not_equal(
		    look(*state, words[i], &why), JOB_DEPENDENCY_NEVER);
		free(why);
	}
}

static int (*real_openat)(int dir, const char *name, int flags, mode_t mode);

static int
openat_but_sub(int dir, const char *name, int flags, mode_t mode)
{
	if (strcmp(name, "sub") == 0) {
		errno = EIO;
		return -1;
	}
	return real_openat(dir, name, flags, mode);
}

/* What is waited for may come again: a pass that cannot tell says why. */
static void
nobody_knows_what_comes_again_without_reading_it(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_table *table = store_table_new(1);
	struct store_row *row = store_table_edit(table, 0);
	struct error e = {""};

	row->state = STORE_ERROR;
	row->cause = xstrdup("exit 1");
	store_table_count(table);
	job->policy.requeue = 1;
	assert_int_equal(job_policy_comes_again(job, table, &e), 0);
	assert_int_equal(job_policy_is_over(job, table, &e), 1);
	real_openat = fs_ops.openat;
	fs_ops.openat = openat_but_sub;
	assert_int_equal(job_policy_comes_again(job, table, &e), -1);
	assert_non_null(strstr(e.text, "sub"));
	assert_int_equal(job_policy_is_over(job, table, &e), -1);
	fs_ops.openat = real_openat;
	store_table_free(table);
	store_job_free(job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		what_was_removed_is_over_but_did_not_finish, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		records_that_are_cut_short_are_read_to_their_end,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		nobody_knows_what_comes_again_without_reading_it,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
