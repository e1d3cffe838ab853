#include <stdio.h>

#include "search/halton.h"
#include "space/draw.h"

enum { BASE_MOST = 71 };

static const unsigned char bases[SEARCH_HALTON_DIMS] = {2, 3, 5, 7, 11, 13, 17,
    19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, BASE_MOST};

/* Return the digit in the place of digit, in a permutation of all digits. */
static unsigned char
permuted(uint64_t seed, unsigned char base, int position, uint64_t digit)
{
	unsigned char digits[BASE_MOST] = {0}, other;
	char name[32];
	uint64_t k;
	int i;

	snprintf(name, sizeof name, "halton %d %d", base, position);
	for (i = 0; i < base; i++)
		digits[i] = (unsigned char)i;
	for (i = base - 1; i > 0; i--) {
		k = draw_below(
		    draw_hash(seed, (uint64_t)i, name), (uint64_t)i + 1);
		other = digits[i];
		digits[i] = digits[k];
		digits[k] = other;
	}
	return digits[digit];
}

double
search_halton(uint64_t seed, uint64_t index, size_t dim)
{
	unsigned char base = bases[dim];
	double weight = 1, value = 0;
	int position;

	/* Zeros before the first digit are permuted, too. */
	for (position = 0; weight > 0x1p-53; position++) {
		weight /= base;
		value += weight * permuted(seed, base, position, index % base);
		index /= base;
	}
	return value < 1 ? value : 0x1.fffffffffffffp-1;
}
