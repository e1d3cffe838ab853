/* What the layouts of a chart share while it is drawn. */
#ifndef STFM_CHART_DRAW_H
#define STFM_CHART_DRAW_H

#include "chart/canvas.h"
#include "chart/chart.h"
#include "chart/scale.h"

/* From this ratio on values are better compared by their logarithms. */
enum { DRAW_RATIO = 4 };

/* Lines that go off the worse end of the y axis. */
struct draw_beyond {
	size_t lines;
	double farthest;
};

struct drawing {
	const struct chart *chart;
	struct pen pen;
	const double **y;       /* of each line: smoothed where that is asked */
	double **smooth;        /* ... those, or NULL */
	struct chart_range x;   /* of all that can be drawn */
	struct chart_range all; /* y, the same, where it is not clipped */
	struct draw_beyond beyond;
	int whole; /* every x is a whole number */
};

/* Whether the point can be drawn: finite, and above 0 where y is log. */
int draw_shows(const struct drawing *, size_t line, size_t point);

/* The last point that can be drawn, or CHART_NO_POINT. */
ptrdiff_t draw_last(const struct drawing *, size_t line);

/* From where on a line has no number any more, or CHART_NO_POINT. */
ptrdiff_t draw_nan_since(const struct chart_line *);

/*
 * What the values of a line are from a point on, none of which is finite:
 * "nan", "inf", "-inf", or "no number" where they differ.
 */
const char *draw_no_number(const struct chart_line *, size_t from);

/*
 * The scales that hold all lines, with that many ticks at most; their ends
 * move to a tick where it costs less than the part snap.
 */
void draw_fit(const struct drawing *, size_t x_ticks, size_t y_ticks,
    double snap, struct scale *x, struct scale *y);

/*
 * Put one line on the canvas, before all lines its band, and after them the
 * mark of its best point.
 */
void draw_line(const struct drawing *, size_t line, struct canvas *,
    const struct scale *x, const struct scale *y);
void draw_band(const struct drawing *, size_t line, struct canvas *,
    const struct scale *x, const struct scale *y);
void draw_best(const struct drawing *, size_t line, struct canvas *,
    const struct scale *x, const struct scale *y);

/* The row of characters on which a value lies. */
long draw_row(const struct canvas *, const struct scale *y, double value);

/* An x value, for people; out has CHART_NUMBER bytes. */
char *draw_x(const struct chart *, double x, char *out);

/* Whether not all lines have the same y axis. */
int draw_has_axes(const struct chart *);

/* The y axis that a line shares with others, as draw_fit. */
void draw_fit_axis(
    const struct drawing *, size_t line, size_t y_ticks, struct scale *y);

/* The letter of a line, from 0; '?' when there are no more letters. */
char draw_letter(size_t line);

/*
 * A name as far as there is room: where there is too little, what follows its
 * last slash tells it from others.
 */
const char *draw_name(const char *name, size_t width);

/* The parts of an axis. */
struct glyphs {
	const char *wall, *tick, *corner, *floor, *mark;
};

const struct glyphs *draw_glyphs(enum cli_charset);

/* All lines in one chart with axes; a small panel for each line. */
void draw_multi(struct drawing *);

/* The legend, or alone: a table with a sparkline for each line. */
void draw_table(struct drawing *, int letters);

/* What is to be said below: lines that end in nan. */
void draw_nan_lines(struct drawing *, int letters);

#endif
