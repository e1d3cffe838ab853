#include <stdlib.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

enum {
	PANEL = 20,   /* minimum columns of a panel, with its gap */
	HEAD_ROWS = 2 /* of text above its canvas */
};

/* Return the ends of a y axis: "0.1 to 2 (log)"; to free. */
static char *
y_text(const struct scale *y)
{
	char low[CHART_NUMBER], high[CHART_NUMBER];

	return xasprintf("%s to %s%s", chart_number(y->low, 3, low),
	    chart_number(y->high, 3, high), y->log ? " (log)" : "");
}

/* Return the first or second row of text above a panel; to free. */
static char *
panel_text(const struct drawing *d, size_t line, int second)
{
	const struct chart_line *l = &d->chart->line[line];
	char value[CHART_NUMBER], at[NUM_TEXT];
	struct scale y;

	if (!second)
		return l->best == CHART_NO_POINT
		    ? xstrdup("-")
		    : xstrdup(chart_number(l->y[l->best], 4, value));
	if (draw_has_axes(d->chart)) {
		draw_fit_axis(d, line, 4, &y);
		return y_text(&y);
	}
	if (l->detail != NULL)
		return xstrdup(l->detail);
	if (l->count == 0)
		return xstrdup("no values yet");
	if (l->best == CHART_NO_POINT)
		return xasprintf("all %s", draw_no_number(l, 0));
	return xasprintf("at %s, last %s", draw_x(d->chart, l->x[l->best], at),
	    chart_number(l->y[l->count - 1], 3, value));
}

static void
panel_head(struct drawing *d, size_t line, size_t width, int second)
{
	char *text = panel_text(d, line, second);
	size_t room = width - 1 - text_width(text), wide = 0;
	const char *name = draw_name(d->chart->line[line].name, room);

	if (!second) {
		wide = text_width(name);
		wide = (wide < room ? wide : room) + 1;
		pen_cell(&d->pen, (int)line, name, wide - 1, 0);
		pen_blanks(&d->pen, 1);
	}
	pen_cell(&d->pen, PEN_PLAIN, text, width - wide, 0);
	free(text);
}

/*
 * Return the rows of a panel.  Metrics with their own axes are few, so their
 * panels get more of the height.
 */
static size_t
panel_rows(const struct chart *c)
{
	return c->height / (draw_has_axes(c) ? 2 : 4) + 1;
}

/* Return how many panels fit in a row. */
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

/* Draw the panels of count lines, starting at first, side by side. */
static void
draw_panels(struct drawing *d, size_t first, size_t count, size_t pitch,
    const struct scale *x)
{
	const struct glyphs *g = draw_glyphs(d->chart->charset);
	size_t rows = panel_rows(d->chart), row, i, k;
	struct panel *p = xcalloc(count, sizeof *p);
	struct pen *pen = &d->pen;

	for (i = 0; i < count; i++) {
		canvas_open(&p[i].canvas, pitch - 3, rows, d->chart->charset);
		p[i].x = *x;
		draw_fit_axis(d, first + i, 4, &p[i].y);
		draw_lines(d, first + i, 1, &p[i]);
	}
	for (row = 0; row < HEAD_ROWS + rows + 1; row++) {
		for (i = 0; i < count; i++) {
			if (row < HEAD_ROWS) {
				panel_head(d, first + i, pitch - 2, row == 1);
			} else if (row < HEAD_ROWS + rows) {
				pen_text(pen, PEN_PLAIN, g->wall);
				canvas_row(&p[i].canvas, row - HEAD_ROWS, pen);
			} else {
				pen_text(pen, PEN_PLAIN, g->corner);
				for (k = 3; k < pitch; k++)
					pen_text(pen, PEN_PLAIN, g->floor);
			}
			pen_blanks(pen, 2);
		}
		pen_end(pen);
	}
	for (i = 0; i < count; i++)
		canvas_close(&p[i].canvas);
	free(p);
}

void
draw_multi(struct drawing *d)
{
	const struct chart *c = d->chart;
	size_t across = panels_across(c), pitch, first, count;
	char from[CHART_NUMBER], to[CHART_NUMBER], *text;
	int own = draw_has_axes(c);
	struct scale x, y;

	pitch = (c->width + 2) / across;
	if (pitch > 2 * PANEL)
		pitch = 2 * PANEL;
	draw_fit(d, 4, 4, &x, &y);
	text = y_text(&y);
	pen_row(&d->pen, c->width, "each panel: %s %s, %s %s to %s",
	    own ? "its own" : c->y_name, own ? "y axis" : text, c->x_name,
	    c->x_time ? draw_x(c, x.low, from) : chart_number(x.low, 6, from),
	    c->x_time ? draw_x(c, x.high, to) : chart_number(x.high, 6, to));
	free(text);
	for (first = 0; first < c->lines; first += count) {
		count = c->lines - first < across ? c->lines - first : across;
		draw_panels(d, first, count, pitch, &x);
	}
}
