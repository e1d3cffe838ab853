#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chart-rows.h"
#include "base/text.h"
#include "chart/result.h"

/* Twelve trainings: lr has an effect, seed has none, note is a constant. */
static const double twelve[] = {
    0.5, 0.52, 0.9, 0.92, 0.54, 0.5, 0.94, 0.9, 0.52, 0.54, 0.92, 0.94};
static const char *const lr[] = {"1e-3", "1e-3", "0.1", "0.1", "1e-3", "1e-3",
    "0.1", "0.1", "1e-3", "1e-3", "0.1", "0.10"};
static const char *const opt[] = {"sgd", "adam", "sgd", "adam", "sgd", "adam",
    "sgd", "adam", "sgd", "adam", "sgd", "adam"};
static const char *const note[] = {
    "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"};
static const struct chart_factor factors[] = {
    {"note", note}, {"opt", opt}, {"lr", lr}};
static const struct chart_results results = {.metric = "val_loss",
    .of = "12 tasks of net",
    .best = twelve,
    .count = 12,
    .factor = factors,
    .factors = 3};

/* "name name ...: setting of each result", "-" for none. */
static char *
settings_of(const char *const *value, size_t count, size_t most)
{
	static char *text;
	double best[64];
	struct chart_factor f = {"f", value};
	struct chart_results r = {
	    .best = best, .count = count, .factor = &f, .factors = 1};
	struct chart_settings l;
	size_t i, length;
	FILE *out;

	for (i = 0; i < count; i++)
		best[i] = 1;
	free(text);
	out = open_memstream(&text, &length);
	if (most > 0)
		chart_settings_make(&l, &r, 0, most);
	else
		chart_settings_compare(&l, &r, 0);
	for (i = 0; i < l.count; i++)
		fprintf(out, "%s ", l.name[i]);
	putc(':', out);
	for (i = 0; i < count; i++)
		if (l.of[i] == CHART_NO_SETTING)
			fputs(" -", out);
		else
			fprintf(out, " %zu", l.of[i]);
	fclose(out);
	chart_settings_free(&l);
	return text;
}

static void
settings_are_in_order(void **state)
{
	static const char *const numbers[] = {"10", "9", "1e1", "0.5", NULL};
	static const char *const words[] = {"sgd", "adam", "sgd", "Adam"};
	static const char *const mixed[] = {"1", "none", "0.5", "none"};
	static const char *const many[] = {
	    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
	static const char *const same[] = {
	    "1", "1", "1", "1", "1", "1", "7", "7", "8", "9"};

	(void)state;
	assert_string_equal(settings_of(numbers, 5, 9), "0.5 9 10 : 2 1 2 0 -");
	assert_string_equal(
	    settings_of(words, 4, 9), "sgd adam Adam : 0 1 0 2");
	assert_string_equal(settings_of(mixed, 4, 9), "1 none 0.5 : 0 1 2 1");
	assert_string_equal(
	    settings_of(words, 4, 1), "sgd adam Adam : 0 1 0 2");
	assert_string_equal(settings_of(many, 10, 9),
	    "1..2 3..4 5..6 7..8 9..10 : 0 0 1 1 2 2 3 3 4 4");
	/* Equal numbers stay together. */
	assert_string_equal(
	    settings_of(same, 10, 2), "1 7 8 9 : 0 0 0 0 0 0 1 1 2 3");
	assert_string_equal(settings_of(numbers, 0, 9), ":");
}

/* A setting of one result says nothing: numbers are grouped, words are not. */
static void
settings_to_compare_have_several_results(void **state)
{
	static const char *const words[] = {"a", "b", "c", "d", "e", "f"};
	static const char *const numbers[] = {"1", "2", "3", "4", "5", "6"};
	static const char *const some[] = {"1", "2", "3", "1", "2", "3"};

	(void)state;
	assert_string_equal(
	    settings_of(numbers, 6, 0), "1..2 3..4 5..6 : 0 0 1 1 2 2");
	assert_string_equal(
	    settings_of(numbers, 5, 0), "1 2 3 4 5 : 0 1 2 3 4");
	assert_string_equal(settings_of(some, 6, 0), "1 2 3 : 0 1 2 0 1 2");
	assert_string_equal(
	    settings_of(words, 6, 0), "a b c d e f : 0 1 2 3 4 5");
}

static struct chart_effect
effect_of(const struct chart_results *r, size_t factor, int log_scale)
{
	struct chart_effect e;
	struct chart_settings l;

	chart_settings_make(&l, r, factor, 12);
	chart_effect(&e, r, &l, log_scale);
	chart_settings_free(&l);
	return e;
}

static void
effects_are_shares_of_the_variance(void **state)
{
	static const double best[] = {1, 3, 5, 7, NAN, INFINITY};
	static const double same[] = {2, 2, 2, 2, 2, 2};
	static const double powers[] = {1, 1, 100, 100, NAN, -1};
	static const double huge[] = {DBL_MAX, -DBL_MAX, 0, 0, 1, 1};
	static const char *const half[] = {"a", "a", "b", "b", "c", "c"};
	static const char *const all[] = {"1", "2", "3", "4", "5", "6"};
	static const struct chart_factor f[] = {{"half", half}, {"all", all}};
	struct chart_results r = {
	    .best = best, .count = 6, .factor = f, .factors = 2};
	struct chart_effect e;

	(void)state;
	/* By hand: between 2*(2-4)^2 + 2*(6-4)^2 = 16, in all 20. */
	e = effect_of(&r, 0, 0);
	assert_int_equal(e.results, 4);
	assert_int_equal(e.settings, 2);
	assert_true(fabs(e.share - 0.8) < 1e-12);
	assert_true(fabs(e.chance - 1.0 / 3) < 1e-12);
	assert_true(fabs(e.worth - 0.7) < 1e-12);
	/* As many settings as results explain everything, and nothing. */
	e = effect_of(&r, 1, 0);
	assert_true(e.share == 1 && e.chance == 1 && isinf(e.worth));
	r.best = same;
	assert_true(isnan(effect_of(&r, 0, 0).share));
	r.best = powers;
	e = effect_of(&r, 0, 1);
	assert_int_equal(e.results, 4);
	assert_true(e.share == 1);
	r.best = huge;
	assert_true(isfinite(effect_of(&r, 0, 0).share));
}

enum kind { GRID, BY, HIST };

/* Draw; the notes follow the drawing, each after a "!". */
static char *
draw(enum kind kind, const struct chart *c, const struct chart_results *r)
{
	static char *text;
	char *notes, *note_line;
	size_t length, notes_length;
	struct error e;
	int status;
	FILE *f, *n;

	free(text);
	text = NULL;
	f = open_memstream(&text, &length);
	n = open_memstream(&notes, &notes_length);
	status = kind == GRID ? chart_grid(f, n, c, r, r->factors - 1, 0, &e)
	    : kind == BY      ? chart_by(f, n, c, r, &e)
			      : chart_hist(f, n, c, r, &e);
	if (status < 0)
		fprintf(f, "refused: %s\n", e.text);
	fclose(n);
	for (note_line = strtok(notes, "\n"); note_line;
	     note_line = strtok(NULL, "\n"))
		fprintf(f, "!%s\n", note_line);
	fclose(f);
	free(notes);
	return text;
}

static void
a_heat_map_is_drawn_exactly(void **state)
{
	static const char *const size[] = {"8", "8", "16", "16", NULL};
	static const char *const rate[] = {"0.1", "0.2", "0.1", "0.2", "0.1"};
	static const struct chart_factor f[] = {{"size", size}, {"rate", rate}};
	static const double best[] = {0.25, 0.5, NAN, 1, 0.1};
	struct chart_results r = {.metric = "loss",
	    .of = "5 tasks of net",
	    .best = best,
	    .count = 5,
	    .factor = f,
	    .factors = 2};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.width = 60;
	assert_string_equal(draw(GRID, &c, &r),
	    "best loss by rate x size  5 tasks of net\n"
	    "rate \\ size        8        16  | row best\n"
	    "        0.1  ##0.250*      nan  | 0.250\n"
	    "        0.2  ++0.500   ..1.000  | 0.500\n"
	    "col best       0.250     1.000\n"
	    "* best   # best fifth ... blank worst fifth   - no task\n"
	    "!loss: 1 of 5 without a number are left out\n");
	r.count = 3;
	assert_non_null(strstr(draw(GRID, &c, &r), "0.2  --0.500         -"));
	r.count = 5;
	r.higher = 1;
	assert_non_null(strstr(draw(GRID, &c, &r), "##1.000*"));
	c.colors = 256;
	assert_non_null(strstr(draw(GRID, &c, &r), "\033[48;5;25;38;5;231m"));
	c.colors = 16;
	assert_non_null(strstr(draw(GRID, &c, &r), "##1.000"));
}

static void
what_mattered_is_drawn_exactly(void **state)
{
	struct chart c = CHART_DEFAULT;

	(void)state;
	assert_string_equal(draw(BY, &c, &results),
	    "What mattered for best val_loss (12 tasks of net)\n"
	    "                                     0.5             "
	    "                      0.94\n"
	    "lr  explains 99% of the variance (by chance 9%)\n"
	    "  1e-3  n=6  best 0.500  med 0.520  |* | 2             "
	    "                        |\n"
	    "  0.1   n=6  best 0.900  med 0.920  |                  "
	    "                   * | 2|\n"
	    "opt  explains 0% of the variance (by chance 9%)\n"
	    "  sgd   n=6  best 0.500  med 0.720  |* o o             "
	    "   |               o o o|\n"
	    "  adam  n=6  best 0.500  med 0.720  |* o o             "
	    "   |               o o o|\n"
	    "* best   | median   o one task   2 two tasks on one spot\n");
}

static void
a_histogram_is_drawn_exactly(void **state)
{
	static const double values[] = {1, 1.2, 1.4, 2, 2.1, 2.9, 3, NAN, 90};
	struct chart_results r = {
	    .metric = "loss", .of = "9 files", .best = values, .count = 9};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.width = 40;
	assert_string_equal(draw(HIST, &c, &r),
	    "Distribution of best loss (9 files)\n"
	    "1.0 - 1.5 3 ########################## *\n"
	    "1.5 - 2.0 0\n"
	    "2.0 - 2.5 2 #################\n"
	    "2.5 - 3.0 2 #################\n"
	    "    > 3.0 1 ########\n"
	    "min 1*  p25 1.35  median 2.05  p75 2.92~\n"
	    "!loss: 1 of 9 without a number are left out\n");
	c.high = 2;
	c.low = 1;
	r.higher = 1;
	assert_non_null(strstr(draw(HIST, &c, &r), "  > 2"));
	assert_non_null(strstr(draw(HIST, &c, &r), "# *\nmin"));
}

static void
nothing_to_draw_is_said(void **state)
{
	static const double nans[] = {NAN, INFINITY};
	struct chart_results r = results;
	struct chart c = CHART_DEFAULT;
	enum kind kind;

	(void)state;
	r.best = nans;
	r.count = 2;
	for (kind = BY; kind <= HIST; kind++)
		assert_string_equal(draw(kind, &c, &r),
		    "!val_loss: nothing to draw, no value is a number\n");
	r = results;
	r.factors = 1;
	assert_string_equal(
	    draw(BY, &c, &r), "!no hyperparameter has more than one setting\n");
	c.width = CHART_WIDTH - 1;
	for (kind = GRID; kind <= HIST; kind++)
		assert_string_equal(draw(kind, &c, &results),
		    "refused: width: 23 columns are too few "
		    "for a chart (24 or more)\n");
}

enum { MANY = 200 };

static void
no_row_is_too_wide(void **state)
{
	static const char *const odd[] = {"\033[31mred\033[0m",
	    "\xe6\xbc\xa2\xe5\xad\x97", "a_value_that_is_longer_than_most", "",
	    NULL};
	static const size_t widths[] = {24, 40, 80, 120, 200},
			    counts[] = {0, 1, 2, 9, MANY};
	static double best[MANY];
	static const char *words[MANY], *numbers[MANY];
	static char number[MANY][16];
	const struct chart_factor f[] = {
	    {"a_name_that_is_too_long_for_its_place", words}, {"n", numbers}};
	struct chart_results r = {.metric = "a metric of long name indeed",
	    .of = "200 tasks of a job with a name",
	    .best = best,
	    .factor = f,
	    .factors = 2};
	struct chart c = CHART_DEFAULT;
	size_t i, w, n, variant;

	(void)state;
	for (i = 0; i < MANY; i++) {
		best[i] = i % 17 == 3 ? NAN
				      : (double)((i * 7919) % 101) *
			pow(10, (double)(i % 5) * 80 - 160);
		words[i] = i < 150 ? odd[i % 5] : number[i];
		snprintf(number[i], sizeof *number, "%zu", i * i % 103);
		numbers[i] = number[i];
	}
	for (w = 0; w < 5; w++)
		for (n = 0; n < 5; n++)
			for (variant = 0; variant < 3 * 3 * 2 * 3; variant++) {
				r.count = counts[n];
				c.width = widths[w];
				c.charset = (enum cli_charset)(variant / 3 % 3);
				c.log = (int)(variant / 9 % 2);
				c.colors = (int)(variant / 18) * 128;
				r.higher = c.log;
				check_rows(
				    draw((enum kind)(variant % 3), &c, &r), &c,
				    c.colors == 256);
			}
}

/* The value of a training by what it was given. */
static double
by_either(int a, int b, int c)
{
	(void)c;
	return a != b;
}

static double
by_sum(int a, int b, int c)
{
	return a + 2 * b + 0.1 * c;
}

static double
by_noise(int a, int b, int c)
{
	return (a * 37 + b * 59 + c * 83 + a * b * c * 7) % 11;
}

static double
by_last(int a, int b, int c)
{
	return a != (c & 1) ? b + 5 : b;
}

/* "a b 100", "": the pairs of a grid of 2 x 2 x reps trainings. */
static char *
pairs_of(double value(int, int, int), int reps, int log_scale)
{
	static const char *const digit[] = {"0", "1", "2", "3", "4", "5"};
	static const char *of[3][64];
	static char text[256];
	double best[64];
	struct chart_factor f[] = {{"a", of[0]}, {"b", of[1]}, {"c", of[2]}};
	struct chart_results r = {.best = best, .factor = f, .factors = 3};
	struct chart_pair pair[2];
	size_t i, count;
	int k;

	for (k = 0; k < 4 * reps; k++) {
		of[0][k] = digit[k & 1];
		of[1][k] = digit[k >> 1 & 1];
		of[2][k] = digit[k >> 2];
		best[k] = value(k & 1, k >> 1 & 1, k >> 2);
		if (log_scale)
			best[k] = exp(best[k]);
	}
	r.count = (size_t)k;
	*text = '\0';
	count = chart_pairs(&r, log_scale, pair, 2);
	for (i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%s %s %.0f", i > 0 ? ", " : "",
		    f[pair[i].factor[0]].name, f[pair[i].factor[1]].name,
		    100 * pair[i].share);
	return text;
}

static void
pairs_that_matter_together_are_found(void **state)
{
	(void)state;
	assert_string_equal(pairs_of(by_either, 4, 0), "a b 100");
	assert_string_equal(pairs_of(by_either, 4, 1), "a b 100");
	assert_string_equal(pairs_of(by_sum, 4, 0), "");
	assert_string_equal(pairs_of(by_noise, 5, 0), "");
	assert_string_equal(pairs_of(by_last, 6, 0), "a c 96");
	/* Each combination of all three once, and of a and b as well. */
	assert_string_equal(pairs_of(by_either, 1, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(settings_are_in_order),
	    cmocka_unit_test(settings_to_compare_have_several_results),
	    cmocka_unit_test(effects_are_shares_of_the_variance),
	    cmocka_unit_test(pairs_that_matter_together_are_found),
	    cmocka_unit_test(a_heat_map_is_drawn_exactly),
	    cmocka_unit_test(what_mattered_is_drawn_exactly),
	    cmocka_unit_test(a_histogram_is_drawn_exactly),
	    cmocka_unit_test(nothing_to_draw_is_said),
	    cmocka_unit_test(no_row_is_too_wide),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
