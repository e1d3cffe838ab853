/*
 * Results are the best values of trainings with their hyperparameters.  They
 * are drawn as a heat map over two hyperparameters, as the effect of each
 * hyperparameter, or as a histogram.
 *
 * As in chart/chart.h, no function queries the terminal, and no row is too
 * wide.
 */
#ifndef STFM_CHART_RESULT_H
#define STFM_CHART_RESULT_H

#include "chart/chart.h"

/* A hyperparameter and its value for each result, NULL if missing. */
struct chart_factor {
	const char *name;
	const char *const *value;
};

struct chart_results {
	const char *metric;
	const char *of;  /* the runs with these results: "30 tasks of conv2d" */
	const char *how; /* "mean over seed", or NULL */
	int higher;      /* larger values are better */
	const double *best;
	size_t count;
	const struct chart_factor *factor;
	size_t factors;
};

/*
 * The next three functions draw to out.  They use the members width, charset,
 * colors and log of the chart; chart_by and chart_hist also use low and high.
 * Results that are not finite are left out, with a line to notes.  They return
 * 0, or -1 with the reason in e for an impossible width or range.
 */

/*
 * Draw a heat map: a row for each value of factor row, a column for each value
 * of factor column.  Each cell shows the best of the results with both values.
 */
int chart_grid(FILE *out, FILE *notes, const struct chart *,
    const struct chart_results *, size_t row, size_t column, struct error *);

/*
 * Draw the effect of each factor: the results of each of its settings, on one
 * axis, and the share of the variance that lies between its settings
 *
 *	share = sum n_s (mean_s - mean)^2 / sum (value - mean)^2
 *
 * (the correlation ratio, eta squared; Fisher 1925).  Next to it is the share
 * that a factor without an effect would explain by chance:
 *
 *	chance = (settings - 1) / (n - 1)
 *
 * Factors are sorted by (share - chance) / (1 - chance); factors with one
 * setting are left out.  If the chart is log, the variance is that of the
 * logarithms.  Below the factors are the pairs of chart_pairs.  If factors and
 * pairs leave most of the variance unexplained, the last line says how much.
 */
int chart_by(FILE *out, FILE *notes, const struct chart *,
    const struct chart_results *, struct error *);

/* Draw a histogram in steps of 1, 2 or 5 times a power of ten. */
int chart_hist(FILE *out, FILE *notes, const struct chart *,
    const struct chart_results *, struct error *);

/*
 * Write these drawings as gnuplot scripts.  Each function returns the number of
 * results that it draws; if there are none, it writes nothing.
 */
size_t chart_grid_gnuplot(FILE *out, const struct chart *,
    const struct chart_results *, size_t row, size_t column);
size_t chart_by_gnuplot(
    FILE *out, const struct chart *, const struct chart_results *);
size_t chart_hist_gnuplot(
    FILE *out, const struct chart *, const struct chart_results *);

/*
 * The settings of a factor: its values in order, numbers by size, words by
 * their first appearance.  If there are too many numbers, neighbours share a
 * setting, so that each setting has about as many results.
 */
struct chart_settings {
	size_t count;
	char **name;
	size_t *of; /* the setting of each result, or CHART_NO_SETTING */
};

#define CHART_NO_SETTING ((size_t)-1)

/*
 * Make the settings of the factor with this index.  If it has more than most
 * different numbers, they are grouped.  Each word is a setting, however many
 * there are.  Results without a value have no setting.  Free with
 * chart_settings_free.
 */
void chart_settings_make(struct chart_settings *, const struct chart_results *,
    size_t factor, size_t most);

/*
 * Make the settings that the drawings of effects compare.  A single result says
 * nothing about its setting.  So numbers are also grouped if there are six
 * results or more, and fewer than two for each number on average.
 */
void chart_settings_compare(
    struct chart_settings *, const struct chart_results *, size_t factor);
void chart_settings_free(struct chart_settings *);

/*
 * The interaction of two factors, beyond the effect of each alone: the share of
 * the variance between the combinations of their settings, minus the shares
 * between the settings of each (Fisher 1925).
 */
struct chart_pair {
	size_t factor[2];
	double share;  /* of the variance */
	double chance; /* the average share of a pair without an effect */
};

/*
 * Find the pairs among the first 64 factors that explain clearly more than
 * chance: at least 5 % of the variance and 3 standard deviations more.  Pairs
 * with one result in each combination are left out, because they prove nothing.
 * With log, the variance is that of the logarithms.  Puts the pairs that
 * explain the most into out, at most `most` of them, sorted.  Returns the
 * number of pairs.
 */
size_t chart_pairs(
    const struct chart_results *, int log, struct chart_pair *out, size_t most);

/* The share of the variance that a factor explains. */
struct chart_effect {
	size_t results, settings;
	double share, chance; /* nan: the results do not vary */
	double
	    worth; /* (share - chance) / (1 - chance): chart_by sorts by it */
};

/*
 * Compute the effect of the factor with these settings, as shown by chart_by.
 * Only results count that are finite and have a setting, and with log are above
 * 0.  If there are fewer than two settings, or all results are the same, there
 * is nothing to explain: then worth is -INFINITY.  worth is also -INFINITY if
 * each result has its own setting.
 */
void chart_effect(struct chart_effect *, const struct chart_results *,
    const struct chart_settings *, int log);

#endif
