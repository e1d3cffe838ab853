/*
 * Quasi-random numbers: the sequence of Halton (1960), which covers a space
 * more evenly than random numbers do.  Its digits are permuted at random (Owen
 * 2017), because the plain sequence is poor in more than a few dimensions.
 */
#ifndef STFM_SEARCH_HALTON_H
#define STFM_SEARCH_HALTON_H

#include <stddef.h>
#include <stdint.h>

enum { SEARCH_HALTON_DIMS = 20 };

/*
 * Return number index of dimension dim, which is below SEARCH_HALTON_DIMS, in
 * the sequence of this seed: from 0 to less than 1.
 */
double search_halton(uint64_t seed, uint64_t index, size_t dim);

#endif
