#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "space/decimal.h"

static const int64_t most = 1000000000000000000; /* 10^18 */

static const char *
skip_digits(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

int
decimal_is(const char *s)
{
	const char *digits;

	s += *s == '-' || *s == '+';
	digits = s;
	s = skip_digits(s);
	if (*s == '.') {
		digits = s + 1;
		s = skip_digits(digits);
	}
	if (s == digits)
		return 0;
	if (*s == 'e' || *s == 'E') {
		s += 1 + (s[1] == '-' || s[1] == '+');
		digits = s;
		s = skip_digits(s);
	}
	return s > digits && *s == '\0';
}

/* Append a digit to units.  Returns 0, or -1 if there are too many. */
static int
push(int64_t *units, int digit)
{
	if (*units > (most - digit) / 10)
		return -1;
	*units = *units * 10 + digit;
	return 0;
}

int
decimal_parse(const char *s, struct decimal *out)
{
	int64_t units = 0, places = 0;
	int negative = *s == '-', point = 0;
	long exponent;

	for (s += *s == '-' || *s == '+';
	     isdigit((unsigned char)*s) || *s == '.'; s++) {
		if (*s == '.')
			point = 1;
		else if (push(&units, *s - '0') == -1)
			return -1;
		else
			places += point;
	}
	exponent = *s == '\0' ? 0 : strtol(s + 1, NULL, 10);
	if (exponent > 1000 || exponent < -1000)
		return -1;
	for (places -= exponent; places < 0 && units != 0; places++)
		if (push(&units, 0) == -1)
			return -1;
	if (places > DECIMAL_DIGITS)
		return -1;
	out->units = negative ? -units : units;
	out->places = places < 0 ? 0 : (int)places;
	return 0;
}

int
decimal_units(const struct decimal *d, int places, int64_t *out)
{
	int64_t units = llabs(d->units);
	int i;

	for (i = d->places; i < places; i++)
		if (push(&units, 0) == -1)
			return -1;
	*out = d->units < 0 ? -units : units;
	return 0;
}

size_t
decimal_write(int64_t units, int places, char out[NUM_TEXT])
{
	char reversed[NUM_TEXT], *at = reversed + sizeof reversed;
	uint64_t left = units < 0 ? -(uint64_t)units : (uint64_t)units;
	size_t length;
	int n;

	for (n = 0; left > 0 || n <= places; n++, left /= 10) {
		if (n == places && places > 0)
			*--at = '.';
		*--at = (char)('0' + left % 10);
	}
	if (units < 0)
		*--at = '-';
	length = (size_t)(reversed + sizeof reversed - at);
	memcpy(out, at, length);
	out[length] = '\0';
	return length;
}

/* ---- ratios ---- */

char *
decimal_ratio(decimal_wide number, decimal_wide divisor, char out[NUM_TEXT])
{
	decimal_wide a = number, b = divisor, rest, limit = most / 10;
	decimal_wide scale = 1;
	struct decimal shown;
	int twos = 0, fives = 0, places, i;
	int64_t units;

	/* Euclid's algorithm leaves the greatest common divisor in a. */
	while (b != 0) {
		rest = a % b;
		a = b;
		b = rest;
	}
	number /= a < 0 ? -a : a;
	divisor /= a < 0 ? -a : a;
	snprintf(out, NUM_TEXT, "%.6g", (double)number / (double)divisor);
	/* A decimal is finite if the divisor has only the factors 2 and 5. */
	for (rest = divisor; rest % 2 == 0; rest /= 2)
		twos++;
	for (; rest % 5 == 0; rest /= 5)
		fives++;
	places = twos > fives ? twos : fives;
	if (rest != 1 || places > DECIMAL_DIGITS)
		return out;
	for (i = 0; i < places; i++)
		scale *= 10;
	scale /= divisor;
	if (number > limit / scale || number < -limit / scale)
		return out;
	units = (int64_t)(number * scale);
	if (places == 0 || decimal_parse(out, &shown) == -1 ||
	    shown.places != places || shown.units != units)
		decimal_write(units, places, out);
	return out;
}
