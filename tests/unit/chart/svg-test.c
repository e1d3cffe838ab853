#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "chart/svg.h"

/* What was written: the charts as a file, the legend of a page, the notes. */
struct written {
	struct chart_svg svg;
	char *body, *file, *notes, *legend;
	int rc;
	struct error e;
};

typedef int draw(struct chart_svg *, const void *what, struct error *e);

static struct written
write_svg(draw *each, const void *what, int in_page)
{
	struct written w = {.rc = 0};
	size_t length;
	FILE *f;

	w.svg.out = xmemopen(&w.body, &length);
	w.svg.notes = xmemopen(&w.notes, &length);
	f = xmemopen(&w.legend, &length);
	w.svg.legend = in_page ? f : NULL;
	w.rc = each(&w.svg, what, &w.e);
	xmemclose(w.svg.out);
	xmemclose(w.svg.notes);
	xmemclose(f);
	f = xmemopen(&w.file, &length);
	chart_svg_file(f, &w.svg, w.body);
	xmemclose(f);
	return w;
}

static void
forget(struct written *w)
{
	strlist_free(&w->svg.titles);
	free(w->body);
	free(w->file);
	free(w->notes);
	free(w->legend);
}

static int
draw_chart(struct chart_svg *svg, const void *what, struct error *e)
{
	return chart_svg(svg, what, e);
}

static size_t
count(const char *text, const char *what)
{
	size_t found = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		found++;
	return found;
}

static struct chart
chart_of(const struct chart_line *line, size_t lines)
{
	struct chart c = CHART_DEFAULT;

	c.title = "val_loss, lower is better";
	c.x_name = "epoch";
	c.name_head = "TASK";
	c.line = line;
	c.lines = lines;
	c.legend = 1;
	return c;
}

static const double five[] = {1, 2, 3, 4, 5};

static void
a_chart_has_axes_titles_and_a_legend(void **state)
{
	static const double y[] = {0.5, 0.25, 0.125, 0.1, 0.2};
	const struct chart_line line = {
	    .name = "net/3", .x = five, .y = y, .count = 5, .best = 3};
	const struct chart c = chart_of(&line, 1);
	static const char *const parts[] = {
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\"",
	    "<title>val_loss, lower is better</title>",
	    "<desc>A chart of 1 line over epoch, from 1 to 5; values from ",
	    "prefers-color-scheme:dark", ">0.5</text>", ">epoch</text>",
	    "<title>net/3\nepoch 4: 0.1</title>", ">BEST</text>",
	    ">0.1000</text>"};
	struct written w = write_svg(draw_chart, &c, 0);
	size_t i;

	(void)state;
	assert_int_equal(w.rc, 0);
	for (i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(w.file, parts[i]) == NULL)
			fail_msg("%s is not in %s", parts[i], w.file);
	assert_string_equal(w.notes, "");
	/* One circle for each point, and the best. */
	assert_int_equal(count(w.file, "<circle class=\"p\""), 5);
	assert_int_equal(count(w.file, "<circle class=\"f\""), 1);
	forget(&w);
}

static void
a_page_gets_the_legend_as_a_table(void **state)
{
	static const struct chart_column columns[] = {{"lr", 1, 0}};
	static const char *const cell[] = {"<b>"};
	const struct chart_line line = {.name = "net/3",
	    .x = five,
	    .y = five,
	    .count = 5,
	    .best = 0,
	    .cell = cell};
	struct chart c = chart_of(&line, 1);
	struct written w;

	(void)state;
	c.column = columns;
	c.columns = 1;
	w = write_svg(draw_chart, &c, 1);
	assert_non_null(
	    strstr(w.legend, "<th scope=\"col\" class=\"n\">lr</th>"));
	assert_non_null(strstr(w.legend, "<th scope=\"row\">net/3</th>"));
	assert_non_null(strstr(w.legend, "<td class=\"n\">&lt;b&gt;</td>"));
	assert_null(strstr(w.body, "net/3</text>"));
	assert_non_null(strstr(w.body, "aria-label=\"val_loss, lower is"));
	forget(&w);
}

static void
names_are_text_alone(void **state)
{
	static const char *const names[] = {"</title><script>alert(1)</script>",
	    "a\" onload=\"alert(1)", "]]>", "\033[31m", "\xff\xfe", "&lt;"};
	struct chart_line line = {.x = five, .y = five, .count = 5, .best = 0};
	struct chart c = chart_of(&line, 1);
	struct written w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		line.name = c.title = c.x_name = c.name_head = names[i];
		w = write_svg(draw_chart, &c, (int)(i % 2));
		assert_null(strstr(w.file, names[i]));
		assert_null(strstr(w.legend, names[i]));
		assert_int_equal(w.svg.titles.count, 1);
		forget(&w);
	}
}

/* Two values in turn, and one that is higher than its neighbours. */
static void
of_many_points_the_extremes_stay(void **state)
{
	enum { MANY = 100000, SPIKE = 54321 };
	double *x = xcalloc(MANY, sizeof *x), *y = xcalloc(MANY, sizeof *y);
	const struct chart_line line = {
	    .name = "a", .x = x, .y = y, .count = MANY, .best = MANY - 7};
	struct chart c = chart_of(&line, 1);
	struct written w;
	size_t i;

	(void)state;
	c.low = 0;
	c.high = 9;
	for (i = 0; i < MANY; i++) {
		x[i] = (double)i;
		y[i] = i % 2 == 0 ? 1 : 2;
	}
	y[SPIKE] = 9;
	y[MANY - 7] = 0.5;
	w = write_svg(draw_chart, &c, 0);
	assert_in_range(strlen(w.body), 1000, 20000);
	/* The top of the panel is 9, where the spike ends. */
	assert_int_equal(count(w.body, " 0L"), 1);
	assert_non_null(strstr(w.body, "epoch 99993: 0.5</title>"));
	forget(&w);
	free(x);
	free(y);
}

static void
many_lines_stay_small(void **state)
{
	enum { LINES = 1000, POINTS = 1000 };
	double *x = xcalloc(POINTS, sizeof *x);
	double *y = xcalloc(POINTS, sizeof *y);
	struct chart_line *line = xcalloc(LINES, sizeof *line);
	struct chart c = chart_of(line, LINES);
	struct written w;
	size_t i;

	(void)state;
	for (i = 0; i < POINTS; i++) {
		x[i] = (double)i;
		y[i] = sin((double)(i * i));
	}
	for (i = 0; i < LINES; i++)
		line[i] = (struct chart_line){
		    .name = "a", .x = x, .y = y, .count = POINTS, .best = 3};
	w = write_svg(draw_chart, &c, 0);
	assert_in_range(strlen(w.file), 100000, 1500000);
	assert_int_equal(count(w.body, "<g class=\"o\""), LINES - SVG_KEYS);
	assert_non_null(strstr(w.body, ">and 984 more, in grey</text>"));
	forget(&w);
	free(x);
	free(y);
	free(line);
}

static void
lines_break_where_there_is_no_number(void **state)
{
	static const double y[] = {1, NAN, 3, 4, 5}, clean[] = {1, 2, 3, 4, 5};
	static const size_t start[] = {0, 3};
	static const struct {
		const double *y;
		size_t starts, parts, crosses;
	} table[] = {{clean, 0, 1, 0}, {clean, 2, 2, 0}, {y, 0, 2, 1}};
	struct chart_line line = {.name = "a", .x = five, .count = 5};
	const struct chart c = chart_of(&line, 1);
	struct written w;
	char *path, *end;
	size_t i;

	(void)state;
	line.start = start;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		line.y = table[i].y;
		line.starts = table[i].starts;
		w = write_svg(draw_chart, &c, 0);
		assert_int_equal(
		    count(w.body, "m-4 -4l8 8m0 -8l-8 8"), table[i].crosses);
		path = strstr(w.body, "<path class=\"l\" d=\"");
		assert_non_null(path);
		end = strstr(path, "\">");
		*end = '\0';
		assert_int_equal(count(path, "M"), table[i].parts);
		forget(&w);
	}
}

static void
an_outlier_is_cut_off_and_told(void **state)
{
	static const double good[] = {1, 0.9, 0.8, 0.7, 0.6};
	static const double bad[] = {1, 10, 100, 1000, 1e4};
	struct chart_line line[3] = {
	    {.name = "a", .x = five, .y = good, .count = 5, .best = 4},
	    {.name = "b", .x = five, .y = good, .count = 5, .best = 4},
	    {.name = "c", .x = five, .y = bad, .count = 5, .best = 0}};
	struct chart c = chart_of(line, 3);
	struct written w;

	(void)state;
	c.clip = 1;
	c.worse = 1;
	w = write_svg(draw_chart, &c, 0);
	assert_non_null(strstr(
	    w.body, ">1 of 3 curves goes off the top (max 10000)</text>"));
	assert_int_equal(count(w.body, "m-5 4h10l-5 -8z"), 1);
	forget(&w);
	c.clip = 0;
	w = write_svg(draw_chart, &c, 0);
	assert_null(strstr(w.body, "goes off"));
	forget(&w);
}

static void
a_band_goes_there_and_back(void **state)
{
	static const double low[] = {0.5, 1, NAN, 3, 4},
			    high[] = {2, 3, NAN, 5, 6};
	struct chart_line line = {.name = "a",
	    .x = five,
	    .y = five,
	    .low = low,
	    .high = high,
	    .count = 5,
	    .best = CHART_NO_POINT};
	const struct chart c = chart_of(&line, 1);
	struct written w = write_svg(draw_chart, &c, 0);

	(void)state;
	assert_int_equal(count(w.body, "<path class=\"b\""), 2);
	assert_int_equal(count(w.body, "z\"/>"), 2);
	forget(&w);
}

static void
validation_is_dotted_and_axes_are_apart(void **state)
{
	static const double big[] = {100, 200, 300, 400, 500};
	struct chart_line line[2] = {
	    {.name = "val_loss", .x = five, .y = five, .count = 5, .dotted = 1},
	    {.name = "time", .x = five, .y = big, .count = 5, .axis = 1}};
	const struct chart c = chart_of(line, 2);
	struct written w = write_svg(draw_chart, &c, 0);

	(void)state;
	assert_non_null(
	    strstr(w.body, "<g class=\"c0\" stroke-dasharray=\"1.5 4\">"));
	assert_int_equal(count(w.body, ">epoch</text>"), 2);
	forget(&w);
}

static void
nothing_to_draw_is_no_chart(void **state)
{
	static const double none[] = {NAN, NAN, NAN, NAN, NAN};
	struct chart_line line = {.name = "a", .x = five, .count = 5};
	struct chart c = chart_of(&line, 1);
	struct written w;

	(void)state;
	line.y = none;
	w = write_svg(draw_chart, &c, 0);
	assert_int_equal(w.rc, 0);
	assert_string_equal(w.body, "");
	assert_string_equal(
	    w.notes, "a: nothing to draw, every value is nan\n");
	assert_int_equal(w.svg.titles.count, 0);
	forget(&w);
	c.log = 1;
	c.low = -1;
	w = write_svg(draw_chart, &c, 0);
	assert_int_equal(w.rc, -1);
	assert_string_equal(w.e.text, "range: a log axis begins above 0");
	assert_string_equal(w.body, "");
	forget(&w);
}

/* ---- results ---- */

static const double best[] = {0.5, 0.52, 0.9, 0.92, 0.54, 0.5, 0.94, NAN};
static const char *const lr[] = {
    "1e-3", "1e-3", "<i>", "<i>", "1e-3", "1e-3", "<i>", "<i>"};
static const char *const opt[] = {
    "sgd", "adam", "sgd", "adam", "sgd", "adam", "sgd", "adam"};
static const struct chart_factor factors[] = {{"lr", lr}, {"opt&", opt}};
static const struct chart_results results = {.metric = "val_loss",
    .of = "8 tasks of net",
    .best = best,
    .count = 8,
    .factor = factors,
    .factors = 2};

static int
draw_grid(struct chart_svg *svg, const void *what, struct error *e)
{
	return chart_grid_svg(svg, what, &results, 0, 1, e);
}

static int
draw_by(struct chart_svg *svg, const void *what, struct error *e)
{
	return chart_by_svg(svg, what, &results, e);
}

static int
draw_hist(struct chart_svg *svg, const void *what, struct error *e)
{
	return chart_hist_svg(svg, what, &results, e);
}

static void
results_are_drawn(void **state)
{
	static const struct {
		draw *each;
		const char *part[3];
	} table[] = {
	    {draw_grid,
		{"<title>lr=1e-3, opt&amp;=sgd: 0.500 (2 tasks), the best"
		 "</title>",
		    ">0.900</text>", ">&lt;i&gt;</text>"}},
	    {draw_by,
		{">lr  explains 99% of the variance (by chance 17%)</text>",
		    "<title>best 0.5</title>", ">&lt;i&gt;</text>"}},
	    {draw_hist,
		{">Distribution of best val_loss (8 tasks of net)</text>",
		    "</title></rect>", "<svg class=\"chart\""}},
	};
	struct written w;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		w = write_svg(table[i].each, &CHART_DEFAULT, 0);
		assert_int_equal(w.rc, 0);
		for (k = 0; k < 3; k++)
			if (strstr(w.body, table[i].part[k]) == NULL)
				fail_msg("%s is not in %s", table[i].part[k],
				    w.body);
		assert_string_equal(w.notes,
		    "val_loss: 1 of 8 without a number are left out\n");
		assert_null(strstr(w.body, "<i>"));
		forget(&w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_chart_has_axes_titles_and_a_legend),
	    cmocka_unit_test(a_page_gets_the_legend_as_a_table),
	    cmocka_unit_test(names_are_text_alone),
	    cmocka_unit_test(of_many_points_the_extremes_stay),
	    cmocka_unit_test(many_lines_stay_small),
	    cmocka_unit_test(lines_break_where_there_is_no_number),
	    cmocka_unit_test(an_outlier_is_cut_off_and_told),
	    cmocka_unit_test(a_band_goes_there_and_back),
	    cmocka_unit_test(validation_is_dotted_and_axes_are_apart),
	    cmocka_unit_test(nothing_to_draw_is_no_chart),
	    cmocka_unit_test(results_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
