#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "chart/draw.h"
#include "chart/spark.h"

const char *
chart_best_mark(enum cli_charset charset)
{
	return charset == CLI_ASCII ? "*" : "●";
}

int
draw_shows(const struct drawing *d, size_t line, size_t point)
{
	double y = d->y[line][point];

	return isfinite(y) && (!d->chart->log || y > 0);
}

ptrdiff_t
draw_last(const struct drawing *d, size_t line)
{
	size_t i = d->chart->line[line].count;

	while (i > 0 && !draw_shows(d, line, i - 1))
		i--;
	return (ptrdiff_t)i - 1;
}

ptrdiff_t
draw_nan_since(const struct chart_line *l)
{
	size_t i = l->count;

	while (i > 0 && !isfinite(l->y[i - 1]))
		i--;
	return i < l->count ? (ptrdiff_t)i : CHART_NO_POINT;
}

static const char *
no_number(double y)
{
	if (isnan(y))
		return "nan";
	return y > 0 ? "inf" : "-inf";
}

const char *
draw_no_number(const struct chart_line *l, size_t from)
{
	const char *word = no_number(l->y[from]);

	while (++from < l->count)
		if (strcmp(no_number(l->y[from]), word) != 0)
			return "no number";
	return word;
}

char *
draw_x(const struct chart *c, double x, char *out)
{
	if (c->x_time && fabs(x) < 1e15)
		return num_span((int64_t)x, out);
	return num_exact(x, out);
}

char
draw_letter(size_t line)
{
	static const char letters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return line < CHART_LETTERS ? letters[line] : '?';
}

const char *
draw_name(const char *name, size_t width)
{
	const char *slash = strrchr(name, '/');

	if (slash == NULL || slash[1] == '\0' || text_width(name) <= width)
		return name;
	return slash + 1;
}

const struct glyphs *
draw_glyphs(enum cli_charset charset)
{
	static const struct glyphs ascii = {"|", "+", "+", "-", "+"};
	static const struct glyphs lines = {"│", "┤", "└", "─", "┬"};

	return charset == CLI_ASCII ? &ascii : &lines;
}

static void
fit_y(const struct chart *chart, const struct chart_range *all, size_t ticks,
    double snap, struct scale *y)
{
	struct scale_wish w = {.log = chart->log,
	    .fixed_low = !isnan(chart->low),
	    .fixed_high = !isnan(chart->high),
	    .most = ticks,
	    .snap = snap};

	w.low = w.fixed_low ? chart->low : all->low;
	w.high = w.fixed_high ? chart->high : all->high;
	if (w.low > w.high && w.fixed_low)
		w.high = w.low;
	else if (w.low > w.high)
		w.low = w.high;
	scale_fit(y, &w);
}

void
draw_fit(const struct drawing *d, size_t x_ticks, size_t y_ticks, double snap,
    struct scale *x, struct scale *y)
{
	const struct chart *chart = d->chart;
	struct scale_wish wx = {.low = d->x.low,
	    .high = d->x.high,
	    .whole = d->whole,
	    .time = chart->x_time,
	    .most = x_ticks,
	    .snap = snap / 2};

	scale_fit(x, &wx);
	fit_y(chart, &d->all, y_ticks, snap, y);
}

int
draw_has_axes(const struct chart *c)
{
	size_t i;

	for (i = 1; i < c->lines; i++)
		if (c->line[i].axis != c->line[0].axis)
			return 1;
	return 0;
}

void
draw_fit_axis(
    const struct drawing *d, size_t line, size_t y_ticks, struct scale *y)
{
	struct chart_range all = CHART_NO_RANGE;
	const struct chart_line *l = d->chart->line;
	size_t i, k;

	if (!draw_has_axes(d->chart)) {
		fit_y(d->chart, &d->all, y_ticks, 0.12, y);
		return;
	}
	for (i = 0; i < d->chart->lines; i++)
		for (k = 0; l[i].axis == l[line].axis && k < l[i].count; k++)
			if (draw_shows(d, i, k))
				chart_range_add(&all, &d->y[i][k], 1);
	if (isnan(all.low))
		all = d->all;
	fit_y(d->chart, &all, y_ticks, 0.12, y);
}

/* A place on the canvas, in dots; y grows downward. */
struct spot {
	double x, y;
};

/* So many dots are set of so many. */
struct dash {
	size_t on, length;
};

static const struct dash dashes[] = {{1, 1}, {2, 4}, {6, 9}};

/* What tells a line from the others where there are no colours. */
static const struct dash *
dash_of(const struct chart *c, size_t line)
{
	if (c->charset == CLI_ASCII)
		return &dashes[0];
	if (c->line[line].dotted)
		return &dashes[1];
	if (c->legend && c->colors == 0 && c->lines <= 3 &&
	    c->layout != CHART_MULTI)
		return &dashes[line];
	return &dashes[0];
}

struct stroke {
	struct canvas *canvas;
	int ink;
	const struct dash *dash;
	int dense;  /* more points than dots: patterns go by column */
	size_t run; /* dots since the stroke began */
};

static void
stroke_dot(struct stroke *s, long x, long y)
{
	size_t at = s->dense ? (size_t)x : s->run++;

	if (at % s->dash->length < s->dash->on)
		canvas_dot(s->canvas, x, y, s->ink);
}

/* A straight line between two dots, without the first (Bresenham 1965). */
static void
stroke_straight(struct stroke *s, long x, long y, long x1, long y1)
{
	long dx = labs(x1 - x), dy = -labs(y1 - y), error = dx + dy, twice;
	long right = x < x1 ? 1 : -1, down = y < y1 ? 1 : -1;

	while (x != x1 || y != y1) {
		twice = 2 * error;
		if (twice >= dy) {
			error += dy;
			x += right;
		}
		if (twice <= dx) {
			error += dx;
			y += down;
		}
		stroke_dot(s, x, y);
	}
}

/* Shorten a line to what lies between the top and the bottom. */
static int
clip(struct spot *a, struct spot *b, double bottom)
{
	struct spot *end[2] = {a, b}, *other;
	double limit, part;
	int i;

	if ((a->y < 0 && b->y < 0) || (a->y > bottom && b->y > bottom))
		return 0;
	for (i = 0; i < 2; i++) {
		other = end[1 - i];
		if (end[i]->y >= 0 && end[i]->y <= bottom)
			continue;
		limit = end[i]->y < 0 ? 0 : bottom;
		part = (limit - other->y) / (end[i]->y - other->y);
		end[i]->x = other->x + part * (end[i]->x - other->x);
		end[i]->y = limit;
	}
	return 1;
}

static void
stroke_to(struct stroke *s, struct spot a, struct spot b)
{
	double bottom = (double)s->canvas->dot_rows - 1;

	if (clip(&a, &b, bottom))
		stroke_straight(
		    s, lround(a.x), lround(a.y), lround(b.x), lround(b.y));
}

static struct spot
spot_of(const struct canvas *c, const struct scale *x, const struct scale *y,
    double vx, double vy)
{
	/* Far outside is far enough: the dots have to fit in a long. */
	double at = fmin(fmax(scale_at(y, vy), -1e6), 1e6);
	struct spot s;

	s.x = scale_at(x, vx) * (double)(c->dot_columns - 1);
	s.y = (1 - at) * (double)(c->dot_rows - 1);
	return s;
}

static long
row_of(const struct canvas *c, double dot)
{
	long row = lround(dot) / (long)(c->dot_rows / c->rows);

	return dot < 0 ? 0 : row >= (long)c->rows ? (long)c->rows - 1 : row;
}

static long
column_of(const struct canvas *c, double dot)
{
	return lround(dot) / (long)(c->dot_columns / c->columns);
}

long
draw_row(const struct canvas *c, const struct scale *y, double value)
{
	double at = fmin(fmax(scale_at(y, value), 0), 1);

	return row_of(c, (1 - at) * (double)(c->dot_rows - 1));
}

/* A point beyond the range leaves an arrow at that edge. */
static int
mark_beyond(struct canvas *c, struct spot at, int ink)
{
	int ascii = c->charset == CLI_ASCII;
	long column = column_of(c, at.x);

	if (at.y < -0.5)
		canvas_mark(c, column, 0, ascii ? "^" : "▲", ink);
	else if (at.y > (double)c->dot_rows - 0.5)
		canvas_mark(
		    c, column, (long)c->rows - 1, ascii ? "_" : "▼", ink);
	else
		return 0;
	return 1;
}

/* Of a band every fourth dot, so that lines stand out of it. */
static void
shade_column(struct canvas *c, long x, double top, double bottom, int ink)
{
	long y, first = lround(fmax(top, 0));
	long last = lround(fmin(bottom, (double)c->dot_rows - 1));

	for (y = first; y <= last; y++)
		if (c->charset == CLI_ASCII || (x + 2 * y) % 4 == 0)
			canvas_dot(c, x, y, ink);
}

/* Whether the band has two ends at a point that can be drawn. */
static int
has_band(const struct drawing *d, const struct chart_line *l, size_t point)
{
	return isfinite(l->low[point]) && isfinite(l->high[point]) &&
	    (!d->chart->log || l->low[point] > 0);
}

void
draw_band(const struct drawing *d, size_t line, struct canvas *c,
    const struct scale *x, const struct scale *y)
{
	const struct chart_line *l = &d->chart->line[line];
	struct spot low, high, next_low, next_high;
	double part;
	size_t i;
	long at, end;

	if (l->low == NULL)
		return;
	for (i = 0; i < l->count; i++) {
		if (!has_band(d, l, i))
			continue;
		low = next_low = spot_of(c, x, y, l->x[i], l->low[i]);
		high = next_high = spot_of(c, x, y, l->x[i], l->high[i]);
		if (i + 1 < l->count && has_band(d, l, i + 1)) {
			next_low = spot_of(c, x, y, l->x[i + 1], l->low[i + 1]);
			next_high =
			    spot_of(c, x, y, l->x[i + 1], l->high[i + 1]);
		}
		end = lround(next_low.x);
		for (at = lround(low.x); at <= end; at++) {
			part = end > lround(low.x)
			    ? ((double)at - low.x) / (next_low.x - low.x)
			    : 0;
			shade_column(c, at,
			    high.y + part * (next_high.y - high.y),
			    low.y + part * (next_low.y - low.y), (int)line);
		}
	}
}

static int
begins_segment(const struct chart_line *l, size_t *next, size_t point)
{
	while (*next < l->starts && l->start[*next] < point)
		++*next;
	return *next < l->starts && l->start[*next] == point;
}

/* A value that cannot be drawn: where a run of nan begins there is a mark. */
static void
leave_gap(struct canvas *c, struct spot at, const struct spot *last,
    const struct chart_line *l, size_t point, int ink, int *in_nan)
{
	if (isfinite(l->y[point]) || *in_nan)
		return;
	canvas_mark(c, column_of(c, at.x), row_of(c, last->y),
	    spark_nan(c->charset), ink);
	*in_nan = 1;
}

void
draw_line(const struct drawing *d, size_t line, struct canvas *c,
    const struct scale *x, const struct scale *y)
{
	const struct chart_line *l = &d->chart->line[line];
	struct stroke s = {
	    .canvas = c, .ink = (int)line, .dash = dash_of(d->chart, line)};
	struct spot at, last = {0, (double)c->dot_rows - 1};
	int down = 0, in_nan = 0;
	size_t i, next = 0;

	s.dense = l->count > c->dot_columns;
	for (i = 0; i < l->count; i++) {
		if (begins_segment(l, &next, i))
			down = in_nan = 0;
		if (!draw_shows(d, line, i)) {
			at = spot_of(c, x, y, l->x[i], y->low);
			leave_gap(c, at, &last, l, i, s.ink, &in_nan);
			down = 0;
			continue;
		}
		at = spot_of(c, x, y, l->x[i], d->y[line][i]);
		mark_beyond(c, at, s.ink);
		if (down)
			stroke_to(&s, last, at);
		else
			stroke_dot(&s, lround(at.x), lround(at.y));
		down = 1;
		in_nan = 0;
		last = at;
	}
}

void
draw_best(const struct drawing *d, size_t line, struct canvas *c,
    const struct scale *x, const struct scale *y)
{
	const struct chart_line *l = &d->chart->line[line];
	struct spot at;

	if (l->best == CHART_NO_POINT || !draw_shows(d, line, (size_t)l->best))
		return;
	at = spot_of(c, x, y, l->x[l->best], d->y[line][l->best]);
	if (!mark_beyond(c, at, (int)line))
		canvas_mark(c, column_of(c, at.x), row_of(c, at.y),
		    chart_best_mark(c->charset), (int)line);
}
