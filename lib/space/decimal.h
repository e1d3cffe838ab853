/*
 * Exact decimal numbers of at most 18 digits, for ranges: 0, 0.1, 0.2, 0.3
 * instead of floating point's 0.30000000000000004.
 */
#ifndef STFM_SPACE_DECIMAL_H
#define STFM_SPACE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/num.h"

enum { DECIMAL_DIGITS = 18 };

/* units / 10^places; |units| <= 10^18, 0 <= places <= 18. */
struct decimal {
	int64_t units;
	int places;
};

/* Return whether the whole text is a number: -1, 0.50, .5, 1e-3. */
int decimal_is(const char *text);

/*
 * Read a text for which decimal_is holds; 0.50 has two places, 5e2 has none.
 * Returns 0, or -1 if the number does not fit.
 */
int decimal_parse(const char *text, struct decimal *out);

/* Find the units of d with that many places.  Returns 0 or -1. */
int decimal_units(const struct decimal *d, int places, int64_t *out);

/* Write units / 10^places with all places into out.  Returns the length. */
size_t decimal_write(int64_t units, int places, char out[NUM_TEXT]);

/*
 * Write number / divisor (above 0) into out: exactly if it is a finite decimal
 * of at most 17 digits, else rounded to six digits.  Returns out.
 */
__extension__ typedef __int128 decimal_wide;
char *decimal_ratio(
    decimal_wide number, decimal_wide divisor, char out[NUM_TEXT]);

#endif
