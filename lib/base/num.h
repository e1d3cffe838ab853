/*
 * Numbers: parse numbers that users wrote, and format numbers for people.  The
 * locale has no effect: the decimal sign is always a point.
 */
#ifndef STFM_BASE_NUM_H
#define STFM_BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Parse a decimal whole number between min and max.  Any other text (with
 * blanks, a fraction, or a sign if min is 0) is refused.  Returns 0, or -1 with
 * *out unchanged and a reason in e that starts with what.  A max of INT32_MAX
 * or more means "no limit", and the reason names only min.
 */
int num_int(const char *what, const char *text, int64_t min, int64_t max,
    int64_t *out, struct error *e);

/* Parse a finite decimal number; arguments and result are those of num_int. */
int num_real(const char *what, const char *text, double *out, struct error *e);

/*
 * Parse a number in decimal notation that ends in front of the character end.
 * "nan", "inf" and "infinity" in any case, with or without a sign, are numbers;
 * "", "0x10" and " 1" are not.  Returns the place of end, or NULL if there is
 * no number; unless end is NUL, a number has less than NUM_TEXT characters.
 */
const char *num_take(const char *text, char end, double *out);

/* Return whether the whole text is such a number, and set *out to its value. */
static inline int
num_parse(const char *text, double *out)
{
	return num_take(text, '\0', out) != NULL;
}

/*
 * Parse a number from 0 to less than 10^15 in the first length bytes of text.
 * Returns nan for any other text.
 */
double num_amount(const char *text, size_t length);

/* Size of the longest text that the functions below write, with its NUL. */
enum { NUM_TEXT = 32 };

/*
 * Write a value for people into out: digits significant digits without
 * trailing zeros, "nan", "inf" or "-inf".  Returns out.
 */
char *num_short(double value, int digits, char out[NUM_TEXT]);

/*
 * Write a value with the fewest digits that, rounded as by printf, read back as
 * the same value.  Whole numbers below 10^15 have all digits.  Returns out.
 */
char *num_exact(double value, char out[NUM_TEXT]);

/*
 * Write a time span in seconds as Slurm does: 58:11, 1:12:40, 2-03:00:00.
 * Negative spans are written as 0:00.  Returns out.
 */
char *num_span(int64_t seconds, char out[NUM_TEXT]);

/* Write a number of bytes for people: "213 B", "1.5 GiB".  Returns out. */
char *num_bytes(int64_t bytes, char out[NUM_TEXT]);

#endif
