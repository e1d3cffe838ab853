/*
 * A Parzen estimator: a density over points.  It is a mixture of one kernel
 * around each of some points and of a prior that is spread over the whole space
 * (Bergstra et al. 2011; multivariate as in Falkner et al. 2018).
 *
 * The kernel of a real number is a normal distribution that is cut off at the
 * bounds.  Its width is the larger distance to the neighbouring points.  The
 * kernel of a whole number is the same, and a number has the mass from half a
 * unit below it to half a unit above.  The kernel of a choice gives each choice
 * the weight 1 / (n + 1), where n is the number of points, and 1 more to the
 * choice of its point; the weights are divided by their sum.
 *
 * Kernels and weights are those of Optuna 5; the densities agree within 1e-9.
 */
#ifndef STFM_SEARCH_PARZEN_H
#define STFM_SEARCH_PARZEN_H

#include <stddef.h>
#include <stdint.h>

enum search_kind {
	SEARCH_REAL,  /* a number from low to high */
	SEARCH_WHOLE, /* a whole number from low to high */
	SEARCH_CHOICE /* a whole number from 0 to choices - 1 */
};

/* A hyperparameter as a sampler sees it. */
struct search_dim {
	enum search_kind kind;
	double low, high;
	int log; /* on a logarithmic scale; low is above 0 */
	size_t choices;
};

struct search_parzen;

/*
 * Return the estimator of count points, oldest first, each with a value for
 * each of the dims.  dim must outlive the estimator.  Free with
 * search_parzen_free.
 */
struct search_parzen *search_parzen_new(const struct search_dim *dim,
    size_t dims, const double *points, size_t count);
void search_parzen_free(struct search_parzen *);

/* Return the logarithm of the density at a point. */
double search_parzen_log(const struct search_parzen *, const double *point);

/*
 * Draw a point from the density.  unit has 1 + dims random numbers from 0 to
 * less than 1, which determine the point.  point gets a value for each dim;
 * real numbers are within their bounds.
 */
void search_parzen_draw(
    const struct search_parzen *, const double *unit, double *point);

#endif
