/*
 * The tree-structured Parzen estimator (Bergstra et al. 2011), as in Optuna 5:
 * the best tenth of the trials, at most 25, have one density, all others
 * another one; of 24 points drawn from the first density, the one with the
 * largest ratio of the two is chosen.  Trials that are running count among the
 * others, so that trials that start together differ; in Optuna they do so only
 * with the option "constant liar".
 */
#ifndef STFM_SEARCH_TPE_H
#define STFM_SEARCH_TPE_H

#include "search/parzen.h"

/* A trial that a sampler learns from. */
struct search_trial {
	const double *point; /* a value for each dimension */
	/* The epoch of value; trials that came further are better. */
	int64_t reached;
	double value; /* nan is worst */
	int running;  /* it counts as bad, whatever its value is */
};

/*
 * Choose a point by count trials, oldest first; higher says that larger values
 * are better.  The choice depends on the arguments alone; seed and trial number
 * the random values.
 */
void search_tpe(const struct search_dim *, size_t dims,
    const struct search_trial *, size_t count, int higher, uint64_t seed,
    uint64_t trial, double *point);

/*
 * Return the trials with the best first, to free, and in *results how many of
 * them are not running: these come first.  Trials that came further are better;
 * nan is worst.
 */
const struct search_trial **search_ranked(
    const struct search_trial *, size_t count, int higher, size_t *results);

/* Return how many of n results are among the best: a tenth, at most 25. */
size_t search_tpe_best(size_t n);

#endif
