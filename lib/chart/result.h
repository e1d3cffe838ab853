/*
 * Results are the best values that trainings reached, drawn by what the
 * trainings were given: a heat map over two hyperparameters, what each of them
 * explains, a histogram.
 *
 * As in chart/chart.h nothing asks about the terminal, and no row is too wide.
 */
#ifndef STFM_CHART_RESULT_H
#define STFM_CHART_RESULT_H

#include "chart/chart.h"

/* A hyperparameter, and its value for each result; NULL: it has none. */
struct chart_factor {
	const char *name;
	const char *const *value;
};

struct chart_results {
	const char *metric;
	const char *of;  /* whose they are: "30 tasks of conv2d" */
	const char *how; /* "mean over seed", or NULL */
	int higher;      /* a larger value is better */
	const double *best;
	size_t count;
	const struct chart_factor *factor;
	size_t factors;
};

/*
 * All three take from the chart how to draw: width, charset, colours, log and,
 * but for the heat map, the range.  A result that is not finite is left out,
 * which notes are told as in chart_draw.  They return 0, or -1 for a width or
 * range that cannot be.
 */

/*
 * A heat map: a row for each value of one factor, a column for each of
 * another, in each cell the best of the results that have both.
 */
int chart_grid(FILE *out, FILE *notes, const struct chart *,
    const struct chart_results *, size_t row, size_t column, struct error *);

/*
 * What mattered: for each factor the results of each of its settings, on one
 * axis, and the share of the variance that lies between its settings
 *
 *	share = sum n_s (mean_s - mean)^2 / sum (value - mean)^2
 *
 * (the correlation ratio, eta squared; Fisher 1925), beside what settings of no
 * effect would explain by chance, (settings - 1) / (n - 1).  Factors are sorted
 * by how much more it is, (share - chance) / (1 - chance).  Where the chart is
 * log, of the logarithms.  Factors with one setting are left out.  Below them
 * stand the pairs of factors that matter together, see chart_pairs, and the
 * share that nothing of all this explains where that is most of the variance.
 */
int chart_by(FILE *out, FILE *notes, const struct chart *,
    const struct chart_results *, struct error *);

/* A histogram in steps of 1, 2 or 5 times a power of ten. */
int chart_hist(FILE *out, FILE *notes, const struct chart *,
    const struct chart_results *, struct error *);

/*
 * The same three as scripts for gnuplot.  They return how many results are
 * drawn; for none nothing is written.
 */
size_t chart_grid_gnuplot(FILE *out, const struct chart *,
    const struct chart_results *, size_t row, size_t column);
size_t chart_by_gnuplot(
    FILE *out, const struct chart *, const struct chart_results *);
size_t chart_hist_gnuplot(
    FILE *out, const struct chart *, const struct chart_results *);

/*
 * The settings of a factor: its values in order, numbers by size, words as
 * they first appear.  Of more than most numbers those beside each other are
 * one setting, so that each has about as many results.
 */
struct chart_levels {
	size_t count;
	char **name;
	size_t *of; /* of each result its level, or CHART_NO_LEVEL */
};

#define CHART_NO_LEVEL ((size_t)-1)

/*
 * The settings of the factor with this index; a result for which it has no
 * value has no level.  Only numbers are put together: each word is a setting of
 * its own, however many there are.  chart_levels_free frees what this made.
 */
void chart_levels_make(struct chart_levels *, const struct chart_results *,
    size_t factor, size_t most);
void chart_levels_free(struct chart_levels *);

/*
 * What two factors explain together beyond what each explains alone: the share
 * of the variance between the combinations of their settings, less the shares
 * between the settings of each (their interaction; Fisher 1925).
 */
struct chart_pair {
	size_t factor[2];
	double share;  /* of the variance */
	double chance; /* the share that a pair of no effect has on average */
};

/*
 * Find the pairs of the first 64 factors that explain clearly more than chance:
 * at least 5 % of the variance and 3 standard deviations more.  Pairs with one
 * result in each combination say nothing and are left out.  With log, of the
 * logarithms.  Puts at most `most` pairs into out, those that explain the most
 * first.  Returns how many.
 */
size_t chart_pairs(
    const struct chart_results *, int log, struct chart_pair *out, size_t most);

/* What a factor explains. */
struct chart_effect {
	size_t results, levels;
	double share, chance; /* nan: nothing to explain */
	double worth;         /* by which factors are sorted */
};

/*
 * What the factor of these levels explains, as chart_by says; of the results
 * that are finite and have a level, or with log of those above 0.  With less
 * than two such levels, or with results that are all the same, there is nothing
 * to explain; worth is -INFINITY then, and where each has a level of its own.
 */
void chart_effect(struct chart_effect *, const struct chart_results *,
    const struct chart_levels *, int log);

#endif
