/* Declarations shared by the files of lib/chart that draw results. */
#ifndef STFM_CHART_RESULT_PRIVATE_H
#define STFM_CHART_RESULT_PRIVATE_H

#include "base/strlist.h"
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

/* One setting of a factor and its results. */
struct result_row {
	char *name;
	double *value; /* sorted, at least one */
	size_t count;
	double best, median;
	char text[3][CHART_NUMBER]; /* "n=3", the best, the median */
};

/* A factor and its settings, as chart_by shows them. */
struct result_block {
	const struct chart_factor *factor;
	struct chart_effect effect;
	struct result_row *row;
	size_t rows;
	size_t hidden; /* settings that are not shown */
};

/*
 * Return the factors with more than one setting, those that explain the most
 * first, and set *count to their number.  Free with result_blocks_free.
 */
struct result_block *result_blocks_make(
    const struct chart *, const struct chart_results *, size_t *count);
void result_blocks_free(struct result_block *, size_t count);

/*
 * Return "lr  explains 60% of the variance (by chance 3%)", to free; of is " of
 * the variance" or empty.
 */
char *result_block_text(const struct result_block *, const char *of);

/*
 * Add to out a sentence for each pair of factors that explains something
 * together, and one about the share that remains unexplained.
 */
void result_pairs(const struct chart *, const struct chart_results *,
    const struct result_block *, size_t blocks, struct strlist *out);

/* A cell of a heat map. */
struct result_cell {
	size_t results; /* number of results with both values */
	double best;    /* nan: no result is a number */
	int fifth;      /* 0: among the best */
};

/* Shades of a heat map, by the part of the cells that are better. */
enum { RESULT_FIFTHS = 5 };

/* A heat map: a cell for each value of two factors, row by row. */
struct result_map {
	struct chart_settings row, column;
	struct result_cell *cell;
	size_t best; /* index of the best cell, or CHART_NO_SETTING */
};

void result_map_make(struct result_map *, const struct chart_results *,
    size_t row, size_t column);
void result_map_free(struct result_map *);

/* Return the title of a heat map of these factors, to free. */
char *result_map_title(const struct result_map *, const struct chart_results *,
    size_t row, size_t column);

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
