/*
 * A prior: points near the user's guess of a good point.  The scheme is that of
 * PriorBand (Mallik et al. 2023): some of the points are random.  The others
 * are near the guess at first; once there are results, they are near the guess
 * or near the best trial, depending on which of the two explains the best
 * trials better.  So a bad guess loses its influence.
 *
 * Differences: a quarter of the points are random instead of half, kernels have
 * a width of 0.15 of the range instead of 0.25 (a good guess then saves more,
 * and a bad one still costs nothing: see bench/search.py), and results of all
 * rungs count, ranked as in TPE.
 */
#ifndef STFM_SEARCH_PRIOR_H
#define STFM_SEARCH_PRIOR_H

#include "search/tpe.h"

struct search_prior {
	const double *guess; /* a value for each dimension; nan: none */
	int64_t eta;         /* the best 1/eta of the trials are good ones */
	int is_first;        /* choose the guess itself */
};

/*
 * Choose the point of a trial.  Returns 0 if it is to be random; otherwise sets
 * each dimension of point, to nan where it is to be random.  The choice depends
 * on the arguments alone.
 */
int search_prior(const struct search_prior *, const struct search_dim *,
    size_t dims, const struct search_trial *, size_t count, int higher,
    uint64_t seed, uint64_t trial, double *point);

#endif
