/*
 * The standard normal distribution (mean 0, deviation 1).  The functions stay
 * accurate far from the mean, where probabilities underflow.  Private to
 * lib/search.
 */
#ifndef STFM_SEARCH_NORMAL_H
#define STFM_SEARCH_NORMAL_H

/* Return the probability of a value below x. */
double search_normal(double x);

/* Return the logarithm of search_normal(x). */
double search_normal_log(double x);

/* Return the logarithm of the density at x. */
double search_normal_density_log(double x);

/* Return the logarithm of the probability of a value from a to b; a < b. */
double search_normal_mass(double a, double b);

/* Return x such that search_normal(x) is p, 0 < p < 1. */
double search_normal_inverse(double p);

#endif
