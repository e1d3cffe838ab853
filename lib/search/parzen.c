#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "search/normal.h"
#include "search/parzen.h"

enum {
	RECENT = 25, /* points with full weight; older ones have less */
	NARROWEST = 100
};

/* A kernel of a number. */
struct kernel {
	double middle, width;
	double log_mass; /* of the kernel within the bounds */
};

struct search_parzen {
	const struct search_dim *dim;
	size_t dims, count; /* the last of count + 1 kernels is the prior */
	double *weight;
	struct kernel *kernel; /* dims for each; of choices only middle */
};

/* ---- bounds ---- */

static double
lowest(const struct search_dim *d)
{
	double low = d->kind == SEARCH_WHOLE ? d->low - 0.5 : d->low;

	return d->log ? log(low) : low;
}

static double
highest(const struct search_dim *d)
{
	double high = d->kind == SEARCH_WHOLE ? d->high + 0.5 : d->high;

	return d->log ? log(high) : high;
}

/* ---- making ---- */

/*
 * Set the weights: the last RECENT points have weight 1, the first one 1 /
 * count, those between lie on a line.  The prior has 1; all add up to 1.
 */
static void
set_weights(struct search_parzen *z)
{
	size_t ramp = z->count > RECENT ? z->count - RECENT : 0, i;
	double sum = 0, first = z->count > 0 ? 1 / (double)z->count : 0;

	for (i = 0; i <= z->count; i++) {
		z->weight[i] = 1;
		if (i < ramp)
			z->weight[i] = ramp > 1 ? first +
				(1 - first) * (double)i / (double)(ramp - 1)
						: first;
		sum += z->weight[i];
	}
	for (i = 0; i <= z->count; i++)
		z->weight[i] /= sum;
}

struct at {
	double value;
	size_t kernel;
};

static int
by_value(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

/*
 * Return the width of the i-th of the sorted points: the larger distance to its
 * neighbours.  The bounds are neighbours only of a point that is alone.
 */
static double
width_of(const struct at *at, size_t count, size_t i, double low, double high)
{
	double below = at[i].value - (i > 0 ? at[i - 1].value : low);
	double above = (i + 1 < count ? at[i + 1].value : high) - at[i].value;

	if (count >= 2 && i == 0)
		return above;
	if (count >= 2 && i + 1 == count)
		return below;
	return larger(below, above);
}

/* Make the kernels of one number, and its prior. */
static void
set_kernels(struct search_parzen *z, size_t d, const double *points)
{
	double low = lowest(&z->dim[d]), high = highest(&z->dim[d]);
	double span = high - low, least, width, value;
	struct at *at = xcalloc(z->count + 1, sizeof *at);
	struct kernel *k;
	size_t i;

	least = span /
	    (z->count + 2 < NARROWEST ? (double)(z->count + 2)
				      : (double)NARROWEST);
	for (i = 0; i < z->count; i++) {
		value = points[i * z->dims + d];
		at[i] = (struct at){z->dim[d].log ? log(value) : value, i};
	}
	qsort(at, z->count, sizeof *at, by_value);
	for (i = 0; i < z->count; i++) {
		width = width_of(at, z->count, i, low, high);
		k = &z->kernel[at[i].kernel * z->dims + d];
		k->middle = at[i].value;
		k->width = width < least ? least : width > span ? span : width;
	}
	k = &z->kernel[z->count * z->dims + d];
	k->middle = 0.5 * (low + high);
	k->width = span;
	for (i = 0; i <= z->count; i++) {
		k = &z->kernel[i * z->dims + d];
		k->log_mass = search_normal_mass((low - k->middle) / k->width,
		    (high - k->middle) / k->width);
	}
	free(at);
}

struct search_parzen *
search_parzen_new(const struct search_dim *dim, size_t dims,
    const double *points, size_t count)
{
	struct search_parzen *z = xcalloc(1, sizeof *z);
	size_t d, i;

	z->dim = dim;
	z->dims = dims;
	z->count = count;
	z->weight = xcalloc(count + 1, sizeof *z->weight);
	z->kernel = xcalloc((count + 1) * dims + 1, sizeof *z->kernel);
	set_weights(z);
	for (d = 0; d < dims; d++)
		if (dim[d].kind != SEARCH_CHOICE)
			set_kernels(z, d, points);
		else
			for (i = 0; i < count; i++)
				z->kernel[i * dims + d].middle =
				    points[i * dims + d];
	return z;
}

void
search_parzen_free(struct search_parzen *z)
{
	if (z == NULL)
		return;
	free(z->weight);
	free(z->kernel);
	free(z);
}

/* ---- densities ---- */

/* Return the share of a choice in a kernel. */
static double
choice_share(
    const struct search_parzen *z, size_t kernel, size_t d, double choice)
{
	double choices = (double)z->dim[d].choices;
	double other = 1 / (double)(z->count + 1);
	int own = z->kernel[kernel * z->dims + d].middle == choice;

	if (kernel == z->count)
		return 1 / choices;
	return (other + own) / (choices * other + 1);
}

static double
log_of_number(const struct search_dim *d, const struct kernel *k, double value)
{
	double a = value, b, z;

	if (d->kind == SEARCH_WHOLE) {
		a = d->log ? log(value - 0.5) : value - 0.5;
		b = d->log ? log(value + 0.5) : value + 0.5;
		return search_normal_mass((a - k->middle) / k->width,
			   (b - k->middle) / k->width) -
		    k->log_mass;
	}
	z = ((d->log ? log(value) : value) - k->middle) / k->width;
	return search_normal_density_log(z) - log(k->width) - k->log_mass;
}

double
search_parzen_log(const struct search_parzen *z, const double *point)
{
	double *term = xcalloc(z->count + 1, sizeof *term), most = -INFINITY,
	       sum = 0;
	size_t i, d;

	for (i = 0; i <= z->count; i++) {
		term[i] = log(z->weight[i]);
		for (d = 0; d < z->dims; d++)
			term[i] += z->dim[d].kind == SEARCH_CHOICE
			    ? log(choice_share(z, i, d, point[d]))
			    : log_of_number(&z->dim[d],
				  &z->kernel[i * z->dims + d], point[d]);
		if (term[i] > most)
			most = term[i];
	}
	for (i = 0; i <= z->count && isfinite(most); i++)
		sum += exp(term[i] - most);
	free(term);
	return isfinite(most) ? log(sum) + most : most;
}

/* ---- drawing ---- */

static double
draw_choice(const struct search_parzen *z, size_t kernel, size_t d, double unit)
{
	size_t i, last = z->dim[d].choices - 1;

	for (i = 0; i < last; i++) {
		unit -= choice_share(z, kernel, d, (double)i);
		if (unit < 0)
			break;
	}
	return (double)i;
}

static double
clip(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static double
draw_number(const struct search_dim *d, const struct kernel *k, double unit)
{
	double a = search_normal((lowest(d) - k->middle) / k->width);
	double b = search_normal((highest(d) - k->middle) / k->width);
	double p = a + unit * (b - a), value;

	value = p > 0 && p < 1 ? k->middle + k->width * search_normal_inverse(p)
			       : k->middle;
	value = clip(value, lowest(d), highest(d));
	if (d->log)
		value = exp(value);
	if (d->kind == SEARCH_WHOLE)
		value = d->low + round(value - d->low);
	return clip(value, d->low, d->high);
}

void
search_parzen_draw(
    const struct search_parzen *z, const double *unit, double *point)
{
	double at = unit[0];
	size_t i, d;

	for (i = 0; i < z->count; i++) {
		at -= z->weight[i];
		if (at < 0)
			break;
	}
	for (d = 0; d < z->dims; d++)
		point[d] = z->dim[d].kind == SEARCH_CHOICE
		    ? draw_choice(z, i, d, unit[1 + d])
		    : draw_number(
			  &z->dim[d], &z->kernel[i * z->dims + d], unit[1 + d]);
}
