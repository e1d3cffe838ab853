#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "state/words.h"

static void
every_cause_is_known_by_its_words(void **state)
{
	const char *rest;
	char *text;
	int c;

	(void)state;
	for (c = CAUSE_OTHER + 1; c < CAUSES; c++) {
		assert_non_null(cause_words((enum cause)c));
		assert_int_equal(cause_of(cause_words((enum cause)c), NULL), c);
		text = xasprintf("(%s)", cause_words((enum cause)c));
		assert_int_equal(cause_of(text, &rest), c);
		assert_string_equal(rest, ")");
		free(text);
	}
}

/* Stores that were written before have these: they must stay. */
static void
words_of_old_stores_are_known(void **state)
{
	static const struct {
		const char *text;
		enum cause cause;
		const char *rest;
	} table[] = {
	    {"not queued yet", CAUSE_UNQUEUED, ""},
	    {"being queued", CAUSE_QUEUEING, ""},
	    {"just queued", CAUSE_FRESH, ""},
	    {"not in the queue", CAUSE_ABSENT, ""},
	    {"to be queued again", CAUSE_REQUEUE, ""},
	    {"(held by you)", CAUSE_HELD, ")"},
	    {"(held with another task)", CAUSE_HELD_BESIDE, ")"},
	    {"(waiting for the canary)", CAUSE_CANARY, ")"},
	    {"(waiting for the canary, which failed: restart task 0)",
		CAUSE_CANARY_FAILED, ")"},
	    {"(after prep and eval)", CAUSE_AFTER, "prep and eval)"},
	    {"(not queued yet: Slurm refuses: x)", CAUSE_REFUSED_ARRAY, "x)"},
	    {"(not queued yet: behind a/1, which Slurm refuses: x)",
		CAUSE_BEHIND, "a/1, which Slurm refuses: x)"},
	    {"(not queued yet: MaxJobCount)", CAUSE_REFUSED, "MaxJobCount)"},
	    {"requeued", CAUSE_RETURNED, ""},
	    {"job is not safe to run", CAUSE_UNSAFE, ""},
	    {"no directory /a", CAUSE_NO_DIRECTORY, "/a"},
	    {"cannot enter directory /a", CAUSE_SHUT_DIRECTORY, "/a"},
	    {"no image /a", CAUSE_NO_IMAGE, "/a"},
	    {"cannot read image /a", CAUSE_SHUT_IMAGE, "/a"},
	    {"no epoch within the time limit", CAUSE_NO_PROGRESS, ""},
	    {"requeued once", CAUSE_REQUEUED_ONCE, ""},
	    {"requeued 3 times", CAUSE_REQUEUED, "3 times"},
	    {"not requeued", CAUSE_NOT_REQUEUED, ""},
	    {"perhaps stopped: a record is damaged", CAUSE_UNSURE, ""},
	    {"stopping", CAUSE_STOPPING, ""},
	    {"ending", CAUSE_ENDING, ""},
	    {"being requeued", CAUSE_RETURNING, ""},
	    {"no end record", CAUSE_NO_END, ""},
	    {"late, after LOST", CAUSE_LATE, "LOST"},
	    {"end not recorded", CAUSE_UNRECORDED, ""},
	    {"launch failure (exit 75)", CAUSE_UNLAUNCHED, ""},
	    {"launch failure", CAUSE_LAUNCH, ""},
	    {"launch failure (exit 1)", CAUSE_LAUNCH, " (exit 1)"},
	    {"SIGKILL", CAUSE_SIGNAL, "KILL"},
	    {"signal 64", CAUSE_SIGNAL_NUMBER, "64"},
	    {"exit 3", CAUSE_EXIT, "3"},
	    {"exit 127: command not found", CAUSE_EXIT,
		"127: command not found"},
	    {"imported", CAUSE_IMPORTED, ""},
	    {"imported: end unknown", CAUSE_END_UNKNOWN, ""},
	};
	const char *rest;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		assert_int_equal(
		    cause_of(table[i].text, &rest), table[i].cause);
		assert_string_equal(rest, table[i].rest);
	}
}

static void
words_of_slurm_and_of_runs_are_others(void **state)
{
	static const char *const table[] = {"(Priority)", "TIMEOUT", "exiting",
	    "(held by your admin)", "stopping it", "()", "(",
	    "not queued yet, it seems"};
	size_t i;

	(void)state;
	assert_int_equal(cause_of(NULL, NULL), CAUSE_NONE);
	assert_int_equal(cause_of("", NULL), CAUSE_NONE);
	for (i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(cause_of(table[i], NULL), CAUSE_OTHER);
}

static void
how_another_job_stands_is_known(void **state)
{
	static const struct {
		enum cause_other how;
		const char *text;
	} table[] = {
	    {OTHER_WAITS, "after prep"},
	    {OTHER_REMOVED, "after prep, which was removed"},
	    {OTHER_UNREADABLE, "after prep, which cannot be read"},
	    {OTHER_UNFINISHED, "after prep, of which 2 tasks did not finish"},
	    {OTHER_CANARY, "after prep, whose canary did not pass"},
	    {OTHER_NEVER, "after prep, which cannot start"},
	};
	struct cause_after after;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		text = cause_after_one("prep", table[i].how, 2);
		assert_string_equal(text, table[i].text);
		assert_true(cause_after_read(text, &after));
		assert_string_equal(after.names, "prep");
		assert_int_equal(after.how, table[i].how);
		assert_true(after.one);
		assert_string_equal(after.standing,
		    text +
			strlen(table[i].how == OTHER_WAITS ? text
							   : "after prep, "));
		cause_after_free(&after);
		free(text);
	}
	text = cause_after_one("prep", OTHER_UNFINISHED, 1);
	assert_string_equal(text, "after prep, of which 1 task did not finish");
	free(text);
}

static void
several_jobs_are_named(void **state)
{
	static char prep[] = "prep", eval[] = "eval", net[] = "net";
	static char *const names[] = {prep, eval, net};
	static const struct {
		size_t count, shown;
		const char *text;
	} table[] = {{1, 1, "(after prep)"}, {2, 2, "(after prep and eval)"},
	    {3, 3, "(after prep, eval and net)"},
	    {3, 1, "(after prep and 2 more)"}};
	struct cause_after after;
	char *text, *cause;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		text = cause_after_all(names, table[i].count, table[i].shown);
		cause = xasprintf("(%s)", text);
		assert_string_equal(cause, table[i].text);
		assert_true(cause_after_read(cause, &after));
		assert_string_equal(after.names, text + strlen("after "));
		assert_int_equal(after.one, table[i].count == 1);
		assert_int_equal(after.how, OTHER_WAITS);
		assert_string_equal(after.standing, "");
		cause_after_free(&after);
		free(cause);
		free(text);
	}
	/* Nobody writes this. */
	assert_true(cause_after_read("after which was removed", &after));
	assert_int_equal(after.how, OTHER_WAITS);
	assert_string_equal(after.standing, "");
	cause_after_free(&after);
	assert_false(cause_after_read("(Priority)", &after));
	cause_after_free(&after);
	assert_false(cause_after_read(NULL, &after));
	cause_after_free(&after);
}

static void
a_stop_request_is_known_by_its_words(void **state)
{
	static const struct {
		const char *why;
		enum stop_reason reason;
		int over, by_max_fail;
	} table[] = {
	    {NULL, STOP_BY_USER, 0, 0},
	    {"restarted", STOP_RESTARTED, 0, 0},
	    {"dropped", STOP_DROPPED, 0, 0},
	    {"max-fail 3", STOP_MAX_FAIL, 0, 1},
	    {"max-fail 3: over", STOP_MAX_FAIL, 1, 1},
	    {"not again", STOP_NO_REQUEUE, 0, 0},
	    {"not again: max-fail 3", STOP_NO_REQUEUE, 0, 1},
	    {"pruned at epoch 9: 0.751 is 31st of 44, the best 14 continue",
		STOP_PRUNED, 0, 0},
	    {"too slow", STOP_BY_USER, 0, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		assert_int_equal(
		    stop_reason_of(table[i].why, NULL), table[i].reason);
		assert_int_equal(stop_is_over(table[i].why), table[i].over);
		assert_int_equal(
		    stop_is_by_max_fail(table[i].why), table[i].by_max_fail);
	}
}

static void
the_standing_of_a_pruned_task_is_read_back(void **state)
{
	static const char *const texts[] = {
	    "pruned at epoch 9: 0.751 is 31st of 44, the best 14 continue "
	    "(0.803 or better)",
	    "pruned at epoch 1: -1e-09 is 2nd of 5, only the best continues "
	    "(-2 or better)",
	    "pruned at epoch 3: 0.1 is 4th of 4, only the best continues "
	    "(0.1 in a task with a lower number, or better)",
	    "pruned at epoch 3: 0.1 is 1st of 4, only the best continues "
	    "(0.1 or better)",
	    "pruned at epoch 300: nan or inf is worse than any number",
	    "pruned at epoch 300: 3 is 111th of 112, the best 33 continue "
	    "(1 or better)",
	    "pruned at epoch 300: 3 is 1003rd of 1022, the best 20 continue "
	    "(1 or better)",
	};
	static const char *const bad[] = {"pruned at epoch ",
	    "pruned at epoch 9", "pruned at epoch 9: x is 1st of 2, the best 1",
	    "max-fail 3"};
	char brief[STOP_BRIEF], *text;
	struct stop_pruned p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_true(stop_pruned_read(texts[i], &p));
		text = stop_pruned_text(&p);
		assert_string_equal(text, texts[i]);
		free(text);
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(stop_pruned_read(bad[i], &p));
	assert_false(stop_pruned_read(NULL, &p));
	assert_string_equal(stop_brief(texts[0], brief), "pruned at epoch 9");
	assert_string_equal(stop_brief("exit 3: x", brief), "exit 3: x");
	assert_null(stop_brief(NULL, brief));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_cause_is_known_by_its_words),
	    cmocka_unit_test(words_of_old_stores_are_known),
	    cmocka_unit_test(words_of_slurm_and_of_runs_are_others),
	    cmocka_unit_test(how_another_job_stands_is_known),
	    cmocka_unit_test(several_jobs_are_named),
	    cmocka_unit_test(a_stop_request_is_known_by_its_words),
	    cmocka_unit_test(the_standing_of_a_pruned_task_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
