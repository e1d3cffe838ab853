/* SVG: results as a heat map, by hyperparameter, or as a histogram. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "chart/draw.h"
#include "chart/result-private.h"

/* Begin a shape of a class. */
static void
begin(FILE *f, const char *shape, const char *class)
{
	fprintf(f, "<%s class=\"%s\"", shape, class);
}

/* Write a rectangle with a title, which is freed. */
static void
write_box(FILE *f, const char *class, double x, double y, double width,
    double height, char *title)
{
	begin(f, "rect", class);
	svg_number(f, "x", x);
	svg_number(f, "y", y);
	svg_number(f, "width", width);
	svg_number(f, "height", height);
	putc('>', f);
	svg_title(f, title);
	fputs("</rect>\n", f);
	free(title);
}

/* ---- heat map ---- */

enum { LABELS = 90, CELL = 30 };

/* A heat map being written. */
struct heat {
	struct svg *svg;
	const struct result_map *map;
	const struct chart_results *results;
	size_t row, column; /* the factors */
	int decimals;
	double width; /* of a cell */
};

static void
write_cell(const struct heat *h, size_t row, size_t column)
{
	const struct result_map *m = h->map;
	size_t at = row * m->column.count + column;
	const struct result_cell *c = &m->cell[at];
	const struct chart_factor *factor = h->results->factor;
	double x = SVG_MARGIN + LABELS + (double)column * h->width;
	char text[CHART_NUMBER] = "-", class[16], *title;

	if (c->results > 0)
		result_text(h->decimals, c->best, text);
	snprintf(class, sizeof class, "q%d%s", isnan(c->best) ? 5 : c->fifth,
	    at == m->best ? " x" : "");
	title = xasprintf("%s=%s, %s=%s: %s (%zu task%s)%s",
	    factor[h->row].name, m->row.name[row], factor[h->column].name,
	    m->column.name[column], text, c->results,
	    c->results == 1 ? "" : "s", at == m->best ? ", the best" : "");
	write_box(h->svg->f, class, x + 1, h->svg->y + 1, h->width - 2,
	    CELL - 2, title);
	snprintf(class, sizeof class, "m%s",
	    isnan(c->best)     ? ""
		: c->fifth < 2 ? " wt"
			       : " bk");
	svg_text(h->svg, class, x + h->width / 2, h->svg->y + 20, 0, text);
}

int
chart_grid_svg(struct chart_svg *to, const struct chart *c,
    const struct chart_results *r, size_t row, size_t column, struct error *e)
{
	ptrdiff_t shown = result_begin(to->notes, c, r, e);
	struct result_map m;
	struct svg s;
	struct heat h = {&s, &m, r, row, column, result_decimals(c, r), 0};
	size_t i, k;
	char *title;

	if (shown < 1)
		return shown == -1 ? -1 : 0;
	result_map_make(&m, r, row, column);
	title = result_map_title(&m, r, row, column);
	svg_open(&s, to, c, title);
	h.width = (s.width - 2 * SVG_MARGIN - LABELS) /
	    (double)(m.column.count > 0 ? m.column.count : 1);
	h.width = h.width < 110 ? h.width : 110;
	svg_text(
	    &s, "h", SVG_MARGIN + LABELS, s.y + 16, 0, r->factor[column].name);
	s.y += SVG_LINE;
	svg_text(
	    &s, "h", SVG_MARGIN, s.y + 14, LABELS - 4, r->factor[row].name);
	for (k = 0; k < m.column.count; k++)
		svg_text(&s, "m",
		    SVG_MARGIN + LABELS + ((double)k + 0.5) * h.width, s.y + 14,
		    h.width, m.column.name[k]);
	s.y += SVG_LINE;
	for (i = 0; i < m.row.count; i++) {
		svg_text(&s, "e", SVG_MARGIN + LABELS - 8, s.y + 20, LABELS,
		    m.row.name[i]);
		for (k = 0; k < m.column.count; k++)
			write_cell(&h, i, k);
		s.y += CELL;
	}
	svg_row(&s,
	    "framed: the best; shades are fifths, the best darkest; - no task");
	svg_close(&s, "A heat map; each cell has its value");
	free(title);
	result_map_free(&m);
	return 0;
}

/* ---- what mattered ---- */

enum { NAMES = 120, NUMBERS = 90, STRIP_LINE = 22 };

/* Write the place of a result on the strip of its setting. */
static void
write_result(const struct svg *s, const char *class, double x, double value,
    const char *what)
{
	char text[CHART_NUMBER], *title;

	title = xasprintf("%s%s", what, chart_number(value, 4, text));
	begin(s->f, "circle", class);
	svg_number(s->f, "cx", x);
	svg_number(s->f, "cy", s->y + STRIP_LINE / 2.0);
	fputs(" r=\"4\">", s->f);
	svg_title(s->f, title);
	fputs("</circle>\n", s->f);
	free(title);
}

/* Write the results of a setting on the common axis. */
static void
write_setting(struct svg *s, const struct result_row *row,
    const struct scale *scale, int higher)
{
	enum { MOST = 200 }; /* circles in a row */
	double left = SVG_MARGIN + NAMES + NUMBERS;
	double width = s->width - left - 2 * SVG_MARGIN, x;
	size_t most = row->count < MOST ? row->count : MOST, i, k;

	svg_text(
	    s, "", 2 * SVG_MARGIN, s->y + 15, NAMES - SVG_MARGIN, row->name);
	svg_text(s, "", SVG_MARGIN + NAMES, s->y + 15, 0, row->text[0]);
	fputs("<path class=\"g\" d=\"", s->f);
	fprintf(s->f, "M%.1f %.1fh%.1f\"/>\n", left, s->y + STRIP_LINE / 2.0,
	    width);
	for (i = 0; i < most; i++) {
		k = i * row->count / most;
		x = left +
		    fmin(fmax(scale_at(scale, row->value[k]), 0), 1) * width;
		write_result(s, "s c1", x, row->value[k], "");
	}
	x = left + fmin(fmax(scale_at(scale, row->median), 0), 1) * width;
	write_box(s->f, "f c5", x - 1.5, s->y + 3, 3, STRIP_LINE - 6,
	    xasprintf("median %s", row->text[2]));
	k = higher ? row->count - 1 : 0;
	x = left + fmin(fmax(scale_at(scale, row->value[k]), 0), 1) * width;
	write_result(s, "f c4", x, row->value[k], "best ");
	s->y += STRIP_LINE;
}

/* Write the texts of the axis above the strips. */
static void
write_ends(struct svg *s, const struct scale *scale)
{
	double left = SVG_MARGIN + NAMES + NUMBERS;
	char text[CHART_NUMBER];

	svg_text(s, "", left, s->y + 15, 0, chart_number(scale->low, 3, text));
	svg_text(s, "e", s->width - 2 * SVG_MARGIN, s->y + 15, 0,
	    chart_number(scale->high, 3, text));
	s->y += SVG_LINE;
}

static void
write_blocks(struct svg *s, const struct result_block *block, size_t blocks,
    const struct scale *scale, int higher)
{
	size_t i, k;
	char *text;

	write_ends(s, scale);
	for (i = 0; i < blocks; i++) {
		text = result_block_text(&block[i], " of the variance");
		svg_row(s, text);
		free(text);
		for (k = 0; k < block[i].rows; k++)
			write_setting(s, &block[i].row[k], scale, higher);
		if (block[i].hidden == 0)
			continue;
		text = xasprintf(
		    "and %zu settings that are worse", block[i].hidden);
		svg_row(s, text);
		free(text);
	}
}

int
chart_by_svg(struct chart_svg *to, const struct chart *c,
    const struct chart_results *r, struct error *e)
{
	ptrdiff_t shown = result_begin(to->notes, c, r, e);
	struct chart_range range = CHART_NO_RANGE;
	struct result_block *block;
	struct strlist pairs = {0};
	struct scale scale;
	size_t blocks, count, i;
	char *title, *origin;
	double *value;
	struct svg s;

	if (shown < 1)
		return shown == -1 ? -1 : 0;
	block = result_blocks_make(c, r, &blocks);
	if (blocks > 0) {
		origin = result_origin(r);
		title = xasprintf(
		    "What mattered for best %s (%s)", r->metric, origin);
		value = result_sorted(c, r, &count);
		chart_range_add(&range, value, count);
		draw_fit_y(c, &range, 5, &scale);
		svg_open(&s, to, c, title);
		write_blocks(&s, block, blocks, &scale, r->higher);
		result_pairs(c, r, block, blocks, &pairs);
		for (i = 0; i < pairs.count; i++)
			svg_row(&s, pairs.word[i]);
		svg_row(&s, "● best, | median of each setting");
		svg_close(
		    &s, "The results of each setting of each hyperparameter");
		free(value);
		free(title);
		free(origin);
	} else {
		fputs(
		    "no hyperparameter has more than one setting\n", to->notes);
	}
	strlist_free(&pairs);
	result_blocks_free(block, blocks);
	return 0;
}

/* ---- histogram ---- */

static void
write_bins(struct svg *s, const struct result_bins *b)
{
	enum { LEFT = 130, BAR = 20, RIGHT = 70 };
	double room = s->width - LEFT - RIGHT, width;
	char text[3][CHART_NUMBER], *name;
	size_t i, most = 1;

	for (i = 0; i < b->count; i++)
		most = b->tasks[i] > most ? b->tasks[i] : most;
	for (i = 0; i < b->count; i++) {
		name = xasprintf("%s–%s",
		    result_text(b->decimals, b->edge[i], text[0]),
		    result_text(b->decimals, b->edge[i + 1], text[1]));
		width = (double)b->tasks[i] / (double)most * room;
		svg_text(s, "e", LEFT - 10, s->y + 15, 0, name);
		snprintf(text[2], sizeof text[2], "%zu", b->tasks[i]);
		write_box(s->f, "f c4", LEFT, s->y + 1, width, BAR - 2,
		    xasprintf("%s: %s", name, text[2]));
		svg_text(s, "", LEFT + width + 6, s->y + 15, 0, text[2]);
		free(name);
		s->y += BAR;
	}
}

int
chart_hist_svg(struct chart_svg *to, const struct chart *c,
    const struct chart_results *r, struct error *e)
{
	ptrdiff_t shown = result_begin(to->notes, c, r, e);
	struct result_bins b;
	char *title, *origin, *out;
	double *value;
	size_t count;
	struct svg s;

	if (shown < 1)
		return shown == -1 ? -1 : 0;
	value = result_sorted(c, r, &count);
	origin = result_origin(r);
	title = xasprintf("Distribution of best %s (%s)", r->metric, origin);
	if (result_bins_make(&b, c, value, count)) {
		svg_open(&s, to, c, title);
		write_bins(&s, &b);
		out = xasprintf("%zu below the first, %zu above the last",
		    b.out[0], b.out[1]);
		if (b.out[0] + b.out[1] > 0)
			svg_row(&s, out);
		free(out);
		svg_close(&s, "A histogram; each bar has its number");
	}
	free(value);
	free(origin);
	free(title);
	return 0;
}
