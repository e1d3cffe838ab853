/* What the sampler is told of trials that a pruner has stopped early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "control/ask-trial.h"
#include "search/pruner.h"
#include "state/search.h"

enum { MOST = 64 };

#define END INT64_MAX

static char line[] = "1", at_3[] = "3=0.3@0.0", at_9[] = "3=0.3@0.0 9=0.9@0.0",
	    at_27[] = "3=0.3@0.0 9=0.9@0.0 27=0.27@0.0";

static struct ask_trial trial[MOST];
static uint64_t trials;

static void
forget(void)
{
	trials = 0;
}

/* Add so many trials.  Returns the first one. */
static const struct ask_trial *
add(uint64_t count, enum ask_state state, char *rungs, double value)
{
	const struct ask_trial *first = &trial[trials];

	for (; count > 0; count--) {
		assert_true(trials < MOST);
		trial[trials++] = (struct ask_trial){.line = line,
		    .rungs = rungs,
		    .state = state,
		    .value = value};
	}
	return first;
}

/* Decide what is told.  With asha, the rungs of 50 epochs are 3, 9 and 27. */
static void
compare(const char *pruner)
{
	struct job_search s = {.epochs = 50, .study = "study"};

	assert_int_equal(search_pruner_parse(pruner, &s.pruner, NULL), 0);
	search_pruner_complete(&s.pruner, s.epochs);
	ask_trials_compare(trial, trials, &s);
}

/* The trial counts with a value of this epoch. */
static void
expect(const struct ask_trial *t, int64_t reached, double told)
{
	assert_true(t->is_told);
	assert_false(t->is_open);
	assert_int_equal(t->reached, reached);
	assert_true(isfinite(t->told));
	assert_float_equal(t->told, told, 0);
}

/* The trial counts as bad. */
static void
expect_open(const struct ask_trial *t)
{
	assert_true(t->is_told);
	assert_true(t->is_open);
}

static void
trials_are_compared_at_the_highest_rung_with_16_values(void **state)
{
	const struct ask_trial *high, *low, *running;

	(void)state;
	forget();
	high = add(15, ASK_STOPPED, at_9, NAN);
	low = add(1, ASK_STOPPED, at_3, NAN);
	compare("asha");
	expect(high, 3, 0.3);
	expect(low, 3, 0.3);
	running = add(1, ASK_RUNNING, at_9, NAN);
	compare("asha");
	expect(high, 9, 0.9);
	expect(running, 9, 0.9);
	expect(low, 3, 0.3);
}

/* Each counts with its last value if there is no such rung, or no pruner. */
static void
without_16_values_each_trial_counts_with_its_last_one(void **state)
{
	const struct ask_trial *high, *low;

	(void)state;
	forget();
	high = add(14, ASK_STOPPED, at_9, NAN);
	low = add(1, ASK_STOPPED, at_3, NAN);
	compare("asha");
	expect(high, 9, 0.9);
	expect(low, 3, 0.3);
	low = add(9, ASK_STOPPED, at_3, NAN);
	compare("none");
	expect(high, 9, 0.9);
	expect(low, 3, 0.3);
}

static void
after_16_finished_trials_their_ends_count(void **state)
{
	const struct ask_trial *finished, *pruned;

	(void)state;
	forget();
	finished = add(15, ASK_FINISHED, at_27, 0.8);
	pruned = add(1, ASK_STOPPED, at_9, NAN);
	compare("asha");
	expect(finished, 9, 0.9);
	expect(pruned, 9, 0.9);
	add(1, ASK_FINISHED, at_27, 0.7);
	compare("asha");
	expect(finished, END, 0.8);
	expect(pruned, 9, 0.9);
}

/* 16 trials have a value at epoch 9; those that are added later have none. */
static void
each_state_counts_as_far_as_its_trial_came(void **state)
{
	const struct ask_trial *finished, *failed, *running, *stopped, *t;

	(void)state;
	forget();
	add(13, ASK_STOPPED, at_9, NAN);
	finished = add(1, ASK_FINISHED, at_27, 0.8);
	failed = add(1, ASK_FAILED, at_9, 0.99);
	running = add(1, ASK_RUNNING, at_27, NAN);
	compare("asha");
	expect(finished, 9, 0.9);
	expect(failed, 9, 0.9);
	expect(running, 9, 0.9);
	finished = add(1, ASK_FINISHED, NULL, 0.8); /* its log skips epochs */
	failed = add(2, ASK_FAILED, NULL, NAN);
	trial[failed + 1 - trial].rungs = at_3;
	running = add(2, ASK_RUNNING, at_3, NAN);
	trial[running + 1 - trial].rungs = NULL;
	stopped = add(1, ASK_STOPPED, NULL, NAN);
	t = add(1, ASK_RUNNING, NULL, NAN);
	trial[t - trial].line = NULL;
	compare("asha");
	expect(finished, END, 0.8);
	assert_true(failed->is_told && !failed->is_open);
	assert_true(failed->reached == 0 && isnan(failed->told));
	expect(failed + 1, 3, 0.3);
	expect_open(running);
	expect_open(running + 1);
	assert_false(stopped->is_told);
	assert_false(t->is_told);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		trials_are_compared_at_the_highest_rung_with_16_values),
	    cmocka_unit_test(
		without_16_values_each_trial_counts_with_its_last_one),
	    cmocka_unit_test(after_16_finished_trials_their_ends_count),
	    cmocka_unit_test(each_state_counts_as_far_as_its_trial_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
