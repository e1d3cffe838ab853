#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"

enum {
	MARK = 2, /* columns of shade before a value */
	GAP = 2,  /* before a cell */
	MOST_NAME = 16
};

struct grid {
	const struct chart *chart;
	const struct chart_results *results;
	const struct chart_factor *across, *down;
	struct result_map map;
	int decimals;
	char *corner;       /* head of the rows' names: "lr \ batch_size" */
	char *title;        /* tells how several results became one value */
	size_t name, width; /* of the rows' names; of a cell with its shade */
	int margin;         /* there is room for the best of each row */
	struct pen pen;
};

static const struct result_cell *
at(const struct grid *g, size_t row, size_t column)
{
	return &g->map.cell[row * g->map.column.count + column];
}

/* Find the best value of each cell and the best cell, and rank the cells. */
static void
fill(struct result_map *m, const struct chart_results *r)
{
	size_t i, k, cells = m->row.count * m->column.count, all = 0, better;
	struct result_cell *c;

	for (i = 0; i < cells; i++)
		m->cell[i].best = NAN;
	for (i = 0; i < r->count; i++) {
		if (m->row.of[i] == CHART_NO_SETTING ||
		    m->column.of[i] == CHART_NO_SETTING)
			continue;
		c = &m->cell[m->row.of[i] * m->column.count + m->column.of[i]];
		c->results++;
		if (result_better(r, r->best[i], c->best))
			c->best = r->best[i];
	}
	m->best = CHART_NO_SETTING;
	for (i = 0; i < cells; i++) {
		c = &m->cell[i];
		all += !isnan(c->best);
		if (!isnan(c->best) &&
		    (m->best == CHART_NO_SETTING ||
			result_better(r, c->best, m->cell[m->best].best)))
			m->best = i;
	}
	for (i = 0; i < cells; i++) {
		better = 0;
		for (k = 0; k < cells; k++)
			better += !isnan(m->cell[k].best) &&
			    result_better(r, m->cell[k].best, m->cell[i].best);
		if (!isnan(m->cell[i].best))
			m->cell[i].fifth = (int)(better * RESULT_FIFTHS / all);
	}
}

void
result_map_make(struct result_map *m, const struct chart_results *r, size_t row,
    size_t column)
{
	*m = (struct result_map){.best = CHART_NO_SETTING};
	chart_settings_make(&m->row, r, row, 2 * RESULT_LEVELS);
	chart_settings_make(&m->column, r, column, RESULT_LEVELS);
	m->cell = xcalloc(m->row.count * m->column.count + 1, sizeof *m->cell);
	fill(m, r);
}

void
result_map_free(struct result_map *m)
{
	chart_settings_free(&m->row);
	chart_settings_free(&m->column);
	free(m->cell);
}

char *
result_map_title(const struct result_map *m, const struct chart_results *r,
    size_t row, size_t column)
{
	size_t cells = m->row.count * m->column.count, i, n;
	size_t least = SIZE_MAX, most = 0;
	char *origin = result_origin(r), range[64], several[128] = "", *title;

	for (i = 0; i < cells; i++) {
		n = m->cell[i].results;
		least = n > 0 && n < least ? n : least;
		most = n > most ? n : most;
	}
	snprintf(range, sizeof range, "%zu to ", least);
	if (most > 1)
		snprintf(several, sizeof several, ", %s of %s%zu a cell",
		    r->higher ? "max" : "min", least < most ? range : "", most);
	title = xasprintf("best %s by %s x %s  %s%s", r->metric,
	    r->factor[row].name, r->factor[column].name, origin, several);
	free(origin);
	return title;
}

static size_t
widest(const struct chart_settings *l)
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
	size_t cells = g->map.row.count * g->map.column.count, i, width;
	char text[CHART_NUMBER];

	g->name = widest(&g->map.row);
	width = text_width(g->corner);
	width = width > MOST_NAME ? MOST_NAME : width;
	g->name = width > g->name ? width : g->name;
	if (g->name > g->chart->width / 3)
		g->name = g->chart->width / 3;
	g->width = widest(&g->map.column);
	for (i = 0; i < cells; i++) {
		/* Shade before the value, mark after the best value. */
		width = MARK + 1 +
		    strlen(result_text(g->decimals, g->map.cell[i].best, text));
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
draw_cell(struct grid *g, const struct result_cell *c, int is_best)
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
			g->results, g->map.cell[first + i * stride].best, best))
			best = g->map.cell[first + i * stride].best;
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
	size_t rows = g->map.row.count, columns = g->map.column.count, row, i;
	char text[CHART_NUMBER];

	pen_cell(&g->pen, PEN_PLAIN, g->corner, g->name, 0);
	for (i = first; i < first + count; i++)
		draw_text(g, g->map.column.name[i]);
	draw_margin(g, "row best");
	pen_end(&g->pen);
	for (row = 0; row < rows; row++) {
		pen_cell(&g->pen, PEN_PLAIN, g->map.row.name[row], g->name, 1);
		for (i = first; i < first + count; i++)
			draw_cell(
			    g, at(g, row, i), row * columns + i == g->map.best);
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
	    g->name + pitch * g->map.column.count + MARGIN <= g->chart->width;
	pen_row(&g->pen, g->chart->width, "%s", g->title);
	for (first = 0; first < g->map.column.count; first += count) {
		count = g->map.column.count - first;
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
	result_map_make(&g.map, r, row, column);
	if (g.map.row.count > 0 && g.map.column.count > 0) {
		g.corner = xasprintf("%s \\ %s", g.down->name, g.across->name);
		g.title = result_map_title(&g.map, r, row, column);
		measure(&g);
		draw(&g);
		free(g.corner);
		free(g.title);
	}
	result_map_free(&g.map);
	return 0;
}
