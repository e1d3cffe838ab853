#include <math.h>
#include <stdlib.h>

#include "chart-draw.h"
#include "text.h"
#include "xalloc.h"

/*
 * How far a line goes to one side, upward with sign 1, downward with -1, where
 * all values are taken with that sign.
 */
struct reach {
	double top, floor;
};

/* Such a value as the axis has it. */
static double
on_axis(const struct drawing *d, double y, int sign)
{
	return d->chart->log ? sign * log(sign * y) : y;
}

static void
extend(const struct drawing *d, struct reach *r, double y, int sign)
{
	if (!isfinite(y) || (d->chart->log && y <= 0))
		return;
	r->top = fmax(r->top, sign * y);
	r->floor = fmin(r->floor, sign * y);
}

/* How far a line goes; whether it has anything to draw. */
static int
reach_of(const struct drawing *d, size_t line, int sign, struct reach *r)
{
	const struct chart_line *l = &d->chart->line[line];
	size_t i;

	*r = (struct reach){-INFINITY, INFINITY};
	for (i = 0; i < l->count; i++) {
		extend(d, r, d->y[line][i], sign);
		if (l->low == NULL)
			continue;
		extend(d, r, l->low[i], sign);
		extend(d, r, l->high[i], sign);
	}
	return r->top >= r->floor;
}

static int
by_top(const void *a, const void *b)
{
	const struct reach *x = a, *y = b;

	return x->top < y->top ? -1 : x->top > y->top;
}

/*
 * The highest top of lines (sorted by it) that are not far beyond the lower
 * half of them: twice as far as that half extends.
 */
static double
fence(const struct drawing *d, const struct reach *r, size_t count, int sign)
{
	enum { BEYOND = 2 };
	size_t middle = (count - 1) / 2, i;
	double low = INFINITY, top = on_axis(d, r[middle].top, sign), limit;

	for (i = 0; i <= middle; i++)
		low = fmin(low, r[i].floor);
	limit = top + BEYOND * (top - on_axis(d, low, sign));
	if (!(limit > top))
		return r[count - 1].top;
	for (i = count; on_axis(d, r[i - 1].top, sign) > limit;)
		i--;
	return r[i - 1].top;
}

/* Where the axis ends in that direction, and what lies beyond. */
static struct draw_beyond
find_end(const struct drawing *d, int sign, double *end)
{
	struct reach *r = xcalloc(d->chart->lines, sizeof *r);
	struct draw_beyond beyond = {0};
	size_t i, count = 0;
	double top;

	for (i = 0; i < d->chart->lines; i++)
		count += (size_t)reach_of(d, i, sign, &r[count]);
	if (count > 1) {
		qsort(r, count, sizeof *r, by_top);
		top = fence(d, r, count, sign);
		beyond.farthest = sign * r[count - 1].top;
		for (i = count; r[i - 1].top > top; i--)
			beyond.lines++;
		*end = sign * top;
	}
	free(r);
	return beyond;
}

void
draw_clip(struct drawing *d)
{
	double end[2];

	if (!d->chart->clip || draw_has_axes(d->chart) || isnan(d->all.low) ||
	    d->chart->lines < 2) /* one line is never far from the others */
		return;
	d->above = find_end(d, 1, &end[0]);
	d->below = find_end(d, -1, &end[1]);
	if (d->above.lines > 0)
		d->all.high = end[0];
	if (d->below.lines > 0)
		d->all.low = end[1];
}

static void
clip_line(struct drawing *d, const struct draw_beyond *b, const char *mark,
    const char *way)
{
	const struct chart *c = d->chart;
	char far[CHART_NUMBER];
	char *text, *all;

	if (b->lines == 0)
		return;
	text = xasprintf("%s %zu of %zu %s to %s", mark, b->lines, c->lines,
	    way, chart_number(b->farthest, 3, far));
	all = xasprintf("%s (-y : draws it all)", text);
	pen_cell(
	    &d->pen, PEN_PLAIN, text_width(all) <= c->width ? all : text, 0, 0);
	pen_end(&d->pen);
	free(text);
	free(all);
}

void
draw_clip_lines(struct drawing *d)
{
	int ascii = d->chart->charset == CLI_ASCII;

	clip_line(d, &d->above, ascii ? "^" : "▲", "up");
	clip_line(d, &d->below, ascii ? "_" : "▼", "down");
}
