/*
 * A Parzen estimator: a density over points, the mixture of a kernel around
 * each of some points and of a prior that is spread over the whole space
 * (Bergstra et al. 2011; multivariate as in Falkner et al. 2018).
 *
 * The kernel of a number is a normal distribution cut off at the bounds; its
 * width is the larger distance to the neighbouring points.  A whole number has
 * the mass of its kernel between half a unit below and above.  The kernel of a
 * choice puts 1 / (n + 1) on each choice, and 1 on its own.  All of this, and
 * the weights, is as in Optuna 5; the densities agree within 1e-9.
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
 * Draw a point from the density, by 1 + dims numbers from 0 to less than 1.
 * Real numbers are within their bounds.
 */
void search_parzen_draw(
    const struct search_parzen *, const double *unit, double *point);

#endif
