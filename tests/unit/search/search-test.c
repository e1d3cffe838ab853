#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "search/explore.h"
#include "search/halton.h"
#include "search/prior.h"
#include "search/pruner.h"
#include "search/sampler.h"
#include "search/tpe.h"
#include "space/draw.h"
#include "space/space.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void
pruners_are_parsed(void **state)
{
	static const struct {
		const char *text, *result; /* or the reason */
	} table[] = {
	    {"asha", "asha,eta=3"},
	    {"hyperband,first=2,eta=4", "hyperband,eta=4,first=2"},
	    {"median,first=5", "median,first=5"},
	    {"none", "none"},
	    {"", "'': no such pruner (asha, hyperband, median or none)"},
	    {"Asha",
		"'Asha': no such pruner (asha, hyperband, median or none)"},
	    {"asha,", "'': write eta=N or first=EPOCH"},
	    {"asha,eta", "'eta': write eta=N or first=EPOCH"},
	    {"asha,rung=3", "'rung=3': write eta=N or first=EPOCH"},
	    {"none,eta=3", "none,eta=3: none has no settings: write none"},
	};
	static const char *const numbers[] = {
	    "asha,eta=1", "asha,eta=0", "asha,eta=2.5", "asha,first=0"};
	struct search_pruner p = {.higher = 1};
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		if (search_pruner_parse(table[i].text, &p, &e) == -1) {
			assert_string_equal(e.text, table[i].result);
			continue;
		}
		text = search_pruner_text(&p);
		assert_string_equal(text, table[i].result);
		assert_true(p.higher);
		free(text);
	}
	for (i = 0; i < COUNT(numbers); i++)
		assert_int_equal(search_pruner_parse(numbers[i], &p, &e), -1);
}

static void
rungs_are_below_the_last_epoch(void **state)
{
	static const struct {
		const char *pruner;
		int64_t epochs;
		size_t bracket;
		int64_t rung[5];
	} table[] = {
	    {"asha", 50, 0, {3, 9, 27, 0}},
	    {"asha", 10, 0, {1, 3, 9, 0}},
	    {"asha", 9, 0, {1, 3, 0}},
	    {"asha", 1, 0, {0}},
	    {"asha,first=60", 50, 0, {0}},
	    {"asha,eta=4,first=2", 32, 0, {2, 8, 0}},
	    {"hyperband,first=1", 27, 1, {3, 9, 0}},
	    {"hyperband,first=1", 27, 3, {0}},
	    {"median", 32, 0, {2, 4, 6, 8, 10}},
	    {"none", 50, 0, {0}},
	};
	struct search_pruner p = {0};
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(
		    search_pruner_parse(table[i].pruner, &p, NULL), 0);
		search_pruner_complete(&p, table[i].epochs);
		for (k = 0; k < 5; k++) {
			assert_int_equal(search_rung(&p, table[i].epochs,
					     table[i].bracket, k),
			    table[i].rung[k]);
			if (table[i].rung[k] == 0)
				break;
		}
	}
}

static void
long_trainings_have_no_more_rungs_than_others(void **state)
{
	static const struct {
		enum search_pruner_kind kind;
		int64_t first, epochs, rungs, second, last;
	} table[] = {
	    {SEARCH_MEDIAN, 1, 101, 100, 2, 100},
	    {SEARCH_MEDIAN, 1, 102, 51, 3, 101},
	    {SEARCH_MEDIAN, 1, 201, 100, 3, 199},
	    {SEARCH_MEDIAN, 1, 5000, 100, 51, 4951},
	    {SEARCH_MEDIAN, 3, 304, 51, 9, 303},
	    {SEARCH_MEDIAN, 3, 303, 100, 6, 300},
	    {SEARCH_MEDIAN, 1, INT32_MAX, 100, 21474838, 2126008864},
	    {SEARCH_PBT, 1, 1001, 1000, 2, 1000},
	    {SEARCH_PBT, 1, 1002, 501, 3, 1001},
	};
	struct search_pruner p = {.eta = 3};
	int64_t at, last;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		p.kind = table[i].kind;
		p.first = table[i].first;
		for (n = 0, last = 0;; n++, last = at) {
			at = search_rung(&p, table[i].epochs, 0, n);
			if (at == 0)
				break;
			if (n < 2)
				assert_int_equal(
				    at, n == 0 ? p.first : table[i].second);
			assert_int_equal(at % p.first, 0);
		}
		assert_int_equal(n, table[i].rungs);
		assert_int_equal(last, table[i].last);
	}
}

/* Most trials are in the bracket that stops them earliest. */
static void
brackets_have_their_shares(void **state)
{
	struct search_pruner p = {
	    .kind = SEARCH_HYPERBAND, .eta = 3, .first = 1};
	size_t in[4] = {0};
	uint64_t i;

	(void)state;
	assert_int_equal(search_brackets(&p, 27), 4);
	for (i = 0; i < 10000; i++)
		in[search_bracket_of(&p, 27, "study", i)]++;
	/* 27, 12, 6 and 4 of 49 */
	assert_in_range(in[0], 5300, 5720);
	assert_in_range(in[1], 2300, 2600);
	assert_in_range(in[2], 1100, 1350);
	assert_in_range(in[3], 700, 930);
}

static void
shuffle(struct search_value *v, size_t count, uint64_t seed)
{
	struct search_value other;
	size_t i, k;

	for (i = count - 1; i > 0; i--) {
		k = (size_t)draw_below(draw_hash(seed, i, "shuffle"), i + 1);
		other = v[i];
		v[i] = v[k];
		v[k] = other;
	}
}

/* Which trials are stopped does not depend on the order of the values. */
static void
a_decision_is_a_function_of_the_values(void **state)
{
	enum { TRIALS = 30 };
	struct search_pruner p = {.kind = SEARCH_ASHA, .eta = 3, .first = 1};
	struct search_value v[TRIALS] = {{0}};
	struct search_standing s;
	char stopped[TRIALS], now[TRIALS];
	size_t i, kept;
	uint64_t round;

	(void)state;
	for (round = 0; round < 1000; round++) {
		kept = 0;
		for (i = 0; i < TRIALS && round % 10 == 0; i++)
			v[i] = (struct search_value){i,
			    i % 7 == 3 ? NAN
				       : (double)draw_below(
					     draw_hash(round, i, "v"), 12)};
		p.higher = (round / 10) % 2 == 1;
		shuffle(v, TRIALS, round);
		for (i = 0; i < TRIALS; i++) {
			now[v[i].trial] =
			    (char)search_judge(&p, v, TRIALS, &v[i], &s);
			kept += !now[v[i].trial];
			assert_int_equal(s.count, TRIALS);
		}
		assert_int_equal(kept, TRIALS / 3);
		if (round % 10 != 0)
			assert_memory_equal(stopped, now, sizeof now);
		memcpy(stopped, now, sizeof now);
	}
}

static void
a_standing_tells_why(void **state)
{
	static const struct search_value v[] = {
	    {0, 0.5}, {1, 0.3}, {2, 0.3}, {3, NAN}, {4, 0.9}, {5, -INFINITY}};
	static const struct {
		int higher;
		size_t own, better, equal;
		int stop;
		double needed;
	} table[] = {
	    {0, 0, 2, 0, 1, 0.3},
	    {0, 1, 0, 0, 0, 0.3},
	    {0, 2, 0, 1, 0, 0.3},
	    {0, 3, 4, 0, 1, 0.3},
	    {0, 5, 4, 1, 1, 0.3},
	    {1, 0, 1, 0, 0, 0.5},
	    {1, 4, 0, 0, 0, 0.5},
	    {1, 2, 2, 1, 1, 0.5},
	};
	struct search_pruner p = {.kind = SEARCH_ASHA, .eta = 3, .first = 1};
	struct search_standing s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		p.higher = table[i].higher;
		assert_int_equal(
		    search_judge(&p, v, COUNT(v), &v[table[i].own], &s),
		    table[i].stop);
		assert_int_equal(s.kept, 2);
		assert_int_equal(s.better, table[i].better);
		assert_int_equal(s.equal, table[i].equal);
		assert_true(s.needed == table[i].needed);
	}
	/* Too few to compare; but nan is stopped in any case. */
	assert_false(search_judge(&p, v, 2, &v[1], NULL));
	assert_true(search_judge(&p, v + 3, 1, &v[3], &s));
	assert_true(isnan(s.needed));
	p.kind = SEARCH_NONE;
	assert_false(search_judge(&p, v, COUNT(v), &v[3], NULL));
	p = (struct search_pruner){.kind = SEARCH_MEDIAN, .eta = 3, .first = 1};
	assert_false(search_judge(&p, v, 4, &v[0], NULL));
	assert_false(search_judge(&p, v, COUNT(v), &v[0], NULL));
	assert_true(search_judge(&p, v, COUNT(v), &v[4], NULL));
}

/* Each interval of a dimension has its share of the numbers. */
static void
halton_numbers_are_even(void **state)
{
	enum { N = 1000, PARTS = 10 };
	size_t dim, i, in[PARTS];
	double value;

	(void)state;
	for (dim = 0; dim < SEARCH_HALTON_DIMS; dim++) {
		memset(in, 0, sizeof in);
		for (i = 0; i < N; i++) {
			value = search_halton(7, i, dim);
			assert_true(value >= 0 && value < 1);
			in[(size_t)(value * PARTS)]++;
		}
		for (i = 0; i < PARTS; i++)
			assert_in_range(in[i], N / PARTS - 15, N / PARTS + 15);
	}
	assert_true(search_halton(7, 3, 0) == search_halton(7, 3, 0));
	assert_true(search_halton(7, 3, 0) != search_halton(8, 3, 0));
}

/* (x - 0.3)^2 + (log10 y + 2)^2 / 10, and 0.2 more for two of three choices. */
static double
valley(const double *point)
{
	return pow(point[0] - 0.3, 2) + pow(log10(point[1]) + 2, 2) / 10 +
	    (point[2] == 1 ? 0 : 0.2);
}

static const struct search_dim dims[] = {
    {SEARCH_REAL, 0, 1, 0, 0},
    {SEARCH_REAL, 1e-5, 1e-1, 1, 0},
    {SEARCH_CHOICE, 0, 0, 0, 3},
    {SEARCH_WHOLE, 1, 9, 0, 0},
};

/* Return the best value after count points of TPE, or of random ones. */
static double
best_of(size_t count, size_t random, uint64_t seed)
{
	double point[100][4], best = INFINITY;
	struct search_trial trial[100];
	size_t i;

	for (i = 0; i < count; i++) {
		search_tpe(
		    dims, 4, trial, i < random ? 0 : i, 0, seed, i, point[i]);
		assert_true(point[i][0] >= 0 && point[i][0] <= 1);
		assert_true(point[i][1] >= 1e-5 && point[i][1] <= 1e-1);
		assert_true(
		    point[i][2] == 0 || point[i][2] == 1 || point[i][2] == 2);
		assert_true(point[i][3] >= 1 && point[i][3] <= 9 &&
		    point[i][3] == round(point[i][3]));
		trial[i] =
		    (struct search_trial){point[i], 1, valley(point[i]), 0};
		if (trial[i].value < best)
			best = trial[i].value;
	}
	return best;
}

static void
tpe_finds_better_points_than_chance(void **state)
{
	double tpe = 0, chance = 0;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 20; seed++) {
		tpe += best_of(60, SEARCH_TPE_LEAST, seed);
		chance += best_of(60, 60, seed);
	}
	assert_true(tpe < chance / 2);
	assert_true(best_of(30, 10, 4) == best_of(30, 10, 4));
}

/* Running trials keep others away from their points. */
static void
running_trials_count_as_bad(void **state)
{
	static const double good[][1] = {{0.5}, {0.52}, {0.1}, {0.9}};
	static const struct search_dim dim = {SEARCH_REAL, 0, 1, 0, 0};
	struct search_trial trial[40];
	double point, near = 0, alone = 0;
	size_t i;

	(void)state;
	for (i = 0; i < 40; i++)
		trial[i] = (struct search_trial){
		    good[i < 20 ? 2 + i % 2 : 1], 1, i < 20 ? 1 : 0, i >= 20};
	trial[0] = (struct search_trial){good[0], 1, 0, 0};
	for (i = 0; i < 50; i++) {
		search_tpe(&dim, 1, trial, 40, 0, 1, i, &point);
		near += fabs(point - 0.5) < 0.1;
		search_tpe(&dim, 1, trial, 20, 0, 1, i, &point);
		alone += fabs(point - 0.5) < 0.1;
	}
	assert_true(near < alone);
	assert_int_equal(search_tpe_best(0), 0);
	assert_int_equal(search_tpe_best(1), 1);
	assert_int_equal(search_tpe_best(11), 2);
	assert_int_equal(search_tpe_best(1000), 25);
}

/* ---- priors ---- */

static const struct search_dim two_dims[] = {
    {SEARCH_REAL, 0, 1, 0, 0}, {SEARCH_WHOLE, 1, 10, 0, 0}};

static void
the_first_trial_of_a_prior_is_the_guess(void **state)
{
	const double guess[] = {0.9, NAN};
	const struct search_prior p = {guess, 3, 1};
	double point[2];

	(void)state;
	assert_int_equal(
	    search_prior(&p, two_dims, 2, NULL, 0, 0, 7, 0, point), 1);
	assert_true(point[0] == 0.9);
	assert_true(isnan(point[1])); /* to be random */
}

/* Return how many of 400 points are near 0.9, in the first dimension. */
static int
count_near(const struct search_prior *p, const struct search_trial *trials,
    size_t count, int *random)
{
	double point[2];
	int near = 0, i;

	*random = 0;
	for (i = 1; i <= 400; i++) {
		if (search_prior(p, two_dims, 2, trials, count, 0, 7,
			(uint64_t)i, point) == 0) {
			++*random;
			continue;
		}
		assert_true(point[0] >= 0 && point[0] <= 1);
		assert_true(point[1] >= 1 && point[1] <= 10);
		near += point[0] > 0.7;
	}
	return near;
}

static void
a_quarter_of_the_points_of_a_prior_are_random(void **state)
{
	const double guess[] = {0.9, 5};
	const struct search_prior p = {guess, 3, 0};
	int random, near = count_near(&p, NULL, 0, &random);

	(void)state;
	assert_in_range(random, 70, 130);
	assert_true(near > 200);
}

static void
a_guess_that_is_wrong_loses_its_influence(void **state)
{
	const double guess[] = {0.9, 5};
	const struct search_prior p = {guess, 3, 0};
	double points[12][2];
	struct search_trial trials[12];
	int random, near, i;

	(void)state;
	for (i = 0; i < 12; i++) { /* the best ones are near 0.1 and 5 */
		points[i][0] = 0.05 + i * 0.01;
		points[i][1] = 5;
		trials[i] = (struct search_trial){points[i], 9, i, 0};
	}
	near = count_near(&p, trials, 12, &random);
	assert_true(near < 30);
	trials[0].value = trials[1].value = NAN; /* failed: no good trials */
	assert_true(count_near(&p, trials, 2, &random) > 200);
}

static void
a_step_of_a_population_stays_within_the_bounds(void **state)
{
	static const struct {
		struct search_dim dim;
		int is_list;
		double value, unit[2], result;
	} table[] = {
	    {{SEARCH_REAL, 0, 1, 0, 0}, 0, 0.5, {0.3, 0.1}, 0.4},
	    {{SEARCH_REAL, 0, 1, 0, 0}, 0, 0.5, {0.3, 0.9}, 0.6},
	    {{SEARCH_REAL, 0, 1, 0, 0}, 0, 0.9, {0.3, 0.9}, 1},
	    {{SEARCH_REAL, 0, 1, 0, 0}, 0, 0.9, {0.2, 0.9}, NAN},
	    {{SEARCH_WHOLE, 1, 9, 0, 0}, 0, 2, {0.3, 0.9}, 3},
	    {{SEARCH_WHOLE, 1, 9, 0, 0}, 0, 2, {0.3, 0.1}, 1},
	    {{SEARCH_WHOLE, 1, 9, 0, 0}, 0, 1, {0.3, 0.1}, 1},
	    {{SEARCH_WHOLE, 0, 4, 0, 5}, 1, 2, {0.3, 0.9}, 3},
	    {{SEARCH_WHOLE, 0, 4, 0, 5}, 1, 0, {0.3, 0.1}, 0},
	    {{SEARCH_CHOICE, 0, 4, 0, 5}, 1, 2, {0.3, 0.9}, 2},
	    {{SEARCH_CHOICE, 0, 4, 0, 5}, 1, 2, {0.1, 0.9}, NAN},
	};
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		value = search_explore_value(&table[i].dim, table[i].is_list,
		    table[i].value, table[i].unit);
		if (isnan(table[i].result))
			assert_true(isnan(value));
		else
			assert_true(fabs(value - table[i].result) < 1e-12);
	}
}

/* ---- points ---- */

/* Return a search of a space of one word, which is set. */
static struct search *
search_of(struct space **space, const char *word)
{
	struct search *s;

	*space = space_new();
	assert_int_equal(space_add(*space, word, NULL), 0);
	if (space_is_drawn(*space))
		space_samples(*space, 1);
	assert_int_equal(space_finish(*space, NULL), 0);
	s = search_new(*space, SEARCH_RANDOM, 0, 0, NULL);
	assert_non_null(s);
	return s;
}

static void
points_of_another_job_come_twice_before_its_own(void **state)
{
	static const char *const values[] = {"39", "52", "63", "69"};
	struct space *space;
	struct search *s;
	char *text, got[5][8];
	uint64_t told, i, k;

	(void)state;
	for (told = 0; told <= 4; told++) {
		s = search_of(&space, "x=39,52,63,69");
		for (i = 0; i < told; i++)
			search_tell(s, &values[i], 1, (double)i, 0);
		search_told_others(s);
		for (i = 0; i < 4; i++) {
			assert_int_equal(search_ask(s, i, &text), 0);
			snprintf(got[i], sizeof *got, "%s", text);
			free(text);
			for (k = 0; k < i; k++)
				assert_string_not_equal(got[k], got[i]);
			/* Those that the other job does not have come first. */
			for (k = 0; k < told && i < 4 - told; k++)
				assert_string_not_equal(values[k], got[i]);
		}
		assert_int_equal(search_take(s, &values[0], &text, NULL), -1);
		assert_int_equal(search_ask(s, 4, &text), 1);
		free(text);
		search_free(s);
		space_free(space);
	}
}

static void
a_command_may_choose_a_point_of_another_job(void **state)
{
	const char *value = "39";
	struct space *space;
	struct search *s = search_of(&space, "x=39,52");
	char *text;

	(void)state;
	search_tell(s, &value, 1, 0.5, 0);
	search_told_others(s);
	assert_int_equal(search_take(s, &value, &text, NULL), 0);
	free(text);
	assert_int_equal(search_take(s, &value, &text, NULL), -1);
	search_free(s);
	space_free(space);
}

enum { MANY = 200000, SECONDS = 30 };

/* If each choice went through all trials, this would take minutes. */
static void
many_points_are_chosen_in_no_time(void **state)
{
	struct space *space;
	struct search *s = search_of(&space, "lr=loguniform:1e-4:1");
	char *text;
	int i;

	(void)state;
	alarm(SECONDS);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(search_ask(s, (uint64_t)i, &text), 0);
		free(text);
	}
	alarm(0);
	search_free(s);
	space_free(space);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pruners_are_parsed),
	    cmocka_unit_test(rungs_are_below_the_last_epoch),
	    cmocka_unit_test(long_trainings_have_no_more_rungs_than_others),
	    cmocka_unit_test(brackets_have_their_shares),
	    cmocka_unit_test(a_decision_is_a_function_of_the_values),
	    cmocka_unit_test(a_standing_tells_why),
	    cmocka_unit_test(halton_numbers_are_even),
	    cmocka_unit_test(tpe_finds_better_points_than_chance),
	    cmocka_unit_test(running_trials_count_as_bad),
	    cmocka_unit_test(the_first_trial_of_a_prior_is_the_guess),
	    cmocka_unit_test(a_quarter_of_the_points_of_a_prior_are_random),
	    cmocka_unit_test(a_guess_that_is_wrong_loses_its_influence),
	    cmocka_unit_test(a_step_of_a_population_stays_within_the_bounds),
	    cmocka_unit_test(points_of_another_job_come_twice_before_its_own),
	    cmocka_unit_test(a_command_may_choose_a_point_of_another_job),
	    cmocka_unit_test(many_points_are_chosen_in_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
