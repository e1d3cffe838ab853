/* Declarations shared by the files of lib/chart that draw results. */
#ifndef STFM_CHART_RESULT_PRIVATE_H
#define STFM_CHART_RESULT_PRIVATE_H

#include "chart/canvas.h"
#include "chart/result.h"

/* If there are more different numbers, they are grouped. */
enum { RESULT_LEVELS = 12 };

/* Return whether a result can be drawn. */
int result_shows(
    const struct chart *, const struct chart_results *, size_t result);

/* Return whether value a is better; nan never is. */
int result_better(const struct chart_results *, double a, double b);

/* Order doubles; for qsort. */
int result_compare(const void *a, const void *b);

/* Return the *count results that can be drawn, sorted by value; to free. */
double *result_sorted(
    const struct chart *, const struct chart_results *, size_t *count);

/* Return the value below which a part (0 to 1) of the sorted values lies. */
double result_quantile(const double *sorted, size_t count, double part);

/*
 * Return how many decimals values need so that neighbours can be compared; -1
 * if each value has its own.
 */
int result_decimals(const struct chart *, const struct chart_results *);

/* Write a value with these decimals into out.  Returns out. */
char *result_text(int decimals, double value, char out[CHART_NUMBER]);

/* The bins of a histogram. */
enum { RESULT_BINS = 40 };

struct result_bins {
	size_t count;
	double edge[RESULT_BINS + 1];
	size_t tasks[RESULT_BINS];
	size_t out[2]; /* number below the first edge, and above the last */
	int decimals;  /* of the edges, for result_text */
};

/* Put count sorted values into bins.  Returns 1, or 0 if there are none. */
int result_bins_make(struct result_bins *, const struct chart *,
    const double *sorted, size_t count);

/*
 * Check whether the chart can be drawn, and write to notes which results are
 * left out.  Returns the number of results to draw, or -1 with the reason in e.
 */
ptrdiff_t result_begin(FILE *notes, const struct chart *,
    const struct chart_results *, struct error *);

/* Return the origin of results: "30 tasks of conv2d, ..."; to free. */
char *result_origin(const struct chart_results *);

#endif
