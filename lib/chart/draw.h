/* Declarations shared by the files that draw the layouts of a chart. */
#ifndef STFM_CHART_DRAW_H
#define STFM_CHART_DRAW_H

#include "chart/canvas.h"
#include "chart/chart.h"
#include "chart/scale.h"
#include "chart/svg.h"

/* Values with a larger ratio are better compared on a logarithmic scale. */
enum { DRAW_RATIO = 4 };

/*
 * Lines that go off the y axis at the end of the worse values: at the top if
 * smaller values are better.
 */
struct draw_beyond {
	size_t lines;
	double farthest;
};

struct drawing {
	const struct chart *chart;
	struct pen pen;
	const double **y;       /* for each line, smoothed if requested */
	double **smooth;        /* the smoothed values of each line, or NULL */
	struct chart_range x;   /* of all points that can be drawn */
	struct chart_range all; /* of all y that can be drawn, after clipping */
	struct draw_beyond beyond;
	int whole; /* every x is a whole number */
};

/* A rectangle with axes in which lines are drawn. */
struct panel {
	struct canvas canvas;
	struct scale x, y;
};

/* Check size, smoothing and range of a chart.  Returns 0 or -1. */
int draw_check(const struct chart *, struct error *e);

/*
 * Begin to draw a chart to out: smooth its lines, find the ranges of the axes,
 * and clip the y axis.  The chart must outlive the drawing.
 */
void draw_prepare(struct drawing *, const struct chart *, FILE *out);
void draw_clear(struct drawing *);

/* Write a note if some values of a line cannot be drawn. */
void draw_note_line(const struct drawing *, size_t line, FILE *notes);

/*
 * Return "1 of 6 curves goes off the top (max 1.04)", to free, or NULL if the y
 * axis is not clipped.
 */
char *draw_clip_text(const struct drawing *);

/* Return whether a point can be drawn: finite, and above 0 if y is log. */
int draw_shows(const struct drawing *, size_t line, size_t point);

/* Return the last point that can be drawn, or CHART_NO_POINT. */
ptrdiff_t draw_last(const struct drawing *, size_t line);

/*
 * Return the point from which on all points of a line are not finite, or
 * CHART_NO_POINT.
 */
ptrdiff_t draw_nan_since(const struct chart_line *);

/*
 * Describe the values of a line from a point on, none of which is finite:
 * "nan", "inf", "-inf", or "no number" if they are mixed.
 */
const char *draw_no_number(const struct chart_line *, size_t from);

/* Make scales that include all lines, with about x_ticks and y_ticks ticks. */
void draw_fit(const struct drawing *, size_t x_ticks, size_t y_ticks,
    struct scale *x, struct scale *y);

/* Make the y scale of a range; the chart may fix its ends. */
void draw_fit_y(const struct chart *, const struct chart_range *,
    size_t y_ticks, struct scale *y);

/* Make the y scale of a line, including all lines that share its axis. */
void draw_fit_axis(
    const struct drawing *, size_t line, size_t y_ticks, struct scale *y);

/*
 * Draw count lines in a panel whose scales are set, the first line on top, with
 * their bands and the marks of their best points.  Without a legend only the
 * first line is marked, because the title refers to it.
 */
void draw_lines(
    const struct drawing *, size_t first, size_t count, struct panel *);

/* Return the row of characters in which a value lies. */
long draw_row(const struct panel *, double value);

/* Write an x value for people into out, which has CHART_NUMBER bytes. */
char *draw_x(const struct chart *, double x, char *out);

/* Return whether the lines have more than one y axis. */
int draw_has_axes(const struct chart *);

/* Return the letter of a line, from 0, or '?' beyond the last letter. */
char draw_letter(size_t line);

/* Return the name, or its part after the last slash if it is too wide. */
const char *draw_name(const char *name, size_t width);

/* The characters of an axis, in one charset. */
struct glyphs {
	const char *wall,
	    *tick;          /* of the y axis: a row without and with tick */
	const char *corner; /* where the axes meet */
	const char *floor, *mark; /* of the x axis: without and with tick */
	const char *rung; /* on the x axis: an epoch where a search compares */
};

const struct glyphs *draw_glyphs(enum cli_charset);

/* Draw a small panel for each line. */
void draw_multi(struct drawing *);

/*
 * Draw a row for each line of the chart: the legend of a chart in which letters
 * name the lines, or else (letters is 0) a table with a sparkline in each row.
 */
void draw_legend(struct drawing *, int letters);

/* A cell of the legend.  at and width are in columns of text. */
struct draw_cell {
	size_t line;   /* its line; the number of lines for the head */
	size_t column; /* 0: the name of the line */
	size_t at, width;
	int right; /* aligned to the right */
	const char *text;
};

/*
 * Call each for every cell of a legend that is at most so many columns wide,
 * row by row, the head first.
 */
void draw_legend_cells(const struct chart *, size_t width,
    void (*each)(void *arg, const struct draw_cell *), void *arg);

/*
 * Write a row for each line of the chart that ends in nan; with letters, it
 * begins with the letter of the line.
 */
void draw_nan_lines(struct drawing *, int letters);

/* ---- sparklines ---- */

/* The mean of some values, nan if one of them is not finite; start from {0}. */
struct spark_cell {
	long double sum; /* unlike a double, cannot overflow */
	uint64_t count;
};

/*
 * Add count values of which only y is known, and their sum: it is count * y +
 * excess.  A log that was thinned out while it was read has such points.
 */
void spark_add(struct spark_cell *, double y, uint64_t count, double excess);

/* Return the character of a cell: " " if it has no values. */
const char *spark_glyph(
    const struct spark_cell *, enum cli_charset, const struct chart_range *);

/* Return the character that stands for nan. */
const char *spark_nan(enum cli_charset);

/* ---- SVG ---- */

/*
 * In pixels: the room for a letter in labels, and in the legend (most letters
 * are narrower); the height of a row of text; the margin.
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
 * Write text at a place, in pixels; class is its class in the style sheet.  A
 * text that is wider than width pixels (0: no limit) is cut, and its <title>
 * has all of it.
 */
void svg_text(struct svg *, const char *class, double x, double y, double width,
    const char *text);

/* Write a row of text, wrapped, below what was written. */
void svg_row(struct svg *, const char *text);

/* Write a <title>, which must be the first child of its element; NULL: none. */
void svg_title(FILE *, const char *text);

#endif
