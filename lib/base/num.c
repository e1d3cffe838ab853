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

/*
 * Parse a number of at most 15 digits, the usual case in training logs: both
 * the digits and the power of ten are exact doubles, so one division rounds
 * like strtod.  Returns 0 for any other text.
 */
static int
parse_short(const char *text, double *out)
{
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
	    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
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
	if (*s != '\0' || count < 1 || count > 15 || FLT_EVAL_METHOD != 0)
		return 0;
	value = (double)(int64_t)digits;
	if (fraction > 0)
		value /= power[fraction];
	*out = *text == '-' ? -value : value;
	return 1;
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

int
num_parse(const char *text, double *out)
{
	return parse_short(text, out) || parse_long(text, out);
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

char *
num_short(double value, int digits, char out[NUM_TEXT])
{
	if (!isfinite(value))
		return not_finite(value, out);
	if (digits > 17)
		digits = 17;
	snprintf(out, NUM_TEXT, "%.*g", digits, value);
	return out;
}

char *
num_exact(double value, char out[NUM_TEXT])
{
	int digits;

	if (!isfinite(value))
		return not_finite(value, out);
	if (value == trunc(value) && fabs(value) < 1e15) {
		snprintf(out, NUM_TEXT, "%.0f", value);
		return out;
	}
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
