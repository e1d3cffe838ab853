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
#include "chart/chart.h"
#include "chart/scale.h"

static void
numbers_are_short_and_plain(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} table[] = {
	    {0, 3, "0"},
	    {0.5406, 3, "0.541"},
	    {0.08841, 3, "0.0884"},
	    {-2.50, 3, "-2.5"},
	    {100, 3, "100"},
	    {123456, 3, "123456"},
	    {999999, 2, "999999"},
	    {1e6, 3, "1e6"},
	    {1234567, 3, "1.23e6"},
	    {0.0001, 3, "0.0001"},
	    {0.000012, 3, "1.2e-5"},
	    {1e-300, 4, "1e-300"},
	    {-1.5e300, 4, "-1.5e300"},
	    {NAN, 3, "nan"},
	    {-INFINITY, 3, "-inf"},
	};
	char text[CHART_NUMBER];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		assert_string_equal(
		    chart_number(table[i].value, table[i].digits, text),
		    table[i].text);
}

static void
ticks_are_round_and_few(void **state)
{
	static const struct {
		struct scale_spec wish;
		const char *ticks; /* with the ends */
	} table[] = {
	    {{.low = 0.08, .high = 2.4, .most = 4, .snap = 0.12},
		"0..2.4: 0 1 2"},
	    {{.low = 0.08, .high = 2.4, .most = 6, .snap = 0.12},
		"0..2.5: 0 0.5 1 1.5 2 2.5"},
	    {{.low = 0, .high = 99, .most = 6, .snap = 0.06, .whole = 1},
		"0..100: 0 20 40 60 80 100"},
	    {{.low = 0, .high = 9, .most = 5, .snap = 0.06, .whole = 1},
		"0..9: 0 2 4 6 8"},
	    {{.low = 1, .high = 3, .most = 9, .whole = 1}, "1..3: 1 2 3"},
	    {{.low = 7, .high = 7, .most = 4, .whole = 1}, "6..8: 6 7 8"},
	    {{.low = 0, .high = 0, .most = 4, .whole = 1}, "0..1: 0 1"},
	    {{.low = 5, .high = 5, .most = 3}, "4.5..5.5: 4.5 5 5.5"},
	    {{.low = 0, .high = 0, .most = 3}, "-1..1: -1 0 1"},
	    {{.low = -3, .high = -1, .most = 3}, "-3..-1: -3 -2 -1"},
	    {{.low = 0, .high = 3e6, .most = 4}, "0..3e6: 0 1e6 2e6 3e6"},
	    {{.low = 1e-9, .high = 3e-9, .most = 3},
		"1e-9..3e-9: 1e-9 2e-9 "
		"3e-9"},
	    {{.low = 0.1, .high = 0.4, .most = 4}, "0.1..0.4: 0.1 0.2 0.3 0.4"},
	    {{.low = 0.21,
		 .high = 0.93,
		 .most = 3,
		 .snap = 0.12,
		 .fixed_low = 1,
		 .fixed_high = 1},
		"0.21..0.93: 0.4 0.6 0.8"},
	    {{.log = 1, .low = 0.46, .high = 3.7, .most = 4, .snap = 0.12},
		"0.46..3.7: 0.5 1 2"},
	    {{.log = 1, .low = 1e-5, .high = 10, .most = 7},
		"1e-5..10: 1e-5 0.0001 0.001 0.01 0.1 1 10"},
	    {{.log = 1, .low = 1e-12, .high = 1e12, .most = 4},
		"1e-12..1e12: 1e-7 1 1e7"},
	    {{.log = 1, .low = 0.51, .high = 0.58, .most = 4},
		"0.51..0.58: 0.52 0.54 0.56 0.58"},
	};
	char text[512], number[CHART_NUMBER];
	struct scale s;
	size_t i, k, used;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		scale_fit(&s, &table[i].wish);
		used = (size_t)sprintf(
		    text, "%s..", chart_number(s.low, 4, number));
		used += (size_t)sprintf(
		    text + used, "%s:", chart_number(s.high, 4, number));
		for (k = 0; k < s.ticks; k++)
			used += (size_t)sprintf(text + used, " %s",
			    scale_text(&s, s.tick[k], number));
		assert_string_equal(text, table[i].ticks);
	}
}

static void
ticks_of_times_are_those_of_a_clock(void **state)
{
	static const struct {
		double high;
		size_t most;
		const char *last;
	} table[] = {{50, 6, "0:50"}, {290, 6, "5:00"}, {4000, 5, "1:00:00"},
	    {90000, 5, "1-00:00:00"}, {2e6, 5, "23-"}, {3, 9, "0:03"}};
	char number[CHART_NUMBER];
	struct scale s;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		struct scale_spec w = {.high = table[i].high,
		    .time = 1,
		    .whole = 1,
		    .most = table[i].most,
		    .snap = 0.06};

		scale_fit(&s, &w);
		assert_in_range(s.ticks, 2, table[i].most);
		for (k = 0; k < s.ticks; k++)
			scale_text(&s, s.tick[k], number);
		if (i != 4)
			assert_string_equal(number, table[i].last);
	}
}

static void
ticks_of_any_range_lie_within_it(void **state)
{
	static const double ends[] = {-DBL_MAX, -1e300, -7.5, -1e-300, 0,
	    DBL_MIN / 8, 1e-9, 0.3, 0.3000001, 1, 999, 1e15, 1e15 + 0.125,
	    1e308, DBL_MAX};
	const size_t count = sizeof ends / sizeof *ends;
	char text[CHART_NUMBER];
	size_t a, b, k, most;
	struct scale s;

	(void)state;
	for (a = 0; a < count; a++)
		for (b = a; b < count; b++)
			for (most = 1; most < 20; most += 3) {
				struct scale_spec w = {.low = ends[a],
				    .high = ends[b],
				    .most = most,
				    .snap = 0.12,
				    .log = ends[a] > 0 && most % 2};

				scale_fit(&s, &w);
				assert_true(s.low < s.high);
				for (k = 0; k < s.ticks; k++) {
					scale_text(&s, s.tick[k], text);
					assert_true(s.tick[k] >=
					    s.low - 1e-6 * fabs(s.low));
					assert_true(s.tick[k] <=
					    s.high + 1e-6 * fabs(s.high));
				}
			}
}

static char *
spark(const double *y, size_t count, size_t cells, enum cli_charset charset,
    const struct chart_range *range)
{
	static char *text;
	size_t length, written;
	FILE *f;

	free(text);
	text = NULL;
	f = open_memstream(&text, &length);
	written = chart_spark(f, y, count, cells, charset, range);
	fclose(f);
	assert_int_equal(written, text_width(text));
	return text;
}

static void
sparklines_show_the_shape(void **state)
{
	static const double fall[] = {8, 7, 6, 5, 4, 3, 2, 1};
	static const double same[] = {3, 3, 3};
	static const double broken[] = {4, NAN, 1, INFINITY, 2};
	static const double huge[] = {-DBL_MAX, 0, DBL_MAX};
	static const double decades[] = {1000, 100, 10, 1};
	struct chart_range shared = {0, 16, 0}, log_range = {1, 1000, 1},
			   grown = CHART_NO_RANGE;

	(void)state;
	assert_string_equal(spark(fall, 8, 8, CLI_BRAILLE, NULL), "█▇▆▅▄▃▂▁");
	assert_string_equal(spark(fall, 8, 8, CLI_ASCII, NULL), "@#*+=-._");
	assert_string_equal(spark(fall, 8, 4, CLI_BLOCK, NULL), "█▆▃▁");
	assert_string_equal(spark(fall, 2, 9, CLI_BLOCK, NULL), "█▁");
	assert_string_equal(spark(fall, 8, 8, CLI_BLOCK, &shared), "▅▄▄▃▃▂▂▁");
	assert_string_equal(spark(same, 3, 3, CLI_BLOCK, NULL), "▁▁▁");
	assert_string_equal(spark(broken, 5, 5, CLI_BLOCK, NULL), "█×▁×▃");
	assert_string_equal(spark(broken, 5, 5, CLI_ASCII, NULL), "@!_!-");
	assert_string_equal(spark(huge, 3, 3, CLI_BLOCK, NULL), "▁▅█");
	assert_string_equal(
	    spark(decades, 4, 4, CLI_BLOCK, &log_range), "█▆▃▁");
	assert_string_equal(spark(fall, 0, 8, CLI_BLOCK, NULL), "");
	assert_string_equal(spark(fall, 8, 0, CLI_BLOCK, NULL), "");
	chart_range_add(&grown, broken, 5);
	assert_true(grown.low == 1 && grown.high == 4);
}

static void
bars_are_drawn_in_eighths(void **state)
{
	static const struct {
		double part;
		const char *blocks, *ascii;
	} table[] = {{0, "", ""}, {-1, "", ""}, {NAN, "", ""},
	    {0.64, "██████▍", "######"}, {0.75, "███████▌", "#######"},
	    {0.999, "█████████▉", "#########"}, {1, "██████████", "##########"},
	    {7, "██████████", "##########"}, {0.01, "", ""}, {0.0125, "▏", ""}};
	char *text;
	size_t length, i, k, columns;
	FILE *f;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		for (k = 0; k < 2; k++) {
			f = open_memstream(&text, &length);
			columns = chart_bar(
			    f, table[i].part, 10, k ? CLI_ASCII : CLI_BRAILLE);
			fclose(f);
			assert_string_equal(
			    text, k ? table[i].ascii : table[i].blocks);
			assert_int_equal(columns, text_width(text));
			free(text);
		}
}

static void
smoothing_follows_the_values(void **state)
{
	double same[] = {3, 3, 3, 3}, plain[] = {4, 1, 2}, two[] = {1, 2},
	       gap[] = {1, NAN, 1, INFINITY, 3}, parts[] = {1, 2, 1, 2};
	const size_t start[] = {0, 2};

	(void)state;
	chart_smooth(same, 4, NULL, 0, 0.9);
	assert_true(fabs(same[0] - 3) < 1e-12 && fabs(same[3] - 3) < 1e-12);
	chart_smooth(plain, 3, NULL, 0, 0);
	assert_true(plain[0] == 4 && plain[1] == 1 && plain[2] == 2);
	/* By hand: (0.5 * 1 * 0.5 + 2 * 0.5) / (1 - 0.5 * 0.5). */
	chart_smooth(two, 2, NULL, 0, 0.5);
	assert_true(two[0] == 1 && fabs(two[1] - 1.25 / 0.75) < 1e-12);
	chart_smooth(gap, 5, NULL, 0, 0.5);
	assert_true(isnan(gap[1]) && isinf(gap[3]));
	assert_true(gap[0] == 1 && gap[2] == 1 && gap[4] > 1 && gap[4] < 3);
	chart_smooth(parts, 4, start, 2, 0.5);
	assert_true(parts[2] == 1 && parts[1] == parts[3]);
}

/* Draw; the notes follow the drawing, each after a "!". */
static char *
draw(const struct chart *c)
{
	static char *text;
	char *notes, *note;
	size_t length, notes_length;
	struct error e;
	FILE *f, *n;

	free(text);
	text = NULL;
	f = open_memstream(&text, &length);
	n = open_memstream(&notes, &notes_length);
	if (chart_draw(f, n, c, &e) < 0)
		fprintf(f, "refused: %s\n", e.text);
	fclose(n);
	for (note = strtok(notes, "\n"); note; note = strtok(NULL, "\n"))
		fprintf(f, "!%s\n", note);
	fclose(f);
	free(notes);
	return text;
}

static const double steps[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* A small chart of some values at 0, 1, 2, ... */
static char *
draw_values(const double *y, size_t count, const struct chart *like)
{
	struct chart_line line = {.name = "loss",
	    .x = steps,
	    .y = y,
	    .count = count,
	    .best = CHART_NO_POINT};
	struct chart c = *like;

	c.x_name = "epoch";
	c.width = 30;
	c.height = 8;
	c.line = &line;
	c.lines = 1;
	return draw(&c);
}

static void
a_small_chart_is_drawn_exactly(void **state)
{
	static const double y[] = {4, 2, 1, 0.5, 0.25};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.title = "train.csv";
	c.note = "best 0.25";
	assert_string_equal(draw_values(y, 5, &c),
	    "train.csv  best 0.25\n"
	    "4 +o\n"
	    "  | oo\n"
	    "2 +   ooo\n"
	    "  |      oooo\n"
	    "0 +          ooooooo loss 0.25\n"
	    "  ++-------+-------+\n"
	    "   0       2       4  epoch\n");
}

static void
what_cannot_be_drawn_is_said(void **state)
{
	static const double nans[] = {NAN, NAN}, negative[] = {-1, 0},
			    mixed[] = {-1, 2, 4};
	struct chart c = CHART_DEFAULT;

	(void)state;
	assert_string_equal(draw_values(nans, 0, &c), "!loss: no values yet\n");
	assert_string_equal(draw_values(nans, 2, &c),
	    "!loss: nothing to draw, every value is nan\n");
	c.log = 1;
	assert_string_equal(draw_values(negative, 2, &c),
	    "!loss: nothing to draw on a log axis, no value is above 0\n");
	assert_non_null(strstr(draw_values(mixed, 3, &c),
	    "!loss: 1 value of 0 or less cannot be on a log axis\n"));
}

static void
what_cannot_be_is_refused(void **state)
{
	static const double y[] = {1, 2};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.smooth = 1;
	assert_string_equal(draw_values(y, 2, &c),
	    "refused: smoothing: a factor of 0 to 0.999\n");
	c.smooth = 0;
	c.low = 2;
	c.high = 1;
	assert_string_equal(draw_values(y, 2, &c),
	    "refused: range: the lower end is not below the upper one\n");
	c.low = 0;
	c.high = 1;
	c.log = 1;
	assert_string_equal(draw_values(y, 2, &c),
	    "refused: range: a log axis begins above 0\n");
	c = CHART_DEFAULT;
	c.width = CHART_WIDTH - 1;
	assert_string_equal(draw(&c),
	    "refused: width: 23 columns are too few "
	    "for a chart (24 or more)\n");
}

enum { LINES = 30, POINTS = 150 };

static void
no_row_is_too_wide_or_ends_in_blanks(void **state)
{
	static double y[LINES][POINTS], x[POINTS];
	static const char *const names[] = {"a", "val_loss",
	    "\033[31mred\033[0m", "\xe6\xbc\xa2\xe5\xad\x97",
	    "a_name_that_is_longer_than_most_of_the_widths_there_are", ""};
	static const char *const cells[] = {"0.001", "a long value of one"};
	static const struct chart_column columns[] = {{"lr", 0}, {"note", 1}};
	static const size_t widths[] = {24, 40, 80, 120, 200},
			    counts[] = {0, 1, 2, 9, LINES};
	struct chart_line line[LINES];
	struct chart c = CHART_DEFAULT;
	size_t i, k, w, n, variant;

	(void)state;
	for (i = 0; i < LINES; i++) {
		for (k = 0; k < POINTS; k++) {
			x[k] = (double)k;
			y[i][k] = (double)((i + 3) * (k * k + 7) % 101) *
			    pow(10, (double)(i % 7) * 40 - 100);
			if (k % 17 == i)
				y[i][k] = NAN;
		}
		line[i] = (struct chart_line){.name = names[i % 6],
		    .x = x,
		    .y = y[i],
		    .low = i % 4 == 1 ? y[i] : NULL,
		    .high = i % 4 == 1 ? y[0] : NULL,
		    .count = i % 5 == 4 ? 0 : POINTS - 3 * i,
		    .best = i % 5 == 4 ? CHART_NO_POINT : 3,
		    .dotted = i % 2,
		    .cell = cells};
	}
	c.title = "a title that is rather long, as titles of people are";
	c.note = "best 0.123 @ 45";
	c.line = line;
	c.column = columns;
	c.name_head = "TASK";
	c.x_name = c.y_name = "a name that is too long for its place, really";
	for (w = 0; w < 5; w++)
		for (n = 0; n < 5; n++)
			for (variant = 0; variant < 4 * 3 * 2 * 2; variant++) {
				c.width = widths[w];
				c.lines = counts[n];
				c.height = CHART_HEIGHT + variant;
				c.layout = (enum chart_layout)(variant % 4);
				c.charset = (enum cli_charset)(variant / 4 % 3);
				c.legend = (int)(variant / 12 % 2);
				c.columns = c.legend ? 2 : 0;
				c.log = (int)(variant / 24);
				c.colors = c.log ? 256 : 0;
				c.x_time = (int)(variant % 2);
				for (i = 0; i < LINES; i++)
					line[i].axis = w % 2 ? (int)i % 3 : 0;
				check_rows(draw(&c), &c, 0);
			}
}

static int
has_row(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

static void
the_layout_follows_lines_and_colours(void **state)
{
	static const double y[] = {3, 2, 1};
	static struct chart_line line[40];
	struct chart c = CHART_DEFAULT;
	size_t i;

	(void)state;
	for (i = 0; i < 40; i++)
		line[i] = (struct chart_line){
		    .name = "run", .x = steps, .y = y, .count = 3, .best = 2};
	c.line = line;
	c.legend = 1;
	c.name_head = "FILE";
	c.y_name = "loss";
	c.lines = 3;
	assert_true(has_row(draw(&c), " c run"));
	c.lines = 4;
	assert_true(has_row(draw(&c), "each panel"));
	c.colors = 16;
	assert_false(has_row(draw(&c), "each panel"));
	assert_true(has_row(draw(&c), " \033[93md"));
	c.lines = 27;
	assert_false(has_row(draw(&c), "+--"));
	assert_true(has_row(draw(&c), "FILE"));
	c.layout = CHART_ONE;
	assert_true(has_row(draw(&c), "+--"));
}

static void
a_band_lies_below_its_line(void **state)
{
	static const double y[] = {4, 4, 4, 4}, low[] = {2, 2, 2, NAN},
			    high[] = {6, 6, 6, NAN};
	struct chart_line line = {.name = "mean",
	    .x = steps,
	    .y = y,
	    .low = low,
	    .high = high,
	    .count = 4,
	    .best = CHART_NO_POINT};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.line = &line;
	c.lines = 1;
	c.width = 26;
	c.height = 8;
	assert_string_equal(draw(&c),
	    "\n"
	    "6 +...........\n"
	    "  |...........\n"
	    "4 +oooooooooooooooo mean 4\n"
	    "  |...........\n"
	    "2 +...........\n"
	    "  ++---------+-----\n"
	    "   0         2\n");
}

static void
lines_with_other_axes_get_panels(void **state)
{
	static const double small[] = {1, 2, 3}, large[] = {100, 300, 200};
	struct chart_line line[] = {{.name = "acc",
					.x = steps,
					.y = small,
					.count = 3,
					.best = CHART_NO_POINT},
	    {.name = "time",
		.x = steps,
		.y = large,
		.count = 3,
		.best = CHART_NO_POINT,
		.axis = 1}};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.line = line;
	c.lines = 2;
	c.x_name = "epoch";
	c.colors = 256;
	assert_true(
	    has_row(draw(&c), "each panel: its own y axis, epoch 0 to 2"));
	assert_true(has_row(draw(&c), "1 to 3"));
	assert_true(has_row(draw(&c), "100 to 300"));
	c.layout = CHART_ONE;
	assert_false(has_row(draw(&c), "each panel"));
	c.layout = CHART_AUTO;
	line[1].axis = 0;
	assert_false(has_row(draw(&c), "each panel"));
}

static void
nan_leaves_a_gap_and_a_mark(void **state)
{
	static const double y[] = {4, 4, NAN, NAN, 4, 4};
	static const double end[] = {4, 4, 4, NAN, NAN, NAN};
	static const double low[] = {4, 4, -INFINITY, -INFINITY};
	static const double both[] = {4, 4, INFINITY, NAN};
	struct chart c = CHART_DEFAULT;
	char *text;

	(void)state;
	text = draw_values(y, 6, &c);
	assert_true(has_row(text, "4 +oooo  !      oooo loss 4\n"));
	assert_false(has_row(text, "nan since"));
	assert_true(
	    has_row(draw_values(end, 6, &c), "\nloss: nan since epoch 3\n"));
	assert_true(
	    has_row(draw_values(low, 4, &c), "\nloss: -inf since epoch 2\n"));
	assert_true(has_row(
	    draw_values(both, 4, &c), "\nloss: no number since epoch 2\n"));
}

static void
a_new_segment_is_not_joined(void **state)
{
	static const double x[] = {0, 1, 2, 1, 2, 3}, y[] = {9, 9, 9, 1, 1, 1};
	static const size_t start[] = {0, 3};
	struct chart_line line = {.name = "n",
	    .x = x,
	    .y = y,
	    .count = 6,
	    .start = start,
	    .starts = 2,
	    .best = 3};
	struct chart c = CHART_DEFAULT;

	(void)state;
	c.line = &line;
	c.lines = 1;
	c.width = 24;
	c.height = 7;
	assert_string_equal(draw(&c),
	    "\n"
	    "  |oooooooooooo\n"
	    "  |\n"
	    "5 +\n"
	    "  |     *ooooooooooo n 1\n"
	    "  ++----------+-----\n"
	    "   0          2\n");
}

static void
values_beyond_the_range_leave_arrows(void **state)
{
	static const double y[] = {1, 9, 1, -9, 1};
	struct chart c = CHART_DEFAULT;
	char *text;

	(void)state;
	c.low = 0;
	c.high = 2;
	text = draw_values(y, 5, &c);
	assert_true(has_row(text, "2 +"));
	assert_true(has_row(text, "^"));
	assert_true(has_row(text, "_"));
	c.charset = CLI_BRAILLE;
	text = draw_values(y, 5, &c);
	assert_true(has_row(text, "▲"));
	assert_true(has_row(text, "▼"));
}

/* Lines from one value to another, the best first. */
static const struct chart_line *
slopes(const double (*ends)[2], size_t lines)
{
	static const double x[2] = {0, 1};
	static struct chart_line line[8];
	size_t i;

	for (i = 0; i < lines; i++)
		line[i] = (struct chart_line){.name = "n",
		    .x = x,
		    .y = ends[i],
		    .count = 2,
		    .best = CHART_NO_POINT};
	return line;
}

/* Draw lines that begin at 1, and check that chart_clipped counts the rows. */
static char *
draw_slopes(const double *top, size_t lines, int ratios)
{
	static double ends[8][2];
	struct chart c = CHART_DEFAULT;
	size_t i;

	for (i = 0; i < lines; i++) {
		ends[i][0] = 1;
		ends[i][1] = top[i];
	}
	c.line = slopes((const double(*)[2])ends, lines);
	c.lines = lines;
	c.y_name = "loss";
	c.layout = ratios ? CHART_MULTI : CHART_ONE;
	c.log_panels = ratios;
	c.clip = 1;
	c.worse = 1;
	assert_int_equal(
	    chart_clipped(&c) > 0, has_row(draw(&c), "-y : shows all of it"));
	return draw(&c);
}

static void
the_axis_hides_only_outliers_on_the_bad_side(void **state)
{
	static const struct {
		const char *what;
		int worse;
		size_t lines;
		double ends[8][2];
		const char *said; /* "": nothing is hidden */
	} table[] = {
	    {"one of two learns a loss", 1, 2, {{2.3, 0.07}, {2.3, 2.3}}, ""},
	    {"one of five learns a loss", 1, 5,
		{{2.3, 0.07}, {2.3, 2.3}, {2.31, 2.3}, {2.3, 2.29}, {2.3, 2.3}},
		""},
	    {"one of two learns an accuracy", -1, 2, {{0.02, 0.97}, {0, 0.06}},
		""},
	    {"one of five learns an accuracy", -1, 5,
		{{0.02, 0.97}, {0, 0.06}, {0.02, 0.05}, {0.01, 0.01}, {0, 0}},
		""},
	    {"two are flat", 1, 2, {{0.74, 0.74}, {0.81, 0.81}}, ""},
	    {"two are flat, higher is better", -1, 2,
		{{0.81, 0.81}, {0.74, 0.74}}, ""},
	    {"three are nearly flat", 1, 3,
		{{0.74, 0.741}, {0.74, 0.742}, {0.81, 0.811}}, ""},
	    {"one of two diverges, which is half of them", 1, 2,
		{{1, 0.5}, {2, 1e30}}, ""},
	    {"two of four diverge, which is half of them", 1, 4,
		{{1, 0.5}, {1, 0.6}, {1, 1e6}, {1, 1e6}}, ""},
	    {"one of three diverges", 1, 3, {{1, 0.5}, {1, 0.6}, {1, 1e6}},
		"^ 1 of 3 curves goes off the top (max 1e6); "},
	    {"two of five diverge", 1, 5,
		{{1, 0.5}, {1, 0.6}, {1, 0.7}, {1, 40}, {1, 46}},
		"^ 2 of 5 curves go off the top (max 46); "},
	    {"one of four falls far, higher is better", -1, 4,
		{{0, -1}, {0, -1.5}, {0, -2}, {0, -1e6}},
		"_ 1 of 4 curves goes off the bottom (min -1e6); "},
	    {"one of four falls far, lower is better", 1, 4,
		{{0, -1e6}, {0, -2}, {0, -1.5}, {0, -1}}, ""},
	    {"one of four rises far, higher is better", -1, 4,
		{{0, 1e6}, {0, 2}, {0, 1.5}, {0, 1}}, ""},
	    {"one of four rises far, what is better is unknown", 0, 4,
		{{1, 2}, {1, 3}, {1, 2.5}, {1, 46}}, ""},
	    {"one of four falls far, what is better is unknown", 0, 4,
		{{1, 0}, {1, -1}, {1, -0.5}, {1, -1e6}}, ""},
	    {"the best begins far out", 1, 4,
		{{500, 0.1}, {2, 0.5}, {2, 0.6}, {2, 0.7}}, ""},
	    {"the best begins far out, and one diverges", 1, 4,
		{{500, 0.1}, {2, 0.5}, {2, 0.6}, {2, 1e6}},
		"^ 1 of 4 curves goes off the top (max 1e6); "},
	    {"one ends in nan", 1, 4, {{1, 0.5}, {1, 3}, {1, 9}, {1, NAN}},
		"^ 1 of 4 curves goes off the top (max 9); "},
	    {"they spread", 1, 4, {{1, 0.5}, {1, 3}, {1, 4}, {1, 5}}, ""},
	};
	struct chart c = CHART_DEFAULT;
	size_t i;
	int hidden;

	(void)state;
	c.y_name = "loss";
	c.layout = CHART_ONE;
	c.clip = 1;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		c.line = slopes(table[i].ends, table[i].lines);
		c.lines = table[i].lines;
		c.worse = table[i].worse;
		hidden = table[i].said[0] != '\0';
		if (has_row(draw(&c), "-y : shows all of it") != hidden ||
		    !has_row(draw(&c), table[i].said))
			fail_msg("%s:\n%s", table[i].what, draw(&c));
		assert_int_equal(chart_clipped(&c), hidden);
	}
}

static void
an_axis_ends_where_most_lines_do(void **state)
{
	static const double one_up[] = {2, 3, 2.5, 46}, two[] = {2, 1e30},
			    spread[] = {2, 3, 4, 5}, most[] = {2, 50, 60, 70},
			    flat[] = {1, 1, 1, 46};
	char *text;

	(void)state;
	text = draw_slopes(one_up, 4, 0);
	assert_true(has_row(text, "3 +"));
	assert_true(has_row(text, "n 46\n"));
	assert_true(has_row(text,
	    "\n^ 1 of 4 curves goes off the top "
	    "(max 46); -y : shows all of it\n"));
	assert_false(has_row(draw_slopes(two, 2, 0), "off the top"));
	assert_false(has_row(draw_slopes(spread, 4, 0), "off the top"));
	assert_false(has_row(draw_slopes(most, 4, 0), "off the top"));
	assert_false(has_row(draw_slopes(flat, 4, 0), "off the top"));
	assert_false(has_row(draw_slopes(one_up + 3, 1, 0), "off the top"));
}

static void
panels_show_ratios_of_what_differs_by_much(void **state)
{
	static const double much[] = {2, 3, 9, 8}, little[] = {2, 3, 3, 2},
			    beyond[] = {2, 9, 8, 1e6}, zero[] = {0, 9, 8, 7};

	(void)state;
	assert_true(has_row(draw_slopes(much, 4, 1), "loss 1 to 10 (log)"));
	assert_true(has_row(draw_slopes(little, 4, 1), "loss 1 to 3,"));
	assert_true(has_row(draw_slopes(zero, 4, 1), "loss 0 to 10,"));
	assert_true(has_row(draw_slopes(beyond, 4, 1), "loss 1 to 10 (log)"));
	assert_true(has_row(draw_slopes(beyond, 4, 1), "(max 1e6)"));
}

static void
only_some_of_many_ends_in_nan_are_named(void **state)
{
	static const double y[] = {1, NAN};
	struct chart_line line[5];
	struct chart c = CHART_DEFAULT;
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++)
		line[i] = (struct chart_line){
		    .name = "run", .x = steps, .y = y, .count = 2, .best = 0};
	c.line = line;
	c.legend = 1;
	c.layout = CHART_SPARK;
	c.x_name = "epoch";
	c.lines = 5;
	assert_true(has_row(draw(&c),
	    "\nrun: nan since epoch 1\nrun: nan since epoch 1\n"
	    "run: nan since epoch 1\n2 more end in nan\n"));
	c.lines = 3;
	assert_false(has_row(draw(&c), "more end in nan"));
}

static void
a_gnuplot_script_has_lines_that_can_be_drawn(void **state)
{
	static const double x[] = {0, 1, 0}, y[] = {1, NAN, 0.1};
	static const double nothing[] = {NAN, INFINITY, -1};
	static const size_t start[] = {0, 2};
	struct chart_line line[] = {
	    {.name = "empty", .x = x, .y = nothing, .count = 3},
	    {.name = "it's `me`",
		.x = x,
		.y = y,
		.count = 3,
		.start = start,
		.starts = 2},
	};
	struct chart c = CHART_DEFAULT;
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	(void)state;
	c.line = line;
	c.lines = 1;
	c.log = 1;
	assert_int_equal(chart_gnuplot(f, &c), 0);
	c.lines = 2;
	c.high = 2;
	c.x_name = "epoch";
	assert_int_equal(chart_gnuplot(f, &c), 1);
	fclose(f);
	assert_string_equal(text,
	    "$data0 << EOD\n0 1\n1 NaN\n\n0 0.1\nEOD\n"
	    "set xlabel 'epoch' noenhanced\n"
	    "set ylabel '' noenhanced\n"
	    "set yrange [:2]\n"
	    "set logscale y\n"
	    "set grid\n"
	    "plot $data0 using 1:2 with lines lc rgb '#e69f00' title "
	    "'it''s `me`' noenhanced\n");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_short_and_plain),
	    cmocka_unit_test(ticks_are_round_and_few),
	    cmocka_unit_test(ticks_of_times_are_those_of_a_clock),
	    cmocka_unit_test(a_band_lies_below_its_line),
	    cmocka_unit_test(lines_with_other_axes_get_panels),
	    cmocka_unit_test(ticks_of_any_range_lie_within_it),
	    cmocka_unit_test(sparklines_show_the_shape),
	    cmocka_unit_test(bars_are_drawn_in_eighths),
	    cmocka_unit_test(smoothing_follows_the_values),
	    cmocka_unit_test(a_small_chart_is_drawn_exactly),
	    cmocka_unit_test(what_cannot_be_drawn_is_said),
	    cmocka_unit_test(what_cannot_be_is_refused),
	    cmocka_unit_test(no_row_is_too_wide_or_ends_in_blanks),
	    cmocka_unit_test(the_layout_follows_lines_and_colours),
	    cmocka_unit_test(nan_leaves_a_gap_and_a_mark),
	    cmocka_unit_test(a_new_segment_is_not_joined),
	    cmocka_unit_test(values_beyond_the_range_leave_arrows),
	    cmocka_unit_test(the_axis_hides_only_outliers_on_the_bad_side),
	    cmocka_unit_test(an_axis_ends_where_most_lines_do),
	    cmocka_unit_test(panels_show_ratios_of_what_differs_by_much),
	    cmocka_unit_test(only_some_of_many_ends_in_nan_are_named),
	    cmocka_unit_test(a_gnuplot_script_has_lines_that_can_be_drawn),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
