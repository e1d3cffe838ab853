#include "job-after.h"
#include "place.h"

/* How a job is that waits for this, as its record has it. */
static enum job_after
look(struct place *p, const char *word, char **why)
{
	struct store_job *job = place_job(p, 1);
	enum job_after how;

	words_push(&job->after, word);
	how = job_after_look(job, why);
	store_job_free(job);
	return how;
}

static void
what_was_removed_is_over_but_did_not_finish(void **state)
{
	char *why;

	assert_int_equal(look(*state, "gone:any:1234", &why), JOB_AFTER_MET);
	assert_null(why);
	assert_int_equal(look(*state, "gone:ok:1234", &why), JOB_AFTER_NEVER);
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
		    look(*state, words[i], &why), JOB_AFTER_NEVER);
		free(why);
	}
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
