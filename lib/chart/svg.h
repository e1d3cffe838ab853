/*
 * Charts as SVG: the lines and results of chart.h and result.h as pictures, for
 * a file or inside an HTML page.
 *
 * A chart is width * SVG_COLUMN pixels wide, and its plots are height * SVG_ROW
 * pixels high.  The members charset, colors and layout of struct chart are not
 * used.  Text from users is escaped, nothing refers to other files, and the
 * colours follow a light or dark background.  Points have <title> elements,
 * which browsers show when the mouse is over them.
 *
 * The number of points that are written is limited.  Of neighbouring points,
 * the lowest and the highest stay.
 */
#ifndef STFM_CHART_SVG_H
#define STFM_CHART_SVG_H

#include "base/strlist.h"
#include "chart/result.h"

enum { SVG_COLUMN = 10, SVG_ROW = 20 };

/*
 * Where charts are written.  Set the files; all other members start from zero.
 */
struct chart_svg {
	FILE *out;
	FILE *notes; /* see chart_draw */
	/*
	 * NULL for an SVG file: each chart begins below the chart before and
	 * contains its legend.  For an HTML page: each chart is an <svg>
	 * element, and its legend is written here as an HTML table.
	 */
	FILE *legend;
	double width;          /* pixels, of the last chart */
	double height;         /* pixels, the sum of all charts so far */
	struct strlist titles; /* titles of the charts; to strlist_free */
};

/*
 * Draw a chart, or nothing if there is nothing to draw.  The first lines, at
 * most SVG_KEYS of them, have colours and are in the legend; the others are
 * grey.  Returns 0, or -1 as chart_draw.
 */
enum { SVG_KEYS = 16 };
int chart_svg(struct chart_svg *, const struct chart *, struct error *e);

/*
 * Draw results: a heat map, the effect of each hyperparameter, or a histogram.
 * These do what chart_grid, chart_by and chart_hist of result.h do, with the
 * same arguments and results except out and notes.
 */
int chart_grid_svg(struct chart_svg *, const struct chart *,
    const struct chart_results *, size_t row, size_t column, struct error *e);
int chart_by_svg(struct chart_svg *, const struct chart *,
    const struct chart_results *, struct error *e);
int chart_hist_svg(struct chart_svg *, const struct chart *,
    const struct chart_results *, struct error *e);

/*
 * Write an SVG file with the charts that were drawn.  body is the text that
 * they wrote: collect it in a stream of memory, the out of struct chart_svg.
 */
void chart_svg_file(FILE *file, const struct chart_svg *, const char *body);

/* The style sheet that charts in a page need; the file has it. */
extern const char chart_svg_style[];

#endif
