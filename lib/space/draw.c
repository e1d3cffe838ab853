#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "space/draw.h"

__extension__ typedef unsigned __int128 wide;

/* Largest |z| that 53 random bits can give. */
static const double farthest = 8.6;

static const uint64_t golden = 0x9e3779b97f4a7c15;

static uint64_t
mix(uint64_t z)
{
	z += golden;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t
draw_hash(uint64_t seed, uint64_t sample, const char *name)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return mix(mix(mix(seed) ^ h) + sample * golden);
}

uint64_t
draw_below(uint64_t hash, uint64_t count)
{
	return (uint64_t)((wide)hash * count >> 64);
}

double
draw_unit(uint64_t hash)
{
	return (double)(hash >> 11) * 0x1p-53;
}

static double
standard_normal(uint64_t hash)
{
	double radius = sqrt(-2 * log(1 - draw_unit(hash)));

	return radius * cos(2 * acos(-1) * draw_unit(mix(hash)));
}

int
draw_make(struct draw *d, enum draw_kind kind, const char *a, const char *b,
    struct error *e)
{
	int whole = kind == DRAW_INT || kind == DRAW_LOGINT;
	int64_t limit =
	    kind == DRAW_INT ? 1000000000000000000 : 1000000000000000;

	d->kind = kind;
	if (whole &&
	    (num_int("", a, -limit, limit, &d->low, NULL) == -1 ||
		num_int("", b, -limit, limit, &d->high, NULL) == -1))
		return error_set(
		    e, "takes whole numbers, at most %" PRId64, limit);
	if (!whole &&
	    (num_real("", a, &d->a, NULL) == -1 ||
		num_real("", b, &d->b, NULL) == -1))
		return error_set(e, "takes finite numbers");
	if (kind == DRAW_NORMAL || kind == DRAW_LOGNORMAL) {
		if (d->b <= 0)
			return error_set(e, "needs a deviation above 0");
		if (!isfinite(fabs(d->a) + farthest * d->b) ||
		    (kind == DRAW_LOGNORMAL &&
			!isfinite(exp(d->a + farthest * d->b))))
			return error_set(e, "has values that are too large");
		return 0;
	}
	if (kind == DRAW_LOGINT && d->low < 1)
		return error_set(e, "needs a lower bound of 1 or more");
	if (kind == DRAW_LOGUNIFORM && d->a <= 0)
		return error_set(e, "needs a lower bound above 0");
	if (whole ? d->low >= d->high : d->a >= d->b)
		return error_set(e, "needs the smaller bound first");
	if (kind == DRAW_LOGUNIFORM) {
		d->log_a = log(d->a);
		d->log_b = log(d->b);
	}
	return 0;
}

static double
real(const struct draw *d, uint64_t hash)
{
	double u = draw_unit(hash);

	switch (d->kind) {
	case DRAW_UNIFORM:
		return d->a * (1 - u) + d->b * u;
	case DRAW_LOGUNIFORM:
		return exp(d->log_a * (1 - u) + d->log_b * u);
	case DRAW_NORMAL:
		return d->a + d->b * standard_normal(hash);
	case DRAW_LOGNORMAL:
		return exp(d->a + d->b * standard_normal(hash));
	case DRAW_INT:
	case DRAW_LOGINT:
	case DRAW_CHOICE:
		break; /* no real numbers */
	}
	return NAN;
}

char *
draw_write(const struct draw *d, uint64_t hash, char out[NUM_TEXT])
{
	uint64_t span = (uint64_t)(d->high - d->low) + 1;
	double from, to;
	int64_t n;

	if (d->kind == DRAW_INT) {
		n = d->low + (int64_t)draw_below(hash, span);
	} else if (d->kind == DRAW_LOGINT) {
		/* The logarithm is uniform; n stands for [n, n + 1). */
		from = log((double)d->low);
		to = log((double)d->high + 1);
		n = (int64_t)floor(exp(from + (to - from) * draw_unit(hash)));
		n = n < d->low ? d->low : n > d->high ? d->high : n;
	} else {
		return num_short(real(d, hash), 6, out);
	}
	snprintf(out, NUM_TEXT, "%" PRId64, n);
	return out;
}
