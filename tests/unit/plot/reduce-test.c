#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "plot/plot.h"

/* Rows of a log, and the points of it that stfm-plot keeps for 80 columns. */
enum { ROWS = 200000, POINTS = 64000, BREAK = 120000 };

static double
noise(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15;
	i = (i ^ i >> 31) * 0xbf58476d1ce4e5b9;
	return (double)(i >> 40) / (1 << 24);
}

/* The shapes of curves: a value for each row. */
static double
curve(size_t i)
{
	return 1 / (1 + (double)i / 20000);
}

static double
noisy(size_t i)
{
	return 0.3 + noise(i) * noise(i) / 5;
}

static double
spikes(size_t i)
{
	return i % 30011 == 5000 ? 5 : i % 30011 == 77 ? -5 : curve(i);
}

static double
steps(size_t i)
{
	return (double)(i / 30011 % 3) / 10;
}

static double
plateau(size_t i)
{
	return i < 33333 ? 0.1 : i < 100001 ? 0.5 : 0.3;
}

static double
saw(size_t i)
{
	return i % 3 == 0;
}

static double
gaps(size_t i)
{
	return i % 50021 < 9000 ? NAN : i % 1009 == 5 ? INFINITY : noisy(i);
}

static double
diverged(size_t i)
{
	return i > 150001 ? NAN : noisy(i);
}

static double
half(size_t i)
{
	return i % 2 == 0 ? NAN : curve(i);
}

static double
huge(size_t i)
{
	return i % 2 == 0 ? 1e308 : i % 3000 == 1 ? -1e308 : 1;
}

/* Steep everywhere. */
static double
wave(size_t i)
{
	return sin((double)i / 3000) * (double)i * (1 + noise(i) / 10);
}

typedef double shape(size_t i);

/*
 * In how many characters a chart may differ.  A line that crosses from one
 * column of dots to the next within a group may do so a few points too early or
 * too late.  That shows if it is steep or noisy there.
 */
static const struct {
	shape *y;
	size_t off;
} shapes[] = {{curve, 0}, {noisy, 2}, {spikes, 0}, {steps, 0}, {plateau, 0},
    {saw, 0}, {gaps, 2}, {diverged, 2}, {half, 0}, {huge, 0}, {wave, 20}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Write a log of two metrics; the epochs start again at row `again'. */
static FILE *
write_log(shape *loss, shape *val_loss, size_t again)
{
	FILE *f = tmpfile();
	size_t i;

	assert_non_null(f);
	fputs("epoch,loss,val_loss\n", f);
	for (i = 0; i < ROWS; i++)
		fprintf(f, "%zu,%.9g,%.9g\n", i < again ? i : i - again / 2,
		    loss(i), val_loss(i));
	fflush(f);
	return f;
}

static void
add_log(struct plot *p, FILE *f, const char *name)
{
	struct plot_run run = {.name = xstrdup(name)};

	rewind(f);
	assert_int_equal(lseek(fileno(f), 0, SEEK_SET), 0);
	assert_int_equal(plot_read(p, &run, fileno(f), PLOT_FILE, NULL), 0);
	plot_add(p, &run);
}

/* Draw a plot in one way; to free. */
static char *
drawn(const struct plot *p, enum chart_layout layout, enum cli_charset charset)
{
	struct chart look = CHART_DEFAULT;
	size_t length;
	char *text;
	FILE *f = xmemopen(&text, &length);

	look.layout = layout;
	look.charset = charset;
	look.clip = 1;
	assert_int_equal(plot_draw(f, f, p, &look, 0, NULL), 0);
	xmemclose(f);
	return text;
}

/* Return the bytes of a character in UTF-8. */
static size_t
bytes_of(const char *c)
{
	size_t n = 1;

	while ((c[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Count the characters in which two texts of the same rows differ. */
static size_t
differences(const char *a, const char *b)
{
	size_t count = 0, n, m;
	int a_ends, b_ends;

	while (*a != '\0' && *b != '\0') {
		n = bytes_of(a);
		m = bytes_of(b);
		count += n != m || memcmp(a, b, n) != 0;
		a_ends = *a == '\n';
		b_ends = *b == '\n';
		a += a_ends && !b_ends ? 0 : n;
		b += b_ends && !a_ends ? 0 : m;
	}
	return count + strlen(a) + strlen(b);
}

/* Compare the pictures of both plots: each may differ in `off' characters. */
static void
same_pictures(const struct plot *whole, const struct plot *reduced, size_t off)
{
	enum chart_layout layout;
	enum cli_charset charset;
	char *expected, *got;

	for (layout = CHART_ONE; layout <= CHART_SPARK; layout++)
		for (charset = CLI_ASCII; charset <= CLI_BRAILLE;
		     charset += CLI_BRAILLE - CLI_ASCII) {
			expected = drawn(whole, layout, charset);
			got = drawn(reduced, layout, charset);
			if (off == 0)
				assert_string_equal(got, expected);
			assert_in_range(differences(got, expected), 0, off);
			free(expected);
			free(got);
		}
}

static const struct plot all = {.goal = METRICS_GOAL_BY_NAME, .at = NAN};

/* Two metrics of one log. */
static void
a_chart_of_a_reduced_log_is_that_of_all_points(void **state)
{
	const struct metrics_series *s;
	struct plot whole, reduced;
	size_t i, next, off;
	FILE *f;

	(void)state;
	for (i = 0; i < SHAPES; i++) {
		next = (i + 1) % SHAPES;
		off = shapes[i].off + shapes[next].off;
		f = write_log(
		    shapes[i].y, shapes[next].y, i % 2 == 0 ? BREAK : ROWS);
		whole = plot_like(&all);
		whole.partner = whole.alone = 1;
		reduced = plot_like(&whole);
		reduced.points = POINTS;
		add_log(&whole, f, "log");
		add_log(&reduced, f, "log");
		fclose(f);
		assert_int_equal(reduced.metric.count, 2);
		s = metrics_log_series(reduced.run[0].log, 0);
		if (shapes[next].y != half && shapes[next].y != huge)
			assert_in_range(s->count, 1, POINTS / 2);
		same_pictures(&whole, &reduced, off);
		plot_free(&whole);
		plot_free(&reduced);
	}
}

/* One metric of many logs, and what is said of them. */
static void
so_is_a_chart_of_many_logs(void **state)
{
	struct plot whole = plot_like(&all), reduced = plot_like(&all);
	char name[] = "log0";
	size_t i;
	FILE *f;

	(void)state;
	reduced.points = POINTS;
	for (i = 0; i < SHAPES; i++, name[3]++) {
		if (shapes[i].y == huge || shapes[i].y == wave)
			continue;
		f = write_log(curve, shapes[i].y, i % 3 == 0 ? BREAK : ROWS);
		add_log(&whole, f, name);
		add_log(&reduced, f, name);
		fclose(f);
	}
	same_pictures(&whole, &reduced, 0);
	plot_free(&whole);
	plot_free(&reduced);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_chart_of_a_reduced_log_is_that_of_all_points),
	    cmocka_unit_test(so_is_a_chart_of_many_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
