#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "search/normal.h"
#include "search/prior.h"
#include "space/draw.h"

/* The width of a kernel, as a part of the range of a dimension. */
static const double width = 0.15;

/* ---- a kernel around a value ---- */

/* Return a value as a place from 0 to 1. */
static double
place_of(const struct search_dim *d, double value)
{
	double low = d->low, high = d->high;

	if (d->kind == SEARCH_WHOLE) {
		low -= 0.5;
		high += 0.5;
	}
	return d->log ? (log(value) - log(low)) / (log(high) - log(low))
		      : (value - low) / (high - low);
}

static double
value_at(const struct search_dim *d, double place)
{
	double low = d->low, high = d->high, value;

	if (d->kind == SEARCH_WHOLE) {
		low -= 0.5;
		high += 0.5;
	}
	value = d->log ? exp(log(low) + place * (log(high) - log(low)))
		       : low + place * (high - low);
	if (d->kind == SEARCH_WHOLE)
		value = round(value);
	return fmin(fmax(value, d->low), d->high);
}

/* Return the logarithm of the density at a value. */
static double
density(const struct search_dim *d, double middle, double value)
{
	double n = (double)d->choices, at;

	if (d->kind == SEARCH_CHOICE)
		return log(value == middle ? 0.5 + 0.5 / n : 0.5 / n);
	at = place_of(d, middle);
	return search_normal_density_log((place_of(d, value) - at) / width) -
	    search_normal_mass((0 - at) / width, (1 - at) / width);
}

/* Draw a value by a number from 0 to less than 1. */
static double
draw(const struct search_dim *d, double middle, double unit)
{
	double n = (double)d->choices, at, from, to, x;

	if (d->kind == SEARCH_CHOICE) {
		if (unit < 0.5)
			return middle;
		return floor((unit - 0.5) * 2 * n);
	}
	at = place_of(d, middle);
	from = search_normal((0 - at) / width);
	to = search_normal((1 - at) / width);
	x = search_normal_inverse(from + unit * (to - from));
	return value_at(d, fmin(fmax(at + width * x, 0), 1));
}

/* ---- guess or best trial ---- */

/*
 * Return the logarithm of the density of a trial around a point; dimensions
 * where one of them has no value count as uniform.
 */
static double
density_around(const struct search_dim *dim, size_t dims, const double *middle,
    const double *point)
{
	double sum = 0;
	size_t d;

	for (d = 0; d < dims; d++)
		if (!isnan(middle[d]) && !isnan(point[d]))
			sum += density(&dim[d], middle[d], point[d]);
		else if (dim[d].kind == SEARCH_CHOICE)
			sum -= log((double)dim[d].choices);
	return sum;
}

/*
 * Return the probability of the guess rather than the best trial: the densities
 * of the good trials around each of them, of which better trials weigh more.
 */
static double
trust(const struct search_dim *dim, size_t dims, const double *guess,
    const struct search_trial *const *best, size_t good)
{
	double guessed = 0, found = 0, weight;
	size_t i;

	for (i = 0; i < good; i++) {
		weight = (double)(good - i) / (double)good;
		guessed += weight *
		    exp(density_around(dim, dims, guess, best[i]->point));
		found += weight *
		    exp(density_around(
			dim, dims, best[0]->point, best[i]->point));
	}
	return guessed / (guessed + found);
}

static double
unit(uint64_t seed, uint64_t trial, const char *what, size_t d)
{
	char name[40];

	snprintf(name, sizeof name, "%s %zu", what, d);
	return draw_unit(draw_hash(seed, trial, name));
}

/* Near the best trial, half of the dimensions keep their value. */
static void
draw_near(const struct search_dim *dim, size_t dims, const double *middle,
    int keeps, uint64_t seed, uint64_t trial, double *point)
{
	size_t d;

	for (d = 0; d < dims; d++)
		if (isnan(middle[d]) ||
		    (keeps && unit(seed, trial, "keep", d) < 0.5))
			point[d] = middle[d];
		else
			point[d] = draw(
			    &dim[d], middle[d], unit(seed, trial, "near", d));
}

int
search_prior(const struct search_prior *p, const struct search_dim *dim,
    size_t dims, const struct search_trial *trials, size_t count, int higher,
    uint64_t seed, uint64_t trial, double *point)
{
	const struct search_trial **best;
	double trusted = 1;
	size_t results, good;

	if (p->is_first) {
		memcpy(point, p->guess, dims * sizeof *point);
		return 1;
	}
	if (unit(seed, trial, "random", 0) < 0.25)
		return 0;
	best = search_ranked(trials, count, higher, &results);
	good = results / (size_t)p->eta;
	while (good > 0 && !isfinite(best[good - 1]->value))
		good--;
	if (good > 0)
		trusted = trust(dim, dims, p->guess, best, good);
	if (unit(seed, trial, "guess", 0) < trusted)
		draw_near(dim, dims, p->guess, 0, seed, trial, point);
	else
		draw_near(dim, dims, best[0]->point, 1, seed, trial, point);
	free(best);
	return 1;
}
