#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"

enum {
	MARK = 2,   /* columns of shade before a value */
	GAP = 2,    /* before a cell */
	FIFTHS = 5, /* shades, by the part of the cells that are better */
	MOST_NAME = 16
};

struct cell {
	size_t results; /* number of results with both values */
	double best;    /* nan: no result is a number */
	int fifth;      /* 0: among the best */
};

struct grid {
	const struct chart *chart;
	const struct chart_results *results;
	const struct chart_factor *across, *down;
	struct chart_levels row, column;
	struct cell *cell;
	int decimals;
	size_t best;        /* index of the best cell, or CHART_NO_LEVEL */
	char *corner;       /* head of the rows' names: "lr \ batch_size" */
	size_t name, width; /* of the rows' names; of a cell with its shade */
	int margin;         /* there is room for the best of each row */
	struct pen pen;
};

static struct cell *
at(const struct grid *g, size_t row, size_t column)
{
	return &g->cell[row * g->column.count + column];
}

/* Find the best value of each cell and the best cell, and rank the cells. */
static void
fill(struct grid *g)
{
	const struct chart_results *r = g->results;
	size_t i, k, cells = g->row.count * g->column.count, all = 0, better;
	struct cell *c;

	for (i = 0; i < cells; i++)
		g->cell[i].best = NAN;
	for (i = 0; i < r->count; i++) {
		if (g->row.of[i] == CHART_NO_LEVEL ||
		    g->column.of[i] == CHART_NO_LEVEL)
			continue;
		c = at(g, g->row.of[i], g->column.of[i]);
		c->results++;
		if (result_better(r, r->best[i], c->best))
			c->best = r->best[i];
	}
	g->best = CHART_NO_LEVEL;
	for (i = 0; i < cells; i++) {
		c = &g->cell[i];
		all += !isnan(c->best);
		if (!isnan(c->best) &&
		    (g->best == CHART_NO_LEVEL ||
			result_better(r, c->best, g->cell[g->best].best)))
			g->best = i;
	}
	for (i = 0; i < cells; i++) {
		better = 0;
		for (k = 0; k < cells; k++)
			better += !isnan(g->cell[k].best) &&
			    result_better(r, g->cell[k].best, g->cell[i].best);
		if (!isnan(g->cell[i].best))
			g->cell[i].fifth = (int)(better * FIFTHS / all);
	}
}

static size_t
widest(const struct chart_levels *l)
{
	size_t i, width, most = 0;

	for (i = 0; i < l->count; i++) {
		width = text_width(l->name[i]);
		most = width > most ? width : most;
	}
	return most < MOST_NAME ? most : MOST_NAME;
}

static void
measure(struct grid *g)
{
	size_t cells = g->row.count * g->column.count, i, width;
	char text[CHART_NUMBER];

	g->name = widest(&g->row);
	width = text_width(g->corner);
	width = width > MOST_NAME ? MOST_NAME : width;
	g->name = width > g->name ? width : g->name;
	if (g->name > g->chart->width / 3)
		g->name = g->chart->width / 3;
	g->width = widest(&g->column);
	for (i = 0; i < cells; i++) {
		/* Shade before the value, mark after the best value. */
		width = MARK + 1 +
		    strlen(result_text(g->decimals, g->cell[i].best, text));
		g->width = width > g->width ? width : g->width;
	}
	width = g->chart->width - g->name - GAP;
	g->width = g->width > width ? width : g->width;
}

static const char *
shade(const struct grid *g, int fifth)
{
	static const char *const blocks[] = {"██", "▓▓", "▒▒", "░░", ""};
	static const char *const ascii[] = {"##", "++", "--", "..", ""};

	return (g->chart->charset == CLI_ASCII ? ascii : blocks)[fifth];
}

/*
 * Draw a cell: " ▓▓0.534 ".  With 256 colours the background shows the fifth
 * instead of a shade.
 */
static void
draw_cell(struct grid *g, const struct cell *c, int is_best)
{
	int heat = g->chart->colors == 256;
	char value[CHART_NUMBER], *text;

	pen_blanks(&g->pen, GAP);
	if (c->results == 0 || isnan(c->best)) {
		pen_cell(&g->pen, PEN_PLAIN, c->results == 0 ? "- " : "nan ",
		    g->width, 1);
		return;
	}
	result_text(g->decimals, c->best, value);
	text = xasprintf("%s%s%s", heat ? "" : shade(g, c->fifth), value,
	    is_best ? chart_best_mark(g->chart->charset) : " ");
	if (heat)
		pen_patch(&g->pen, c->fifth, text, g->width);
	else
		pen_cell(&g->pen, is_best ? 0 : PEN_PLAIN, text, g->width, 1);
	free(text);
}

/* Return the best of count cells, from first on, stride cells apart. */
static double
best_of(const struct grid *g, size_t first, size_t stride, size_t count)
{
	double best = NAN;
	size_t i;

	for (i = 0; i < count; i++)
		if (result_better(
			g->results, g->cell[first + i * stride].best, best))
			best = g->cell[first + i * stride].best;
	return best;
}

/* Write text in place of a value. */
static void
draw_text(struct grid *g, const char *text)
{
	char *padded = xasprintf("%s ", text);

	pen_blanks(&g->pen, GAP);
	pen_cell(&g->pen, PEN_PLAIN, padded, g->width, 1);
	free(padded);
}

static void
draw_margin(struct grid *g, const char *text)
{
	if (!g->margin)
		return;
	pen_blanks(&g->pen, 1);
	pen_text(
	    &g->pen, PEN_PLAIN, g->chart->charset == CLI_ASCII ? "|" : "│");
	pen_blanks(&g->pen, 1);
	pen_text(&g->pen, PEN_PLAIN, text);
}

/* Draw count columns of cells, starting at first. */
static void
draw_columns(struct grid *g, size_t first, size_t count)
{
	size_t rows = g->row.count, columns = g->column.count, row, i;
	char text[CHART_NUMBER];

	pen_cell(&g->pen, PEN_PLAIN, g->corner, g->name, 0);
	for (i = first; i < first + count; i++)
		draw_text(g, g->column.name[i]);
	draw_margin(g, "row best");
	pen_end(&g->pen);
	for (row = 0; row < rows; row++) {
		pen_cell(&g->pen, PEN_PLAIN, g->row.name[row], g->name, 1);
		for (i = first; i < first + count; i++)
			draw_cell(
			    g, at(g, row, i), row * columns + i == g->best);
		draw_margin(g,
		    result_text(g->decimals,
			best_of(g, row * columns, 1, columns), text));
		pen_end(&g->pen);
	}
	pen_cell(&g->pen, PEN_PLAIN, "col best", g->name, 0);
	for (i = first; i < first + count; i++)
		draw_text(g,
		    result_text(
			g->decimals, best_of(g, i, columns, rows), text));
	pen_end(&g->pen);
}

/* Write the title; it tells how several results became one value. */
static void
draw_title(struct grid *g)
{
	size_t cells = g->row.count * g->column.count, i, n;
	size_t least = SIZE_MAX, most = 0;
	char *origin = result_origin(g->results), range[64], several[128] = "";

	for (i = 0; i < cells; i++) {
		n = g->cell[i].results;
		least = n > 0 && n < least ? n : least;
		most = n > most ? n : most;
	}
	snprintf(range, sizeof range, "%zu to ", least);
	if (most > 1)
		snprintf(several, sizeof several, ", %s of %s%zu a cell",
		    g->results->higher ? "max" : "min",
		    least < most ? range : "", most);
	pen_row(&g->pen, g->chart->width, "best %s by %s x %s  %s%s",
	    g->results->metric, g->down->name, g->across->name, origin,
	    several);
	free(origin);
}

static void
draw(struct grid *g)
{
	enum { MARGIN = 11 };
	size_t pitch = GAP + g->width, first, count, room;
	const char *mark = chart_best_mark(g->chart->charset);

	room = (g->chart->width - g->name) / pitch;
	if (room == 0)
		room = 1;
	g->margin =
	    g->name + pitch * g->column.count + MARGIN <= g->chart->width;
	draw_title(g);
	for (first = 0; first < g->column.count; first += count) {
		count = g->column.count - first;
		if (count > room)
			count = room;
		draw_columns(g, first, count);
	}
	if (g->chart->colors == 256)
		pen_row(&g->pen, g->chart->width,
		    "%s best   - no task   ground: fifths, the best darkest",
		    mark);
	else
		pen_row(&g->pen, g->chart->width,
		    "%s best   %.*s best fifth ... blank worst fifth   - no "
		    "task",
		    mark, g->chart->charset == CLI_ASCII ? 1 : 3, shade(g, 0));
}

int
chart_grid(FILE *out, FILE *notes, const struct chart *c,
    const struct chart_results *r, size_t row, size_t column, struct error *e)
{
	struct grid g = {.chart = c,
	    .results = r,
	    .down = &r->factor[row],
	    .across = &r->factor[column],
	    .decimals = result_decimals(c, r),
	    .pen = {out, c->colors, PEN_PLAIN, 0}};

	if (result_begin(notes, c, r, e) == -1)
		return -1;
	chart_levels_make(&g.row, r, row, 2 * RESULT_LEVELS);
	chart_levels_make(&g.column, r, column, RESULT_LEVELS);
	if (g.row.count > 0 && g.column.count > 0) {
		g.cell = xcalloc(g.row.count * g.column.count, sizeof *g.cell);
		g.corner = xasprintf("%s \\ %s", g.down->name, g.across->name);
		fill(&g);
		measure(&g);
		draw(&g);
		free(g.corner);
		free(g.cell);
	}
	chart_levels_free(&g.row);
	chart_levels_free(&g.column);
	return 0;
}
