/*
 * Random values.  A draw is a hash of the seed, the number of the sample and
 * the name of the hyperparameter, and of nothing else: more samples or another
 * hyperparameter do not change the earlier draws.
 *
 * The name is hashed with 64-bit FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv);
 * mixing is the output function of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014, with Vigna's
 * constants).  Normal values come from two uniform values by the transform of
 * Box and Muller (1958).
 */
#ifndef STFM_SPACE_DRAW_H
#define STFM_SPACE_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"

enum draw_kind {
	DRAW_UNIFORM,
	DRAW_LOGUNIFORM,
	DRAW_INT,
	DRAW_LOGINT,
	DRAW_NORMAL,
	DRAW_LOGNORMAL,
	DRAW_CHOICE /* the caller has the values */
};

/* A distribution of numbers. */
struct draw {
	enum draw_kind kind;
	double a, b;         /* bounds, or mean and deviation */
	double log_a, log_b; /* of the bounds, for DRAW_LOGUNIFORM */
	int64_t low, high;   /* bounds of whole numbers */
};

/*
 * Make a distribution from its two numbers.  Returns 0, or -1 with its
 * requirement in e: "needs a lower bound above 0".
 */
int draw_make(struct draw *, enum draw_kind, const char *a, const char *b,
    struct error *e);

/* Return 64 random bits that depend only on seed, sample and name. */
uint64_t draw_hash(uint64_t seed, uint64_t sample, const char *name);

/* Return a number from 0 to less than 1. */
double draw_unit(uint64_t hash);

/* Return a whole number from 0 to count - 1. */
uint64_t draw_below(uint64_t hash, uint64_t count);

/* Write a number: whole, or with six digits.  Returns out. */
char *draw_write(const struct draw *, uint64_t hash, char out[NUM_TEXT]);

#endif
