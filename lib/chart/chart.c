#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

/*
 * The extent of a line in one direction: up with sign 1, down with -1.  Both
 * values are multiplied by the sign.
 */
struct reach {
	double top, floor;
};

/* Return the position of such a value on the axis. */
static double
on_axis(const struct drawing *d, double y, int sign)
{
	return d->chart->log ? sign * log(sign * y) : y;
}

/* Find the extent of a line.  Returns whether it has anything to draw. */
static int
reach_of(const struct drawing *d, size_t line, int sign, struct reach *r)
{
	const struct chart_line *l = &d->chart->line[line];
	const double *part[] = {d->y[line], l->low, l->high};
	size_t i, k;

	*r = (struct reach){-INFINITY, INFINITY};
	for (k = 0; k < 3 && part[k] != NULL; k++)
		for (i = 0; i < l->count; i++) {
			if (!isfinite(part[k][i]) ||
			    (d->chart->log && part[k][i] <= 0))
				continue;
			r->top = fmax(r->top, sign * part[k][i]);
			r->floor = fmin(r->floor, sign * part[k][i]);
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
 * Return the highest top that the axis must show; r is sorted by tops.  More
 * than half of the lines are the reference: an outlier rises above them by at
 * least twice their extent, and by more than their size.  The axis also shows
 * the line with the top best.
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

/*
 * End the y axis early if a few outliers would make all other lines flat.  Only
 * the end with the worse values moves.  Fewer than half of the lines go off the
 * axis, and never the first line, which is the best.
 */
static void
clip_axis(struct drawing *d)
{
	const struct chart *c = d->chart;
	struct reach *r, best;
	size_t i, count = 0;
	double top = NAN;

	if (!c->clip || c->worse == 0 || draw_has_axes(c) || isnan(d->all.low))
		return;
	r = xcalloc(c->lines, sizeof *r);
	reach_of(d, 0, c->worse, &best);
	for (i = 0; i < c->lines; i++)
		count += (size_t)reach_of(d, i, c->worse, &r[count]);
	if (count > 0) {
		qsort(r, count, sizeof *r, by_top);
		top = fence(d, r, count, c->worse, best.top);
		d->beyond.farthest = c->worse * r[count - 1].top;
		for (i = count; r[i - 1].top > top; i--)
			d->beyond.lines++;
	}
	if (d->beyond.lines > 0)
		*(c->worse > 0 ? &d->all.high : &d->all.low) = c->worse * top;
	free(r);
}

char *
draw_clip_text(const struct drawing *d)
{
	int up = d->chart->worse > 0;
	char far[CHART_NUMBER];
	size_t n = d->beyond.lines;

	if (n == 0)
		return NULL;
	return xasprintf("%zu of %zu curves %s off the %s (%s %s)", n,
	    d->chart->lines, n == 1 ? "goes" : "go", up ? "top" : "bottom",
	    up ? "max" : "min", chart_number(d->beyond.farthest, 3, far));
}

/* Write how many lines go off the axis, and the farthest value. */
static void
draw_clip_lines(struct drawing *d)
{
	const struct chart *c = d->chart;
	int up = c->worse > 0, ascii = c->charset == CLI_ASCII;
	const char *mark = ascii ? up ? "^" : "_" : up ? "▲" : "▼";
	char far[CHART_NUMBER], *all = draw_clip_text(d);
	char *text[3]; /* the first text that fits is shown */
	size_t i;

	if (all == NULL)
		return;
	text[1] = xasprintf("%s %s", mark, all);
	text[0] = xasprintf("%s; -y : shows all of it", text[1]);
	text[2] = xasprintf("%s %zu: %s %s", mark, d->beyond.lines,
	    up ? "max" : "min", chart_number(d->beyond.farthest, 3, far));
	for (i = 0; i < 2 && text_width(text[i]) > c->width;)
		i++;
	pen_cell(&d->pen, PEN_PLAIN, text[i], 0, 0);
	pen_end(&d->pen);
	for (i = 0; i < 3; i++)
		free(text[i]);
	free(all);
}

/* A label at the end of a line. */
struct label {
	size_t line;
	double value, at; /* at: the position on the y scale */
	long row;
	char text[CHART_NUMBER];
};

/* Sort labels from top to bottom; for qsort. */
static int
by_place(const void *a, const void *b)
{
	const struct label *l = a, *m = b;

	if (l->at != m->at)
		return l->at > m->at ? -1 : 1;
	return l->line < m->line ? -1 : l->line > m->line;
}

/*
 * Make a label for each line with points.  Returns the number of labels, and
 * sets *width to the columns that they need: at most a third of the chart's
 * width, unless the values alone need more.
 */
static size_t
make_labels(const struct drawing *d, struct label *l, size_t *width)
{
	const struct chart *c = d->chart;
	size_t i, name, value, limit = c->width / 3, count = 0;
	ptrdiff_t last;

	*width = 0;
	for (i = 0; i < c->lines; i++) {
		last = draw_last(d, i);
		if (last == CHART_NO_POINT)
			continue;
		l[count].line = i;
		chart_number(d->y[i][last], 3, l[count].text);
		l[count].value = d->y[i][last];
		value = strlen(l[count++].text) + 2;
		name = c->legend ? 1 : text_width(c->line[i].name);
		limit = value + 1 > limit ? value + 1 : limit;
		*width = value + name > *width ? value + name : *width;
	}
	*width = *width < limit ? *width : limit;
	return count;
}

/*
 * Assign rows to the first labels, at most one label per row, and move the
 * labels as little as possible: labels that collide form a block around their
 * mean.  Returns the number of labels with a row.
 */
static size_t
place_labels(const struct panel *p, struct label *l, size_t count)
{
	size_t rows = p->canvas.rows, n = count < rows ? count : rows;
	double *mean = xcalloc(n, sizeof *mean);
	size_t *size = xcalloc(n, sizeof *size), blocks = 0, i, k;
	long first;

	for (i = 0; i < n; i++)
		l[i].at = scale_at(&p->y, l[i].value);
	qsort(l, n, sizeof *l, by_place);
	for (i = 0; i < n; i++) {
		mean[blocks] = (double)draw_row(p, l[i].value) - (double)i;
		size[blocks++] = 1;
		while (blocks > 1 && mean[blocks - 1] < mean[blocks - 2]) {
			blocks--;
			mean[blocks - 1] =
			    (mean[blocks - 1] * (double)size[blocks - 1] +
				mean[blocks] * (double)size[blocks]) /
			    (double)(size[blocks - 1] + size[blocks]);
			size[blocks - 1] += size[blocks];
		}
	}
	for (i = k = 0; i < blocks; i++) {
		first = lround(fmin(fmax(mean[i], 0), (double)(rows - n)));
		for (; size[i] > 0; size[i]--, k++)
			l[k].row = first + (long)k;
	}
	free(mean);
	free(size);
	return n;
}

/* Draw the y axis to the left of a row: "0.5 ┤". */
static void
write_wall(struct drawing *d, const struct panel *p, size_t width, size_t row)
{
	const struct glyphs *g = draw_glyphs(d->chart->charset);
	const struct scale *y = &p->y;
	char text[CHART_NUMBER] = "";
	size_t i;

	for (i = 0; i < y->ticks; i++)
		if (draw_row(p, y->tick[i]) == (long)row)
			break;
	if (i < y->ticks)
		scale_text(y, y->tick[i], text);
	pen_cell(&d->pen, PEN_PLAIN, text, width, 1);
	pen_blanks(&d->pen, 1);
	pen_text(&d->pen, PEN_PLAIN, i < y->ticks ? g->tick : g->wall);
}

/* Return the column of a place on the x axis. */
static size_t
column_of(const struct panel *p, double x)
{
	const struct canvas *c = &p->canvas;

	return (size_t)lround(
		   scale_at(&p->x, x) * (double)(c->dot_columns - 1)) /
	    (c->dot_columns / c->columns);
}

/* Return whether a rung is in this column. */
static int
has_rung(const struct chart *chart, const struct panel *p, size_t column)
{
	size_t i;
	double at;

	for (i = 0; i < chart->rungs; i++) {
		at = scale_at(&p->x, chart->rung[i]);
		if (at >= 0 && at <= 1 &&
		    column_of(p, chart->rung[i]) == column)
			return 1;
	}
	return 0;
}

/* Draw the x axis with its ticks, and the row of their texts. */
static void
write_floor(struct drawing *d, const struct panel *p, size_t indent)
{
	const struct glyphs *g = draw_glyphs(d->chart->charset);
	const struct canvas *c = &p->canvas;
	const struct scale *x = &p->x;
	size_t column[SCALE_TICKS] = {0}, i, k, at, length, used = 0;
	size_t name = text_width(d->chart->x_name);
	size_t width = d->chart->width, limit = width;
	char text[CHART_NUMBER];

	for (i = 0; i < x->ticks; i++)
		column[i] = column_of(p, x->tick[i]);
	pen_blanks(&d->pen, indent - 1);
	pen_text(&d->pen, PEN_PLAIN, g->corner);
	for (i = k = 0; i < c->columns; i++) {
		while (k < x->ticks && column[k] < i)
			k++;
		pen_text(&d->pen, PEN_PLAIN,
		    has_rung(d->chart, p, i)             ? g->rung
			: k < x->ticks && column[k] == i ? g->mark
							 : g->floor);
	}
	pen_end(&d->pen);
	/* Otherwise the last ticks are more useful than the name. */
	if (name <= width / 4)
		limit -= name + 2;
	for (i = 0; i < x->ticks; i++) {
		length = strlen(scale_text(x, x->tick[i], text));
		at = indent + column[i];
		at -= at < length / 2 ? at : length / 2;
		if (at + length > width)
			at = width - length;
		if (used > 0 && (at <= used || at + length > limit))
			continue;
		pen_blanks(&d->pen, at - used);
		pen_text(&d->pen, PEN_PLAIN, text);
		used = at + length;
	}
	if (used + 2 + name <= width) {
		pen_blanks(&d->pen, 2);
		pen_cell(&d->pen, PEN_PLAIN, d->chart->x_name, name, 0);
	}
	pen_end(&d->pen);
}

/* Draw all lines in one chart with axes. */
static void
draw_one(struct drawing *d)
{
	enum { LEAST_CANVAS = 10 };
	const struct chart *chart = d->chart;
	size_t rows = chart->height - 3, labels, wall = 0, i, row, columns;
	size_t ticks = rows < 5 ? 2 : rows < 12 ? 3 : rows / 3;
	struct label *label = xcalloc(chart->lines, sizeof *label), *l, *end;
	size_t count = make_labels(d, label, &labels);
	char text[CHART_NUMBER];
	struct panel p;

	draw_fit(d, 2, ticks, &p.x, &p.y);
	for (i = 0; i < p.y.ticks; i++) {
		columns = strlen(scale_text(&p.y, p.y.tick[i], text));
		wall = columns > wall ? columns : wall;
	}
	if (wall + 2 + labels + LEAST_CANVAS > chart->width)
		labels = 0;
	columns = chart->width - wall - 2 - labels;
	canvas_open(&p.canvas, columns, rows, chart->charset);
	draw_fit(d, columns / 12 > 2 ? columns / 12 + 1 : 3, ticks, &p.x, &p.y);
	draw_lines(d, 0, chart->lines, &p);
	l = label;
	end = l + (labels > 0 ? place_labels(&p, label, count) : 0);
	for (row = 0; row < rows; row++) {
		write_wall(d, &p, wall, row);
		canvas_row(&p.canvas, row, &d->pen);
		if (l < end && l->row == (long)row) {
			snprintf(text, 2, "%c", draw_letter(l->line));
			pen_blanks(&d->pen, 1);
			pen_cut(&d->pen, (int)l->line,
			    chart->legend ? text : chart->line[l->line].name,
			    labels - 2 - strlen(l->text));
			pen_blanks(&d->pen, 1);
			pen_text(&d->pen, (int)l->line, l->text);
			l++;
		}
		pen_end(&d->pen);
	}
	write_floor(d, &p, wall + 2);
	canvas_close(&p.canvas);
	free(label);
}

const struct chart CHART_DEFAULT = {.title = "",
    .x_name = "",
    .y_name = "",
    .name_head = "",
    .low = NAN,
    .high = NAN,
    .width = 80,
    .height = 16};

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

double *
chart_smoothed(const struct chart_line *l, double factor)
{
	double *y = xcalloc(l->count + 1, sizeof *y);

	if (l->count > 0)
		memcpy(y, l->y, l->count * sizeof *y);
	if (factor > 0)
		chart_smooth(y, l->count, l->start, l->starts, factor);
	return y;
}

int
draw_check(const struct chart *c, struct error *e)
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

/* Widen the ranges by a line and its band. */
static void
measure(struct drawing *d, size_t line)
{
	const struct chart_line *l = &d->chart->line[line];
	size_t i;

	chart_range_add(&d->x, l->x, l->count);
	for (i = 0; i < l->count; i++) {
		if (draw_shows(d, line, i))
			chart_range_add(&d->all, &d->y[line][i], 1);
		if (l->low != NULL && (!d->chart->log || l->low[i] > 0)) {
			chart_range_add(&d->all, &l->low[i], 1);
			chart_range_add(&d->all, &l->high[i], 1);
		}
		d->whole &= l->x[i] == trunc(l->x[i]);
	}
}

void
draw_prepare(struct drawing *d, const struct chart *c, FILE *out)
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
		d->y[i] = l->y;
		if (c->smooth > 0 && l->count > 0)
			d->y[i] = d->smooth[i] = chart_smoothed(l, c->smooth);
		measure(d, i);
	}
	clip_axis(d);
}

void
draw_clear(struct drawing *d)
{
	size_t i;

	for (i = 0; i < d->chart->lines; i++)
		free(d->smooth[i]);
	free(d->smooth);
	free(d->y);
}

void
draw_note_line(const struct drawing *d, size_t line, FILE *notes)
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

/* Draw the first row: the title, cut if necessary, then the note, uncut. */
static void
draw_title(struct drawing *d)
{
	const struct chart *c = d->chart;
	size_t note = c->note ? text_width(c->note) : 0;

	if (note + 10 > c->width)
		note = 0;
	pen_cut(&d->pen, PEN_PLAIN, c->title,
	    note > 0 ? c->width - note - 2 : c->width);
	if (note > 0) {
		pen_blanks(&d->pen, text_width(c->title) > 0 ? 2 : 0);
		pen_cell(&d->pen, PEN_PLAIN, c->note, 0, 0);
	}
	pen_end(&d->pen);
}

enum chart_layout
chart_layout(const struct chart *c)
{
	enum {
		/* Up to this many lines differ enough without colour. */
		FEW = 3,
		/* More lines become a table, unless the user chose a chart. */
		MANY = 26
	};

	if (c->layout != CHART_AUTO)
		return c->layout;
	if (c->lines > MANY)
		return CHART_SPARK;
	if (draw_has_axes(c))
		return CHART_MULTI;
	return c->lines > FEW && c->colors == 0 ? CHART_MULTI : CHART_ONE;
}

/* Return the chart with its final layout and scale. */
static struct chart
decided(const struct chart *asked)
{
	struct chart_range all = CHART_NO_RANGE;
	struct chart c = *asked;
	size_t i;

	c.layout = chart_layout(asked);
	for (i = 0; i < c.lines; i++)
		chart_range_add(&all, c.line[i].y, c.line[i].count);
	if (c.log_panels && c.layout == CHART_MULTI && !draw_has_axes(&c) &&
	    all.low > 0 && all.high / all.low > DRAW_RATIO)
		c.log = 1;
	return c;
}

int
chart_draw(FILE *out, FILE *notes, const struct chart *asked, struct error *e)
{
	enum chart_layout layout;
	struct chart c;
	struct drawing d;
	int letters;
	size_t i;

	if (draw_check(asked, e) < 0)
		return -1;
	c = decided(asked);
	draw_prepare(&d, &c, out);
	for (i = 0; i < c.lines; i++)
		draw_note_line(&d, i, notes);
	/* Draw a table even if there is nothing else to draw. */
	layout = isnan(d.all.low) ? CHART_SPARK : c.layout;
	letters = c.legend && layout == CHART_ONE;
	if (!isnan(d.all.low) || c.legend) {
		draw_title(&d);
		if (layout == CHART_ONE)
			draw_one(&d);
		else if (layout == CHART_MULTI)
			draw_multi(&d);
		if (letters || layout == CHART_SPARK)
			draw_legend(&d, letters);
		if (layout != CHART_SPARK)
			draw_clip_lines(&d);
		draw_nan_lines(&d, letters);
	}
	draw_clear(&d);
	return 0;
}

size_t
chart_clipped(const struct chart *asked)
{
	struct chart c = decided(asked);
	struct drawing d;

	if (c.layout == CHART_SPARK)
		return 0;
	draw_prepare(&d, &c, NULL);
	draw_clear(&d);
	return d.beyond.lines > 0;
}
