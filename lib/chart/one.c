#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

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

void
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
