/* Declarations shared by the files that write SVG. */
#ifndef STFM_CHART_SVG_PRIVATE_H
#define STFM_CHART_SVG_PRIVATE_H

#include "chart/svg.h"

/*
 * Pixels: of a letter in labels and in the legend (more than most take), of a
 * row of text, and of the margin.
 */
enum { SVG_LETTER = 8, SVG_MONO = 8, SVG_LINE = 20, SVG_MARGIN = 12 };

/* A chart being written.  y is where the next part begins. */
struct svg {
	FILE *f;
	char *title;
	char *body; /* what was written to f */
	size_t length;
	double width, y;
	struct chart_svg *to;
};

/*
 * Begin a chart of the width of look.  The title, which the file shows and
 * programs read aloud, is wrapped.
 */
void svg_open(struct svg *, struct chart_svg *, const struct chart *look,
    const char *title);

/* End a chart and add it to the others; about describes its contents. */
void svg_close(struct svg *, const char *about);

/* Write an attribute ` name="1.5"`, with at most one decimal. */
void svg_number(FILE *, const char *name, double value);

/*
 * Write a text of a class at a place.  The text is cut to width pixels (0:
 * any); if it is cut, all of it is its title.
 */
void svg_text(struct svg *, const char *class, double x, double y, double width,
    const char *text);

/* Write a row of text, wrapped, below what was written. */
void svg_row(struct svg *, const char *text);

/* Write a <title>, which must be the first child of its element; NULL: none. */
void svg_title(FILE *, const char *text);

#endif
