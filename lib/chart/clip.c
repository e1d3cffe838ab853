#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

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
 * The highest top that the axis must show of lines sorted by their tops.  More
 * than half of the lines make the measure: an outlier rises above them by twice
 * their extent at least, and by more than their size.  The axis shows the line
 * with the top best as well.
 */
static double
fence(const struct drawing *d, const struct reach *r, size_t count, int sign,
    double best)
{
	enum { BEYOND = 2 };
	size_t middle = count / 2, i;
	double top = on_axis(d, r[middle].top, sign), low = top, room, size;

	for (i = 0; i <= middle; i++)
		low = fmin(low, on_axis(d, r[i].floor, sign));
	if (!(top > low))
		return r[count - 1].top;
	size = d->chart->log ? log(BEYOND) : fmax(fabs(top), fabs(low));
	room = fmax(BEYOND * (top - low), size);
	for (i = count; on_axis(d, r[i - 1].top, sign) > top + room;)
		i--;
	return fmax(r[i - 1].top, best);
}

/* Where the axis ends in that direction; what goes off it is counted. */
static double
find_end(struct drawing *d, int sign)
{
	struct reach *r = xcalloc(d->chart->lines, sizeof *r), best;
	size_t i, count = 0;
	double top = NAN;

	reach_of(d, 0, sign, &best);
	for (i = 0; i < d->chart->lines; i++)
		count += (size_t)reach_of(d, i, sign, &r[count]);
	if (count > 0) {
		qsort(r, count, sizeof *r, by_top);
		top = fence(d, r, count, sign, best.top);
		d->beyond.farthest = sign * r[count - 1].top;
		for (i = count; r[i - 1].top > top; i--)
			d->beyond.lines++;
	}
	free(r);
	return sign * top;
}

void
draw_clip(struct drawing *d)
{
	const struct chart *c = d->chart;
	double end;

	if (!c->clip || c->worse == 0 || draw_has_axes(c) || isnan(d->all.low))
		return;
	end = find_end(d, c->worse);
	if (d->beyond.lines == 0)
		return;
	if (c->worse > 0)
		d->all.high = end;
	else
		d->all.low = end;
}

void
draw_clip_lines(struct drawing *d)
{
	const struct chart *c = d->chart;
	int up = c->worse > 0, ascii = c->charset == CLI_ASCII;
	const char *mark = ascii ? up ? "^" : "_" : up ? "▲" : "▼";
	char far[CHART_NUMBER];
	char *said[3]; /* the first one that fits is shown */
	size_t n = d->beyond.lines, i;

	if (n == 0)
		return;
	chart_number(d->beyond.farthest, 3, far);
	said[1] = xasprintf("%s %zu of %zu curves %s off the %s (%s %s)", mark,
	    n, c->lines, n == 1 ? "goes" : "go", up ? "top" : "bottom",
	    up ? "max" : "min", far);
	said[0] = xasprintf("%s; -y : shows all of it", said[1]);
	said[2] = xasprintf("%s %zu: %s %s", mark, n, up ? "max" : "min", far);
	for (i = 0; i < 2 && text_width(said[i]) > c->width;)
		i++;
	pen_cell(&d->pen, PEN_PLAIN, said[i], 0, 0);
	pen_end(&d->pen);
	for (i = 0; i < 3; i++)
		free(said[i]);
}
