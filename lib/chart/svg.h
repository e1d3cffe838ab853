/*
 * Charts as SVG: the lines and results of chart.h and result.h as pictures, for
 * a file or inside an HTML page.
 *
 * A column of the chart's width is SVG_COLUMN pixels wide, a row of its height
 * SVG_ROW high.  Charset, colors and layout are not used.  Text from users is
 * escaped, nothing refers to other files, and the colours follow a light or
 * dark background.  Points have <title> elements, which browsers show when the
 * mouse is over them.
 *
 * The number of points that are written is limited; of many neighbours the
 * lowest and the highest stay.
 */
#ifndef STFM_CHART_SVG_H
#define STFM_CHART_SVG_H

#include "base/strlist.h"
#include "chart/result.h"

enum { SVG_COLUMN = 10, SVG_ROW = 20 };

/* Where charts go; start from all zero, but for the files. */
struct chart_svg {
	FILE *out;
	FILE *notes; /* as of chart_draw */
	/*
	 * In an HTML page: gets each legend as an HTML table, and each chart is
	 * an element of its own.  NULL: legends are part of the charts, and
	 * each chart begins below the one before.
	 */
	FILE *legend;
	double width, height;  /* of the charts so far */
	struct strlist titles; /* of the charts so far; strlist_free it */
};

/*
 * Draw a chart, or nothing if there is nothing to draw.  The first lines, at
 * most SVG_KEYS of them, have colours and are in the legend; the others are
 * grey.  Returns 0, or -1 as chart_draw.
 */
enum { SVG_KEYS = 16 };
int chart_svg(struct chart_svg *, const struct chart *, struct error *e);

/* Draw results: a heat map, what mattered, a histogram.  As of result.h. */
int chart_grid_svg(struct chart_svg *, const struct chart *,
    const struct chart_results *, size_t row, size_t column, struct error *e);
int chart_by_svg(struct chart_svg *, const struct chart *,
    const struct chart_results *, struct error *e);
int chart_hist_svg(struct chart_svg *, const struct chart *,
    const struct chart_results *, struct error *e);

/* Write an SVG file with these charts; body is all that went to out. */
void chart_svg_file(FILE *out, const struct chart_svg *, const char *body);

/* The style sheet that charts in a page need; the file has it. */
extern const char chart_svg_style[];

#endif
