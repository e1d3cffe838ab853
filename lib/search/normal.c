#include <float.h>
#include <math.h>

#include "search/normal.h"

/* Below this the probability is taken from its asymptotic series. */
static const double far = -20;

static const double root_half = 0.70710678118654752440;
static const double log_root_two_pi = 0.91893853320467274178;

double
search_normal(double x)
{
	return 0.5 * erfc(-x * root_half);
}

double
search_normal_density_log(double x)
{
	return -0.5 * x * x - log_root_two_pi;
}

double
search_normal_log(double x)
{
	double sum = 1, before = 0, term = 1;
	int i;

	if (x > 6)
		return log1p(-search_normal(-x));
	if (x > far)
		return log(search_normal(x));
	/* Abramowitz and Stegun 26.2.12. */
	for (i = 1; fabs(before - sum) > DBL_EPSILON; i++) {
		before = sum;
		term *= -(2 * i - 1) / (x * x);
		sum += term;
	}
	return search_normal_density_log(x) - log(-x) + log(sum);
}

double
search_normal_mass(double a, double b)
{
	double high, low;

	if (a <= 0 && b > 0)
		return log1p(-search_normal(a) - search_normal(-b));
	/* Both are on one side: the left one is exact. */
	high = search_normal_log(b <= 0 ? b : -a);
	low = search_normal_log(b <= 0 ? a : -b);
	return high + log1p(-exp(low - high));
}

/* Bisection, then Newton's method; it is called for 24 points at a time. */
double
search_normal_inverse(double p)
{
	double low = -40, high = 40, x = 0, step;
	int i;

	for (i = 0; i < 30; i++) {
		x = low + (high - low) / 2;
		if (search_normal(x) < p)
			low = x;
		else
			high = x;
	}
	for (i = 0; i < 4; i++) {
		step =
		    (search_normal(x) - p) * exp(0.5 * x * x + log_root_two_pi);
		if (!isfinite(step))
			break;
		x -= step;
	}
	return x;
}
