#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * End the y axis early where a few outliers would make all other lines flat.
 * Only the end with the worse values moves.  Fewer than half of the lines go
 * off the axis, and never the first line, which is the best.
 */
static void
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

/* Say below the chart how many lines go off the axis, and how far. */
static void
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

enum { LEAST_CANVAS = 10 };

/*
 * All lines on a canvas, the first on top, then the marks: without a legend
 * only that of the first line, which the title speaks of.
 */
static void
draw_lines(struct drawing *d, struct canvas *c, const struct scale *x,
    const struct scale *y)
{
	static const char solid[] = "ox+#&%", dotted[] = "vwyz$=";
	const struct chart *chart = d->chart;
	size_t i, rank[2] = {0}, marked = chart->legend ? chart->lines : 1;
	int kind;

	for (i = 0; i < chart->lines; i++)
		rank[chart->line[i].dotted != 0]++;
	c->glyph = '.';
	for (i = chart->lines; i-- > 0;)
		draw_band(d, i, c, x, y);
	for (i = chart->lines; i-- > 0;) {
		kind = chart->line[i].dotted != 0;
		c->glyph = (kind ? dotted : solid)[--rank[kind] % 6];
		if (chart->legend)
			c->glyph = draw_letter(i);
		draw_line(d, i, c, x, y);
	}
	for (i = marked < chart->lines ? marked : chart->lines; i-- > 0;)
		draw_best(d, i, c, x, y);
}

/* The labels at the ends of the lines. */
struct label {
	size_t line;
	double at; /* on the y scale */
	long row;
	char value[CHART_NUMBER];
};

/* From the top down. */
static int
by_place(const void *a, const void *b)
{
	const struct label *l = a, *m = b;

	if (l->at != m->at)
		return l->at > m->at ? -1 : 1;
	return l->line < m->line ? -1 : l->line > m->line;
}

/*
 * Push labels apart, at most one on each row, moving them as little as can be:
 * neighbours that collide form a block around their mean.
 */
static void
spread(struct label *l, size_t count, size_t rows)
{
	double *mean = xcalloc(count, sizeof *mean);
	size_t *size = xcalloc(count, sizeof *size), blocks = 0, i, k = 0;
	long first;

	for (i = 0; i < count; i++) {
		mean[blocks] = (double)l[i].row - (double)i;
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
	for (i = 0; i < blocks; i++) {
		first = lround(fmin(fmax(mean[i], 0), (double)(rows - count)));
		for (; size[i] > 0; size[i]--, k++)
			l[k].row = first + (long)k;
	}
	free(mean);
	free(size);
}

/* The labels of the first lines, as many as there are rows. */
static size_t
make_labels(const struct drawing *d, const struct canvas *c,
    const struct scale *y, struct label *l)
{
	size_t i, count = 0;
	ptrdiff_t last;
	double value;

	for (i = 0; i < d->chart->lines && count < c->rows; i++) {
		last = draw_last(d, i);
		if (last == CHART_NO_POINT)
			continue;
		value = d->y[i][last];
		l[count].line = i;
		l[count].at = scale_at(y, value);
		l[count].row = draw_row(c, y, value);
		chart_number(value, 3, l[count++].value);
	}
	qsort(l, count, sizeof *l, by_place);
	spread(l, count, c->rows);
	return count;
}

/*
 * The columns that labels take, with a blank before them: a third of the width
 * at most, unless the values alone need more.
 */
static size_t
label_width(const struct drawing *d)
{
	const struct chart *c = d->chart;
	char text[CHART_NUMBER];
	size_t i, name, width, limit = c->width / 3, most = 0;
	ptrdiff_t last;

	for (i = 0; i < c->lines; i++) {
		last = draw_last(d, i);
		if (last == CHART_NO_POINT)
			continue;
		chart_number(d->y[i][last], 3, text);
		name = c->legend ? 1 : text_width(c->line[i].name);
		width = strlen(text) + 2;
		limit = width + 1 > limit ? width + 1 : limit;
		most = width + name > most ? width + name : most;
	}
	return most < limit ? most : limit;
}

static void
write_label(struct drawing *d, const struct label *l, size_t width)
{
	const char *name = d->chart->line[l->line].name;
	char letter[2] = {draw_letter(l->line), '\0'};
	size_t room = width - 2 - strlen(l->value), wide;

	if (d->chart->legend)
		name = letter;
	wide = text_width(name);
	pen_blanks(&d->pen, 1);
	pen_cell(&d->pen, (int)l->line, name, wide < room ? wide : room, 0);
	pen_blanks(&d->pen, 1);
	pen_text(&d->pen, (int)l->line, l->value);
}

static size_t
tick_width(const struct scale *s)
{
	char text[CHART_NUMBER];
	size_t i, width, most = 0;

	for (i = 0; i < s->ticks; i++) {
		width = strlen(scale_text(s, s->tick[i], text));
		most = width > most ? width : most;
	}
	return most;
}

/* The axis to the left of a row: "0.5 ┤". */
static void
write_wall(struct drawing *d, const struct canvas *c, const struct scale *y,
    size_t width, size_t row)
{
	const struct glyphs *g = draw_glyphs(d->chart->charset);
	char text[CHART_NUMBER];
	size_t i;

	for (i = 0; i < y->ticks; i++)
		if (draw_row(c, y, y->tick[i]) == (long)row)
			break;
	if (i == y->ticks) {
		pen_blanks(&d->pen, width + 1);
		pen_text(&d->pen, PEN_PLAIN, g->wall);
		return;
	}
	pen_cell(&d->pen, PEN_PLAIN, scale_text(y, y->tick[i], text), width, 1);
	pen_blanks(&d->pen, 1);
	pen_text(&d->pen, PEN_PLAIN, g->tick);
}

static size_t
tick_column(const struct canvas *c, const struct scale *x, double tick)
{
	double dot = scale_at(x, tick) * (double)(c->dot_columns - 1);

	return (size_t)lround(dot) / (c->dot_columns / c->columns);
}

/* The axis below, and what its ticks are. */
static void
write_floor(struct drawing *d, const struct canvas *c, const struct scale *x,
    size_t indent)
{
	const struct glyphs *g = draw_glyphs(d->chart->charset);
	size_t i, k = 0;

	pen_blanks(&d->pen, indent - 1);
	pen_text(&d->pen, PEN_PLAIN, g->corner);
	for (i = 0; i < c->columns; i++) {
		while (k < x->ticks && tick_column(c, x, x->tick[k]) < i)
			k++;
		pen_text(&d->pen, PEN_PLAIN,
		    k < x->ticks && tick_column(c, x, x->tick[k]) == i
			? g->mark
			: g->floor);
	}
	pen_end(&d->pen);
}

static void
write_ticks(struct drawing *d, const struct canvas *c, const struct scale *x,
    size_t indent)
{
	char text[CHART_NUMBER];
	size_t i, at, length, used = 0, name = text_width(d->chart->x_name);
	size_t width = d->chart->width, limit = width;

	if (name <= width / 4) /* else the last ticks tell more than it */
		limit -= name + 2;
	for (i = 0; i < x->ticks; i++) {
		length = strlen(scale_text(x, x->tick[i], text));
		at = indent + tick_column(c, x, x->tick[i]);
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

/* All lines in one chart with axes; a small panel for each line. */
static void
draw_one(struct drawing *d)
{
	const struct chart *chart = d->chart;
	size_t rows = chart->height - 3, labels = label_width(d), wall, used;
	struct label *label = xcalloc(chart->lines, sizeof *label), *next;
	struct scale x, y;
	struct canvas c;
	size_t row, count, ticks = rows < 5 ? 2 : rows < 12 ? 3 : rows / 3;

	draw_fit(d, 2, ticks, 0.12, &x, &y);
	wall = tick_width(&y);
	used = wall + 2 + labels;
	if (used + LEAST_CANVAS > chart->width) {
		labels = 0;
		used = wall + 2;
	}
	canvas_open(&c, chart->width - used, rows, chart->charset);
	draw_fit(d, c.columns / 12 > 2 ? c.columns / 12 + 1 : 3, ticks, 0.12,
	    &x, &y);
	draw_lines(d, &c, &x, &y);
	count = labels > 0 ? make_labels(d, &c, &y, label) : 0;
	next = label;
	for (row = 0; row < rows; row++) {
		write_wall(d, &c, &y, wall, row);
		canvas_row(&c, row, &d->pen);
		if (next < label + count && next->row == (long)row)
			write_label(d, next++, labels);
		pen_end(&d->pen);
	}
	write_floor(d, &c, &x, wall + 2);
	write_ticks(d, &c, &x, wall + 2);
	canvas_close(&c);
	free(label);
}

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
