/*
 * A chart is lines drawn as text: with axes, a label at the end of each line
 * and a legend that is a table; as small panels; or as sparklines.
 *
 * These functions do not query the terminal: the caller passes size, glyphs and
 * colours.  No row is wider than the chart's width, none ends in blanks, and
 * names from users' files are made safe to print.
 */
#ifndef STFM_CHART_CHART_H
#define STFM_CHART_CHART_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "term/cli.h"

enum { CHART_NO_POINT = -1 };

/*
 * A line of a chart.  It breaks where y is nan or infinite, with a mark at the
 * first such point.  A segment is not joined to the segment before.
 */
struct chart_line {
	const char *name;
	const double *x, *y;
	const double *low, *high; /* a band around y at each point, or NULL */
	/*
	 * If the line is reduced, else NULL: how many points each point stands
	 * for, and the sum of their y, each minus the y of this point.
	 */
	const uint64_t *weight;
	const double *excess;
	size_t count;
	const size_t *start; /* the first point of each segment, or NULL */
	size_t starts;
	ptrdiff_t best; /* the point to mark, or CHART_NO_POINT */
	int dotted;
	int dim;                 /* less important than the others */
	int axis;                /* lines with the same number share a y axis */
	const char *const *cell; /* one for each of the chart's columns */
	/* Shown in its panel instead of the columns AT and LAST, or NULL. */
	const char *detail;
};

/* A column of the legend, between the name and the best value. */
struct chart_column {
	const char *name;
	int right; /* aligned to the right */
	/*
	 * If the table is too wide, the columns with the highest drop are left
	 * out first; 0: only if the table does not fit even without sparklines.
	 */
	int drop;
};

enum chart_layout {
	/*
	 * One chart.  Panels if more than three lines have no colour, sparks if
	 * there are more lines than letters.
	 */
	CHART_AUTO,
	CHART_ONE,   /* all lines in one chart */
	CHART_MULTI, /* a small panel for each line, on the same axes */
	CHART_SPARK  /* a table with a sparkline for each line */
};

/*
 * The contents and the look of a chart; start from CHART_DEFAULT.  Sort the
 * lines, best first: they get their letters in this order, and the first line
 * is drawn on top.
 */
struct chart {
	const char *title; /* cut if it is too wide */
	const char *note;  /* shown after the title, never cut; or NULL */
	const char *x_name;
	int x_time; /* x values are seconds, shown as 1:12:40 */
	int steps;  /* a value holds until the next point, at which it jumps */
	/* Places to mark on the x axis; those outside of it are not shown. */
	const double *rung;
	size_t rungs;
	const char *y_name; /* head of the sparklines */
	const struct chart_line *line;
	size_t lines;
	/* A table with letters; 0: names at the ends of the lines. */
	int legend;
	size_t most;           /* rows of the legend; 0: all */
	const char *name_head; /* head of the legend's first column: "TASK" */
	const struct chart_column *column;
	size_t columns;
	enum chart_layout layout;
	int log;        /* y is drawn on a logarithmic scale */
	int log_panels; /* in panels, log also if the range is wide */
	/* The y axis may leave out outliers on the worse side. */
	int clip;
	/* 1 if large values are worse, -1 if small values are, 0 if unknown. */
	int worse;
	/* The ends of the y axis; nan: follow from the data. */
	double low, high;
	double smooth; /* 0 to 0.999, see chart_smooth */
	size_t width;  /* columns, at least CHART_WIDTH */
	/* Rows, not counting the legend; at least CHART_HEIGHT. */
	size_t height;
	enum cli_charset charset;
	int colors; /* 0, 16 or 256 */
	/*
	 * Writes a value of the legend to out and returns out.  NULL: all
	 * values have the decimals with which the smallest best value has four
	 * digits.
	 */
	char *(*number)(double value, char *out); /* NUM_TEXT bytes */
};

enum { CHART_WIDTH = 24, CHART_HEIGHT = 6, CHART_LETTERS = 52 };

extern const struct chart CHART_DEFAULT;

/*
 * Draw a chart to out.  Notes for the reader (nothing to draw; values that a
 * log axis cannot show) go to notes, one line each; the caller shows them.
 * Returns 0, or -1 with the reason in e for an impossible width, height,
 * smoothing or range.
 */
int chart_draw(FILE *out, FILE *notes, const struct chart *, struct error *e);

/* Return the layout with which a chart is drawn; never CHART_AUTO. */
enum chart_layout chart_layout(const struct chart *);

/* Return how many rows a chart takes in panels. */
size_t chart_panels_height(const struct chart *);

/*
 * Return how many rows chart_draw adds below the chart for lines outside a
 * clipped y axis: 0 or 1.
 */
size_t chart_clipped(const struct chart *);

/*
 * Write a gnuplot script that draws the same lines in one plot and contains
 * their data.  Lines without a value that can be drawn are left out, because
 * gnuplot refuses them.  Returns the number of lines drawn; if there are none,
 * writes nothing.
 */
size_t chart_gnuplot(FILE *out, const struct chart *);

/*
 * Smooth a series in place by an exponential moving average with bias
 * correction at its start (Kingma and Ba 2015, section 3), so that factor 0
 * changes nothing and the first values are not pulled to zero.  Values that are
 * not finite stay and have no effect.  Each segment is smoothed separately.
 */
void chart_smooth(
    double *y, size_t count, const size_t *start, size_t starts, double factor);

/* Return the values of a line, smoothed unless factor is 0; to free. */
double *chart_smoothed(const struct chart_line *, double factor);

/* The scale of a sparkline; start from CHART_NO_RANGE. */
struct chart_range {
	double low, high;
	int log;
};

extern const struct chart_range CHART_NO_RANGE;

/* Widen a range to include these values, if they are finite. */
void chart_range_add(struct chart_range *, const double *y, size_t count);

/*
 * Draw a sparkline of at most cells columns, each with one value or the mean of
 * several.  A cell with nan or infinity is marked.  If range is NULL, the range
 * of y is used.  Returns the number of columns written.
 */
size_t chart_spark(FILE *out, const double *y, size_t count, size_t cells,
    enum cli_charset charset, const struct chart_range *range);

/*
 * Draw a bar that fills part (0 to 1) of cells columns, in eighths if the
 * charset allows it.  Returns the number of columns written; the rest is not
 * padded.
 */
size_t chart_bar(
    FILE *out, double part, size_t cells, enum cli_charset charset);

/*
 * Write a number for people: digits significant digits, without trailing zeros,
 * with an exponent only from 1e6 on and below 1e-4.  Returns out.
 */
enum { CHART_NUMBER = 32 };
char *chart_number(double value, int digits, char out[CHART_NUMBER]);

/* Return the mark for the best point. */
static inline const char *
chart_best_mark(enum cli_charset charset)
{
	return charset == CLI_ASCII ? "*" : "●";
}

#endif
