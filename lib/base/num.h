/*
 * Numbers from text that people wrote, and numbers for people to read.
 * The locale plays no part: the decimal sign is always a point.
 */
#ifndef STFM_BASE_NUM_H
#define STFM_BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Read a whole number in decimal, between min and max.  Anything else in the
 * text (blanks, signs where min is 0, a fraction) is refused.
 * Returns 0, or -1 with a reason that begins with what in e and *out unchanged.
 * From INT32_MAX on, max stands for "no limit", and the reason names min alone.
 */
int num_int(const char *what, const char *text, int64_t min, int64_t max,
    int64_t *out, struct error *e);

/* Read a finite decimal number; otherwise as num_int. */
int num_real(const char *what, const char *text, double *out, struct error *e);

/*
 * Whether all of the text is a number in decimal notation; *out is its value.
 * "nan", "inf" and "infinity" in any case, with or without a sign, are numbers;
 * "", "0x10" and " 1" are not.
 */
int num_parse(const char *text, double *out);

/*
 * A number that is not negative, and less than 10^15, from as many bytes as it
 * has; nan where they are none.
 */
double num_amount(const char *text, size_t length);

/* The longest text that num_short and num_exact write, with its NUL. */
enum { NUM_TEXT = 32 };

/*
 * Write a value for people into out: digits significant digits without
 * trailing zeros, "nan", "inf" or "-inf".  Returns out.
 */
char *num_short(double value, int digits, char out[NUM_TEXT]);

/* Write the shortest text that reads back as the same value.  Returns out. */
char *num_exact(double value, char out[NUM_TEXT]);

/*
 * Write a span of seconds as Slurm does: 58:11, 1:12:40, 2-03:00:00.
 * Negative spans are written as 0:00.  Returns out.
 */
char *num_span(int64_t seconds, char out[NUM_TEXT]);

/* Write so many bytes: "213 B", "1.5 GiB".  Returns out. */
char *num_bytes(int64_t bytes, char out[NUM_TEXT]);

#endif
