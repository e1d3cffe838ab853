#include <stdlib.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

enum {
	PANEL = 20,   /* columns of a panel, at least, with its gap */
	HEAD_ROWS = 2 /* of text above its canvas */
};

/* A panel of its own for each line. */
struct panel {
	size_t line;
	struct canvas canvas;
};

/* What a panel has between its floor and its ceiling. */
static char *
axis_text(const struct drawing *d, size_t line)
{
	char low[CHART_NUMBER], high[CHART_NUMBER];
	struct scale y;

	draw_fit_axis(d, line, 4, &y);
	return xasprintf("%s to %s%s", chart_number(y.low, 3, low),
	    chart_number(y.high, 3, high), y.log ? " (log)" : "");
}

/* The two rows of text above a panel. */
static char *
panel_text(const struct drawing *d, size_t line, int second)
{
	const struct chart_line *l = &d->chart->line[line];
	char value[CHART_NUMBER], at[NUM_TEXT];
	char *text = NULL;
	size_t length;
	FILE *f;

	if (!second)
		return l->best == CHART_NO_POINT
		    ? xstrdup("-")
		    : xstrdup(chart_number(l->y[l->best], 4, value));
	if (draw_has_axes(d->chart))
		return axis_text(d, line);
	f = xmemopen(&text, &length);
	if (l->detail != NULL)
		fputs(l->detail, f);
	else if (l->count == 0)
		fputs("no values yet", f);
	else if (l->best == CHART_NO_POINT)
		fprintf(f, "all %s", draw_no_number(l, 0));
	else
		fprintf(f, "at %s, last %s",
		    draw_x(d->chart, l->x[l->best], at),
		    chart_number(l->y[l->count - 1], 3, value));
	xmemclose(f);
	return text;
}

static void
panel_head(struct drawing *d, size_t line, size_t width, int second)
{
	char *text = panel_text(d, line, second);
	size_t room = width - 1 - text_width(text);
	const char *name = draw_name(d->chart->line[line].name, room);
	size_t wide = text_width(name);

	if (second) {
		pen_cell(&d->pen, PEN_PLAIN, text, width, 0);
	} else {
		wide = wide < room ? wide : room;
		pen_cell(&d->pen, (int)line, name, wide, 0);
		pen_blanks(&d->pen, 1);
		pen_cell(&d->pen, PEN_PLAIN, text, width - 1 - wide, 0);
	}
	free(text);
}

static void
panel_floor(struct drawing *d, size_t width)
{
	const struct glyphs *g = draw_glyphs(d->chart->charset);

	pen_text(&d->pen, PEN_PLAIN, g->corner);
	while (width-- > 1)
		pen_text(&d->pen, PEN_PLAIN, g->floor);
}

/* Metrics beside each other are few, and get more of the height. */
static size_t
panel_part(const struct chart *c)
{
	return draw_has_axes(c) ? 2 : 4;
}

static size_t
panel_rows(const struct chart *c)
{
	return c->height / panel_part(c) + 1;
}

/* How many are beside each other. */
static size_t
panels_across(const struct chart *c)
{
	size_t least = draw_has_axes(c) ? PANEL + 6 : PANEL;
	size_t across = (c->width + 2) / least;

	if (across == 0)
		across = 1;
	return across < c->lines ? across : c->lines;
}

size_t
chart_panels_height(const struct chart *c)
{
	size_t across = panels_across(c);
	size_t down = across > 0 ? (c->lines + across - 1) / across : 0;

	return 2 + down * (HEAD_ROWS + panel_rows(c) + 1);
}

/* Panels first to first + count side by side. */
static void
draw_panels(struct drawing *d, size_t first, size_t count, size_t pitch,
    const struct scale *x)
{
	const char *wall = draw_glyphs(d->chart->charset)->wall;
	size_t width = pitch - 2, row, i;
	size_t rows = panel_rows(d->chart);
	struct canvas *c = xcalloc(count, sizeof *c);
	struct scale y;

	for (i = 0; i < count; i++) {
		canvas_open(&c[i], width - 1, rows, d->chart->charset);
		draw_fit_axis(d, first + i, 4, &y);
		c[i].glyph = '.';
		draw_band(d, first + i, &c[i], x, &y);
		c[i].glyph = 'o';
		draw_line(d, first + i, &c[i], x, &y);
		draw_best(d, first + i, &c[i], x, &y);
	}
	for (row = 0; row < HEAD_ROWS + rows + 1; row++) {
		for (i = 0; i < count; i++) {
			if (row < HEAD_ROWS) {
				panel_head(d, first + i, width, row == 1);
			} else if (row < HEAD_ROWS + rows) {
				pen_text(&d->pen, PEN_PLAIN, wall);
				canvas_row(&c[i], row - HEAD_ROWS, &d->pen);
			} else {
				panel_floor(d, width);
			}
			pen_blanks(&d->pen, 2);
		}
		pen_end(&d->pen);
	}
	for (i = 0; i < count; i++)
		canvas_close(&c[i]);
	free(c);
}

/* What holds for every panel. */
static void
draw_axes(struct drawing *d, const struct scale *x, const struct scale *y)
{
	const struct chart *c = d->chart;
	char low[CHART_NUMBER], high[CHART_NUMBER], from[CHART_NUMBER],
	    to[CHART_NUMBER], *scale, *line;

	scale = draw_has_axes(c)
	    ? xstrdup("its own y axis")
	    : xasprintf("%s %s to %s%s", c->y_name,
		  chart_number(y->low, 3, low), chart_number(y->high, 3, high),
		  y->log ? " (log)" : "");
	line = xasprintf("each panel: %s, %s %s to %s", scale, c->x_name,
	    c->x_time ? draw_x(c, x->low, from) : chart_number(x->low, 6, from),
	    c->x_time ? draw_x(c, x->high, to) : chart_number(x->high, 6, to));
	pen_cell(&d->pen, PEN_PLAIN, line, c->width, 0);
	pen_end(&d->pen);
	free(scale);
	free(line);
}

void
draw_multi(struct drawing *d)
{
	const struct chart *c = d->chart;
	size_t across = panels_across(c), pitch, first, count;
	struct scale x, y;

	pitch = (c->width + 2) / across;
	if (pitch > 2 * PANEL)
		pitch = 2 * PANEL;
	draw_fit(d, 4, 4, 0.12, &x, &y);
	draw_axes(d, &x, &y);
	for (first = 0; first < c->lines; first += count) {
		count = c->lines - first < across ? c->lines - first : across;
		draw_panels(d, first, count, pitch, &x);
	}
}
