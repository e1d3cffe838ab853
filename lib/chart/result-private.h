/* What the drawings of results share. */
#ifndef STFM_CHART_RESULT_PRIVATE_H
#define STFM_CHART_RESULT_PRIVATE_H

#include "chart/canvas.h"
#include "chart/result.h"

/* Numbers before they are grouped. */
enum { RESULT_LEVELS = 12 };

/* Whether a result can be drawn. */
int result_shows(
    const struct chart *, const struct chart_results *, size_t result);

/* Whether value a is better; nan never is. */
int result_better(const struct chart_results *, double a, double b);

/* The results that can be drawn, sorted by value; to free. */
double *result_sorted(
    const struct chart *, const struct chart_results *, size_t *count);

/* Of sorted values the one below which that part lies. */
double result_quantile(const double *sorted, size_t count, double part);

/* How values are written, so that those beside each other can be compared. */
struct result_format {
	int decimals; /* -1: each by itself */
};

struct result_format result_format(
    const struct chart *, const struct chart_results *);
char *result_text(struct result_format, double value, char out[CHART_NUMBER]);

/* The bins of a histogram. */
enum { RESULT_BINS = 40 };

struct result_bins {
	size_t count;
	double edge[RESULT_BINS + 1];
	size_t tasks[RESULT_BINS];
	size_t out[2]; /* below the first edge, above the last */
	struct result_format format;
};

/* Put sorted values into bins; whether there are any. */
int result_bins_make(struct result_bins *, const struct chart *,
    const double *sorted, size_t count);

/*
 * Begin a drawing: whether it can be, and a note on what is left out.  Returns
 * how many results there are to draw, or -1.
 */
ptrdiff_t result_begin(FILE *notes, const struct chart *,
    const struct chart_results *, struct error *);

/* A row of text, cut to the width. */
void result_row(struct pen *, const struct chart *, const char *text);

/* "  30 tasks of conv2d, mean over seed": what stands behind a title. */
char *result_origin(const struct chart_results *);

#endif
