/* The normal distribution, also far from its middle.  Private. */
#ifndef STFM_SEARCH_NORMAL_H
#define STFM_SEARCH_NORMAL_H

/* Return the probability of a value below x, and its logarithm. */
double search_normal(double x);
double search_normal_log(double x);

/* Return the logarithm of the density at x. */
double search_normal_density_log(double x);

/* Return the logarithm of the probability of a value from a to b > a. */
double search_normal_mass(double a, double b);

/* Return x such that search_normal(x) is p, 0 < p < 1. */
double search_normal_inverse(double p);

#endif
