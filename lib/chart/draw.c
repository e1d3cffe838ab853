#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "chart/draw.h"

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

const char *
draw_no_number(const struct chart_line *l, size_t from)
{
	double y = l->y[from];

	while (++from < l->count)
		if (isnan(l->y[from]) ? !isnan(y) : l->y[from] != y)
			return "no number";
	return isnan(y) ? "nan" : y > 0 ? "inf" : "-inf";
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
	static const struct glyphs ascii = {"|", "+", "+", "-", "+", "^"};
	static const struct glyphs lines = {"│", "┤", "└", "─", "┬", "▲"};

	return charset == CLI_ASCII ? &ascii : &lines;
}

/* The part of a scale that may stay empty when an end moves to a tick. */
static const double snap = 0.12;

void
draw_fit_y(const struct chart *chart, const struct chart_range *all,
    size_t ticks, struct scale *y)
{
	struct scale_spec w = {.log = chart->log,
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
draw_fit(const struct drawing *d, size_t x_ticks, size_t y_ticks,
    struct scale *x, struct scale *y)
{
	struct scale_spec wx = {.low = d->x.low,
	    .high = d->x.high,
	    .whole = d->whole,
	    .time = d->chart->x_time,
	    .most = x_ticks,
	    .snap = snap / 2};

	scale_fit(x, &wx);
	draw_fit_y(d->chart, &d->all, y_ticks, y);
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

	for (i = 0; draw_has_axes(d->chart) && i < d->chart->lines; i++)
		for (k = 0; l[i].axis == l[line].axis && k < l[i].count; k++)
			if (draw_shows(d, i, k))
				chart_range_add(&all, &d->y[i][k], 1);
	draw_fit_y(d->chart, isnan(all.low) ? &d->all : &all, y_ticks, y);
}

/* A position on the canvas, in dots; y grows downward. */
struct spot {
	double x, y;
};

/* A dash pattern: the first on dots of each length are set. */
struct dash {
	size_t on, length;
};

struct stroke {
	struct canvas *canvas;
	int ink;
	struct dash dash;
	int dense;  /* more points than dots: patterns follow the column */
	size_t run; /* dots since the stroke began */
};

static void
stroke_dot(struct stroke *s, long x, long y)
{
	size_t at = s->dense ? (size_t)x : s->run++;

	if (at % s->dash.length < s->dash.on)
		canvas_dot(s->canvas, x, y, s->ink);
}

/* Draw a straight line to a dot, without the first dot (Bresenham 1965). */
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

/* Draw the part of a straight line that is inside the canvas. */
static void
stroke_to(struct stroke *s, struct spot a, struct spot b)
{
	double bottom = (double)s->canvas->dot_rows - 1, limit, part;
	struct spot *end[2] = {&a, &b}, *other;
	int i;

	if ((a.y < 0 && b.y < 0) || (a.y > bottom && b.y > bottom))
		return;
	for (i = 0; i < 2; i++) {
		other = end[1 - i];
		if (end[i]->y >= 0 && end[i]->y <= bottom)
			continue;
		limit = end[i]->y < 0 ? 0 : bottom;
		part = (limit - other->y) / (end[i]->y - other->y);
		end[i]->x = other->x + part * (end[i]->x - other->x);
		end[i]->y = limit;
	}
	stroke_straight(s, lround(a.x), lround(a.y), lround(b.x), lround(b.y));
}

static struct spot
spot_of(const struct panel *p, double x, double y)
{
	/* Limit the value, because the dots must fit into a long. */
	double at = fmin(fmax(scale_at(&p->y, y), -1e6), 1e6);

	return (struct spot){
	    scale_at(&p->x, x) * (double)(p->canvas.dot_columns - 1),
	    (1 - at) * (double)(p->canvas.dot_rows - 1)};
}

/* Show a mark instead of the character at a spot. */
static void
mark_spot(struct panel *p, struct spot at, const char *mark, int ink)
{
	struct canvas *c = &p->canvas;
	long row = lround(at.y) / (long)(c->dot_rows / c->rows);
	long last = (long)c->rows - 1;

	canvas_mark(c, lround(at.x) / (long)(c->dot_columns / c->columns),
	    at.y < 0         ? 0
		: row > last ? last
			     : row,
	    mark, ink);
}

long
draw_row(const struct panel *p, double value)
{
	double at = fmin(fmax(scale_at(&p->y, value), 0), 1);

	return lround((1 - at) * (double)(p->canvas.dot_rows - 1)) /
	    (long)(p->canvas.dot_rows / p->canvas.rows);
}

/*
 * Mark a point outside the y range with an arrow at that edge.  Returns whether
 * the point is outside.
 */
static int
mark_beyond(struct panel *p, struct spot at, int ink)
{
	int ascii = p->canvas.charset == CLI_ASCII;

	if (at.y < -0.5)
		mark_spot(p, at, ascii ? "^" : "▲", ink);
	else if (at.y > (double)p->canvas.dot_rows - 0.5)
		mark_spot(p, at, ascii ? "_" : "▼", ink);
	else
		return 0;
	return 1;
}

/* Draw every fourth dot of a column of a band, so that lines stand out. */
static void
shade_column(struct canvas *c, long x, double top, double bottom, int ink)
{
	long y, first = lround(fmax(top, 0));
	long last = lround(fmin(bottom, (double)c->dot_rows - 1));

	for (y = first; y <= last; y++)
		if (c->charset == CLI_ASCII || (x + 2 * y) % 4 == 0)
			canvas_dot(c, x, y, ink);
}

/* Return whether a band has two ends at a point that can be drawn. */
static int
has_band(const struct drawing *d, const struct chart_line *l, size_t point)
{
	return point < l->count && isfinite(l->low[point]) &&
	    isfinite(l->high[point]) && (!d->chart->log || l->low[point] > 0);
}

static void
draw_band(const struct drawing *d, size_t line, struct panel *p)
{
	const struct chart_line *l = &d->chart->line[line];
	struct spot low, high, next_low, next_high;
	double part;
	size_t i, next;
	long at, end;

	for (i = 0; l->low != NULL && i < l->count; i++) {
		if (!has_band(d, l, i))
			continue;
		next = has_band(d, l, i + 1) ? i + 1 : i;
		low = spot_of(p, l->x[i], l->low[i]);
		high = spot_of(p, l->x[i], l->high[i]);
		next_low = spot_of(p, l->x[next], l->low[next]);
		next_high = spot_of(p, l->x[next], l->high[next]);
		end = lround(next_low.x);
		for (at = lround(low.x); at <= end; at++) {
			part = end > lround(low.x)
			    ? ((double)at - low.x) / (next_low.x - low.x)
			    : 0;
			shade_column(&p->canvas, at,
			    high.y + part * (next_high.y - high.y),
			    low.y + part * (next_low.y - low.y), (int)line);
		}
	}
}

static void
draw_line(const struct drawing *d, size_t line, struct panel *p)
{
	static const struct dash solid = {1, 1}, dotted = {2, 4},
				 dashed = {6, 9};
	const struct chart *c = d->chart;
	const struct chart_line *l = &c->line[line];
	struct stroke s = {.canvas = &p->canvas,
	    .ink = l->dim ? PEN_DIM : (int)line,
	    .dash = solid,
	    .dense = l->count > p->canvas.dot_columns};
	struct spot at, corner, last = {0, (double)p->canvas.dot_rows - 1};
	int down = 0, in_nan = 0, shows;
	size_t i, next = 0;

	if (c->charset != CLI_ASCII && (l->dotted || l->dim))
		s.dash = dotted;
	else if (c->charset != CLI_ASCII && c->legend && c->colors == 0 &&
	    c->lines <= 3 && c->layout != CHART_MULTI && line > 0)
		s.dash = line == 1 ? dotted : dashed;
	for (i = 0; i < l->count; i++) {
		while (next < l->starts && l->start[next] < i)
			next++;
		if (next < l->starts && l->start[next] == i)
			down = in_nan = 0;
		shows = draw_shows(d, line, i);
		at = spot_of(p, l->x[i], shows ? d->y[line][i] : p->y.low);
		if (down && c->steps) {
			corner = (struct spot){at.x, last.y};
			stroke_to(&s, last, corner);
			last = corner;
		}
		if (!shows) {
			at.y = last.y;
			if (!isfinite(l->y[i]) && !in_nan) {
				mark_spot(p, at, spark_nan(c->charset), s.ink);
				in_nan = 1;
			}
			down = 0;
			continue;
		}
		mark_beyond(p, at, s.ink);
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
draw_lines(const struct drawing *d, size_t first, size_t count, struct panel *p)
{
	static const char solid[] = "ox+#&%", dotted[] = "vwyz$=";
	const struct chart *c = d->chart;
	const struct chart_line *l = c->line;
	size_t end = first + count, i, rank[2] = {0};
	struct spot best;

	for (i = 0; i < c->lines; i++)
		rank[l[i].dotted != 0]++;
	p->canvas.glyph = '.';
	for (i = end; i-- > first;)
		draw_band(d, i, p);
	for (i = end; i-- > first;) {
		if (c->layout == CHART_MULTI)
			p->canvas.glyph = 'o';
		else if (c->legend)
			p->canvas.glyph = draw_letter(i);
		else if (l[i].dotted)
			p->canvas.glyph = dotted[--rank[1] % 6];
		else
			p->canvas.glyph = solid[--rank[0] % 6];
		draw_line(d, i, p);
	}
	for (i = c->legend || count == 0 ? end : first + 1; i-- > first;) {
		if (l[i].best == CHART_NO_POINT ||
		    !draw_shows(d, i, (size_t)l[i].best))
			continue;
		best = spot_of(p, l[i].x[l[i].best], d->y[i][l[i].best]);
		if (!mark_beyond(p, best, (int)i))
			mark_spot(p, best, chart_best_mark(c->charset), (int)i);
	}
}
