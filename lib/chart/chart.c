#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

enum {
	FEW = 3,  /* as many lines can be told apart without colour */
	MANY = 26 /* more are a table, unless a chart is asked for */
};

const struct chart CHART_DEFAULT = {.title = "",
    .x_name = "",
    .y_name = "",
    .name_head = "",
    .low = NAN,
    .high = NAN,
    .width = 80,
    .height = 16};

const char *
chart_best_mark(enum cli_charset charset)
{
	return charset == CLI_ASCII ? "*" : "●";
}

void
chart_smooth(
    double *y, size_t count, const size_t *start, size_t starts, double factor)
{
	double sum = 0, weight = 0;
	size_t i, next = 0;

	for (i = 0; i < count; i++) {
		while (next < starts && start[next] < i)
			next++;
		if (next < starts && start[next] == i)
			sum = weight = 0;
		if (!isfinite(y[i]))
			continue;
		sum = factor * sum + (1 - factor) * y[i];
		weight = factor * weight + (1 - factor);
		y[i] = sum / weight;
	}
}

static int
check(const struct chart *c, struct error *e)
{
	if (c->width < CHART_WIDTH)
		return error_set(e,
		    "width: %zu columns are too few for a chart (%d or more)",
		    c->width, CHART_WIDTH);
	if (c->height < CHART_HEIGHT)
		return error_set(e,
		    "height: %zu rows are too few for a chart (%d or more)",
		    c->height, CHART_HEIGHT);
	if (!(c->smooth >= 0 && c->smooth <= 0.999))
		return error_set(e, "smoothing: a factor of 0 to 0.999");
	if (c->low >= c->high)
		return error_set(
		    e, "range: the lower end is not below the upper one");
	if (c->log && (c->low <= 0 || c->high <= 0))
		return error_set(e, "range: a log axis begins above 0");
	return 0;
}

/* The band of a line has to be seen as well. */
static void
add_band(struct drawing *d, const struct chart_line *l)
{
	size_t k;

	for (k = 0; l->low != NULL && k < l->count; k++)
		if (!d->chart->log || l->low[k] > 0) {
			chart_range_add(&d->all, &l->low[k], 1);
			chart_range_add(&d->all, &l->high[k], 1);
		}
}

/* What is drawn of a line instead of its values; to free. */
static double *
smoothed(const struct chart_line *l, double factor)
{
	double *y = xcalloc(l->count, sizeof *y);

	memcpy(y, l->y, l->count * sizeof *y);
	chart_smooth(y, l->count, l->start, l->starts, factor);
	return y;
}

/* Widen the ranges by a line. */
static void
measure(struct drawing *d, size_t line)
{
	const struct chart_line *l = &d->chart->line[line];
	size_t i;

	chart_range_add(&d->x, l->x, l->count);
	add_band(d, l);
	if (!d->chart->log)
		chart_range_add(&d->all, d->y[line], l->count);
	for (i = 0; d->chart->log && i < l->count; i++)
		if (draw_shows(d, line, i))
			chart_range_add(&d->all, &d->y[line][i], 1);
	for (i = 0; d->whole && i < l->count; i++)
		d->whole = l->x[i] == trunc(l->x[i]);
}

static void
prepare(struct drawing *d, const struct chart *c, FILE *out)
{
	const struct chart_line *l;
	size_t i;

	*d = (struct drawing){.chart = c,
	    .pen = {out, c->colors, PEN_PLAIN, 0},
	    .x = CHART_NO_RANGE,
	    .all = CHART_NO_RANGE,
	    .whole = 1};
	d->y = xcalloc(c->lines, sizeof *d->y);
	d->smooth = xcalloc(c->lines, sizeof *d->smooth);
	for (i = 0; i < c->lines; i++) {
		l = &c->line[i];
		if (c->smooth > 0 && l->count > 0)
			d->smooth[i] = smoothed(l, c->smooth);
		d->y[i] = d->smooth[i] != NULL ? d->smooth[i] : l->y;
		measure(d, i);
	}
}

static void
clear(struct drawing *d)
{
	size_t i;

	for (i = 0; i < d->chart->lines; i++)
		free(d->smooth[i]);
	free(d->smooth);
	free(d->y);
}

static void
note_line(const struct drawing *d, size_t line, FILE *notes)
{
	const struct chart_line *l = &d->chart->line[line];
	size_t i, numbers = 0, hidden = 0;

	for (i = 0; i < l->count; i++) {
		numbers += isfinite(l->y[i]) != 0;
		hidden += d->chart->log && isfinite(l->y[i]) &&
		    !draw_shows(d, line, i);
	}
	if (numbers > 0 && hidden == 0)
		return;
	text_plain(notes, l->name);
	if (l->count == 0)
		fputs(": no values yet\n", notes);
	else if (numbers == 0)
		fprintf(notes, ": nothing to draw, every value is %s\n",
		    draw_no_number(l, 0));
	else if (hidden == numbers)
		fputs(": nothing to draw on a log axis, no value is above 0\n",
		    notes);
	else
		fprintf(notes,
		    ": %zu %s of 0 or less cannot be on a log axis\n", hidden,
		    hidden == 1 ? "value" : "values");
}

/* The first row: the title, cut where it must be, then the note whole. */
static void
draw_title(struct drawing *d)
{
	const struct chart *c = d->chart;
	size_t note = c->note ? text_width(c->note) : 0;
	size_t room = c->width, wide = text_width(c->title);

	if (note + 10 > c->width)
		note = 0;
	if (note > 0)
		room -= note + 2;
	if (wide > 0)
		pen_cell(
		    &d->pen, PEN_PLAIN, c->title, wide < room ? wide : room, 0);
	if (note > 0) {
		pen_blanks(&d->pen, wide > 0 ? 2 : 0);
		pen_cell(&d->pen, PEN_PLAIN, c->note, 0, 0);
	}
	pen_end(&d->pen);
}

enum chart_layout
chart_layout(const struct chart *c)
{
	if (c->layout != CHART_AUTO)
		return c->layout;
	if (c->lines > MANY)
		return CHART_SPARK;
	if (draw_has_axes(c))
		return CHART_MULTI;
	return c->lines > FEW && c->colors == 0 ? CHART_MULTI : CHART_ONE;
}

/* Whether the values differ so much that their ratios say more. */
static int
wants_ratios(const struct chart *c)
{
	struct chart_range all = CHART_NO_RANGE;
	size_t i;

	for (i = 0; i < c->lines; i++)
		chart_range_add(&all, c->line[i].y, c->line[i].count);
	return all.low > 0 && all.high / all.low > DRAW_RATIO;
}

/* The chart with what its layout and its values decide. */
static struct chart
decided(const struct chart *asked)
{
	struct chart c = *asked;

	c.layout = chart_layout(asked);
	if (c.log_panels && c.layout == CHART_MULTI && !draw_has_axes(&c) &&
	    wants_ratios(&c))
		c.log = 1;
	return c;
}

static void
draw_layout(struct drawing *d)
{
	const struct chart *c = d->chart;
	enum chart_layout layout = c->layout;
	int drawable = !isnan(d->all.low), table;

	table = c->legend && layout != CHART_MULTI;
	if (!drawable && !c->legend)
		return;
	draw_title(d);
	if (drawable && layout == CHART_ONE)
		draw_one(d);
	else if (drawable && layout == CHART_MULTI)
		draw_multi(d);
	else
		table = 1;
	if (table)
		draw_table(d, layout == CHART_ONE && drawable);
	if (drawable && layout != CHART_SPARK)
		draw_clip_lines(d);
	draw_nan_lines(d, table && layout == CHART_ONE && drawable);
}

int
chart_draw(FILE *out, FILE *notes, const struct chart *asked, struct error *e)
{
	struct chart c;
	struct drawing d;
	size_t i;

	if (check(asked, e) < 0)
		return -1;
	c = decided(asked);
	prepare(&d, &c, out);
	draw_clip(&d);
	for (i = 0; i < c.lines; i++)
		note_line(&d, i, notes);
	draw_layout(&d);
	clear(&d);
	return 0;
}

size_t
chart_clipped(const struct chart *asked)
{
	struct chart c = decided(asked);
	struct drawing d;

	if (c.layout == CHART_SPARK)
		return 0;
	prepare(&d, &c, NULL);
	draw_clip(&d);
	clear(&d);
	return d.beyond.lines > 0;
}
