#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

int
num_int(const char *what, const char *text, int64_t min, int64_t max,
    int64_t *out, struct error *e)
{
	const char *digits = text + (*text == '-' && min < 0), *between = " ";
	size_t all = strlen(what), length = strlen(text);
	intmax_t value;
	char *end;

	errno = 0;
	value = strtoimax(text, &end, 10);
	if (!isdigit((unsigned char)*digits) || *end != '\0')
		return error_set(
		    e, "%s: '%s' is not a whole number", what, text);
	if (errno != ERANGE && value >= min && value <= max) {
		*out = value;
		return 0;
	}
	if (max < INT32_MAX) /* otherwise no user reaches the limit */
		return error_set(e,
		    "%s: %s is not between %" PRId64 " and %" PRId64, what,
		    text, min, max);
	if (all >= length && strcmp(what + all - length, text) == 0)
		text = between = ""; /* what already ends in the text */
	if (value < min)
		return error_set(e,
		    "%s%s%s: write a number from %" PRId64 " on", what, between,
		    text, min);
	return error_set(e, "%s%s%s: too large (at most %" PRId64 ")", what,
	    between, text, max);
}

/* The powers of ten that are exact doubles. */
static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
    1e22};

/*
 * Parse a number of at most 15 digits up to the character end, the usual case
 * in training logs: both the digits and the power of ten are exact doubles, so
 * one division rounds like strtod.  Returns its end, or NULL for any other
 * text.
 */
static inline const char *
parse_short(const char *text, char end, double *out)
{
	const char *start = text + (*text == '-' || *text == '+'), *s = start;
	ptrdiff_t count, fraction = 0;
	uint64_t digits = 0;
	unsigned digit;
	double value;

	for (; (digit = (unsigned)*s - '0') <= 9; s++)
		digits = digits * 10 + digit;
	count = s - start;
	if (*s == '.') {
		start = ++s;
		for (; (digit = (unsigned)*s - '0') <= 9; s++)
			digits = digits * 10 + digit;
		fraction = s - start;
		count += fraction;
	}
	if (*s != end || count < 1 || count > 15 || FLT_EVAL_METHOD != 0)
		return NULL;
	value = (double)(int64_t)digits;
	if (fraction > 0)
		value /= power[fraction];
	*out = *text == '-' ? -value : value;
	return s;
}

/* Parse any number.  Not inlined, so that parse_short stays fast. */
__attribute__((noinline)) static int
parse_long(const char *text, double *out)
{
	const char *digits = text + (*text == '-' || *text == '+');
	double value;
	char *end;

	/* strtod also accepts hexadecimal numbers and nan(...). */
	if (strspn(text, "0123456789+-.eE") != strlen(text) &&
	    ascii_casecmp(digits, "nan") != 0 &&
	    ascii_casecmp(digits, "inf") != 0 &&
	    ascii_casecmp(digits, "infinity") != 0)
		return 0;
	value = strtod(text, &end);
	if (end == text || *end != '\0')
		return 0;
	*out = value;
	return 1;
}

/* As num_take, for any number. */
__attribute__((noinline)) static const char *
take_long(const char *text, char end, double *out)
{
	char copy[NUM_TEXT];
	size_t length = 0;

	if (end == '\0')
		return parse_long(text, out) ? text + strlen(text) : NULL;
	while (
	    text[length] != end && text[length] != '\0' && length < sizeof copy)
		length++;
	if (text[length] != end || length == sizeof copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return parse_long(copy, out) ? text + length : NULL;
}

const char *
num_take(const char *text, char end, double *out)
{
	const char *at = parse_short(text, end, out);

	return at != NULL ? at : take_long(text, end, out);
}

int
num_real(const char *what, const char *text, double *out, struct error *e)
{
	double value;

	if (!num_parse(text, &value) || !isfinite(value))
		return error_set(e, "%s: '%s' is not a number", what, text);
	*out = value;
	return 0;
}

double
num_amount(const char *text, size_t length)
{
	char room[NUM_TEXT];
	double value;

	if (length >= sizeof room)
		return NAN;
	memcpy(room, text, length);
	room[length] = '\0';
	return num_parse(room, &value) && value >= 0 && value < 1e15 ? value
								     : NAN;
}

static char *
not_finite(double value, char out[NUM_TEXT])
{
	const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";

	snprintf(out, NUM_TEXT, "%s", word);
	return out;
}

/*
 * Find the first digits of a positive number, rounded, and the exponent of the
 * first one.  The number is multiplied or divided by one exact power of ten, so
 * the error is far below the margin.  Returns 0 if the rounding is in doubt or
 * the number is very large or small.
 */
static int
round_digits(double value, int digits, uint64_t *out, int *exponent)
{
	const double margin = 1e-5;
	double scaled, rest;
	int two, ten, shift;

	frexp(value, &two);
	ten = (int)floor((two - 1) * 0.30103) + 1;
	for (;; ten--) { /* it may be one too large */
		shift = digits - 1 - ten;
		if (shift > 22 || shift < -22)
			return 0;
		scaled =
		    shift >= 0 ? value * power[shift] : value / power[-shift];
		if (scaled >= power[digits - 1])
			break;
	}
	*out = (uint64_t)scaled;
	rest = scaled - (double)*out;
	if (fabs(rest - 0.5) < margin)
		return 0;
	*out += rest > 0.5;
	*exponent = ten;
	if ((double)*out < power[digits])
		return 1;
	*out /= 10;
	++*exponent;
	return 1;
}

/* Write these digits of a number as "%.*g" does, without zeros at the end. */
static void
write_digits(
    int is_negative, uint64_t n, int exponent, int digits, char out[NUM_TEXT])
{
	int has_exponent, whole, i, count = digits;
	char text[17] = "";

	for (i = digits; i-- > 0; n /= 10)
		text[i] = (char)('0' + n % 10);
	while (count > 1 && text[count - 1] == '0')
		count--;
	has_exponent = exponent < -4 || exponent >= digits;
	whole = has_exponent ? 1 : exponent + 1; /* digits before the point */
	if (is_negative)
		*out++ = '-';
	if (whole <= 0)
		*out++ = '0';
	for (i = whole < 0 ? whole : 0; i < count || i < whole; i++) {
		if (i == whole)
			*out++ = '.';
		*out++ = i >= 0 && i < count ? text[i] : '0';
	}
	*out = '\0';
	if (has_exponent)
		snprintf(out, 16, "e%+03d", exponent);
}

/* Write what "%.*g" writes, for 1 to 9 digits.  Returns 0 if it did not. */
static int
write_short(double value, int digits, char out[NUM_TEXT])
{
	uint64_t n;
	int exponent;

	if (value == 0 || !round_digits(fabs(value), digits, &n, &exponent))
		return 0;
	write_digits(value < 0, n, exponent, digits, out);
	return 1;
}

/*
 * Find the first 15 to 17 digits of a positive number, rounded exactly, and the
 * exponent of the first one: the error of one product is known exactly.
 * Returns 0 if one product is not enough.
 */
static int
exact_digits(double value, int digits, uint64_t *out, int *exponent)
{
	const double margin = 1e-9;
	double product, error, rest;
	int two, ten, shift;

	frexp(value, &two);
	ten = (int)floor((two - 1) * 0.30103) + 1;
	for (;; ten--) { /* it may be one too large */
		shift = digits - 1 - ten;
		if (shift < 0 || shift > 22 || FLT_EVAL_METHOD != 0)
			return 0;
		product = value * power[shift];
		if (product > power[digits - 1])
			break;
	}
	error = fma(value, power[shift], -product);
	*out = (uint64_t)product;
	rest = product - (double)*out + error;
	if (fabs(rest - floor(rest) - 0.5) < margin)
		return 0;
	*out += (uint64_t)(int64_t)floor(rest + 0.5);
	*exponent = ten;
	return (double)*out < power[digits];
}

/*
 * Write a number with as many digits, from 15 to 17, as reproduce it.  Returns
 * 0 if it did not.
 */
static int
write_exact(double value, char out[NUM_TEXT])
{
	double size = fabs(value);
	int digits, exponent;
	uint64_t n;

	for (digits = 15; exact_digits(size, digits, &n, &exponent); digits++) {
		/* The quotient of two exact doubles rounds like strtod. */
		if (digits == 17 ||
		    (n < (uint64_t)1 << 53 &&
			(double)n / power[digits - 1 - exponent] == size)) {
			write_digits(value < 0, n, exponent, digits, out);
			return 1;
		}
		if (n >= (uint64_t)1 << 53)
			return 0;
	}
	return 0;
}

/* Write a whole number. */
static void
write_whole(int64_t value, char out[NUM_TEXT])
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[20];
	int count = 0;

	do
		digits[count++] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*out++ = '-';
	while (count > 0)
		*out++ = digits[--count];
	*out = '\0';
}

char *
num_short(double value, int digits, char out[NUM_TEXT])
{
	if (!isfinite(value))
		return not_finite(value, out);
	if (digits > 17)
		digits = 17;
	if (digits < 1 || digits > 9 || !write_short(value, digits, out))
		snprintf(out, NUM_TEXT, "%.*g", digits, value);
	return out;
}

char *
num_exact(double value, char out[NUM_TEXT])
{
	int digits;

	if (!isfinite(value))
		return not_finite(value, out);
	if (value == trunc(value) && fabs(value) < 1e15 &&
	    (value != 0 || !signbit(value))) {
		write_whole((int64_t)value, out);
		return out;
	}
	if (write_exact(value, out))
		return out;
	/* 15 digits reproduce any number that was written with at most 15. */
	digits = fabs(value) < DBL_MIN ? 1 : 15;
	for (; digits <= 17; digits++) {
		snprintf(out, NUM_TEXT, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return out;
}

char *
num_span(int64_t seconds, char out[NUM_TEXT])
{
	int64_t days, hours, minutes;

	if (seconds < 0)
		seconds = 0;
	days = seconds / 86400;
	hours = seconds / 3600 % 24;
	minutes = seconds / 60 % 60;
	seconds %= 60;
	if (days > 0)
		snprintf(out, NUM_TEXT, "%" PRId64 "-%02d:%02d:%02d", days,
		    (int)hours, (int)minutes, (int)seconds);
	else if (hours > 0)
		snprintf(out, NUM_TEXT, "%d:%02d:%02d", (int)hours,
		    (int)minutes, (int)seconds);
	else
		snprintf(out, NUM_TEXT, "%d:%02d", (int)minutes, (int)seconds);
	return out;
}

char *
num_bytes(int64_t bytes, char out[NUM_TEXT])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double size = (double)bytes;
	char number[NUM_TEXT];
	size_t i = 0;

	for (; size >= 1024 && i < 4; i++)
		size /= 1024;
	num_short(size, size < 1000 ? 3 : 4, number);
	snprintf(out, NUM_TEXT, "%.20s %s", number, units[i]);
	return out;
}
