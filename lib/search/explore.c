#include <math.h>

#include "search/explore.h"

static const double anew = 0.25;

double
search_explore_value(
    const struct search_dim *d, int is_list, double value, const double unit[2])
{
	double up = unit[1] < 0.5 ? -1 : 1, next;

	if (unit[0] < anew)
		return NAN;
	if (d->kind == SEARCH_CHOICE)
		return value;
	if (is_list)
		next = value + up;
	else
		next = value * (1 + 0.2 * up);
	/* A whole number changes at least by 1. */
	if (d->kind == SEARCH_WHOLE && !is_list)
		next = up > 0 ? ceil(next) : floor(next);
	return fmin(fmax(next, d->low), d->high);
}
