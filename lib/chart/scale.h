/*
 * A scale is one axis of a chart: its ends, its ticks, and where on it a value
 * lies.  Ticks are multiples of 1, 2, 2.5 or 5 times a power of ten.  A log
 * scale has ticks at 1, 2 and 5 of each decade, a scale of times at whole
 * seconds, minutes, hours and days.
 */
#ifndef STFM_CHART_SCALE_H
#define STFM_CHART_SCALE_H

#include <stddef.h>

#include "chart/chart.h"

enum { SCALE_TICKS = 64 };

struct scale {
	double low, high;
	int log, time;
	double from, span; /* used by scale_at */
	int decimals;      /* of ticks; if below 0, digits of chart_number */
	size_t ticks;
	double tick[SCALE_TICKS];
};

/* What a scale must show; start from all zero. */
struct scale_spec {
	double low, high; /* finite; above 0 if log */
	int log;
	int time;                  /* values are seconds */
	int whole;                 /* values and ticks are whole numbers */
	int fixed_low, fixed_high; /* the user gave this end */
	size_t most;               /* ticks at most, about */
	double snap; /* move an end to a tick if that costs less than this part
			of the span */
};

void scale_fit(struct scale *, const struct scale_spec *);

/* Return where a value lies: 0 at the low end, 1 at the high end. */
double scale_at(const struct scale *, double value);

/*
 * Return the decimals that give the smallest of count finite values so many
 * digits, or -1 if there are none, or one is limit or more, or too small.
 */
int scale_decimals(const double *value, size_t count, int digits, double limit);

/*
 * Write a value with these decimals; or with so many digits, as chart_number,
 * if decimals is -1 or the value is not finite or 1e6 or more.  Returns out.
 */
char *scale_fixed(
    double value, int decimals, int digits, char out[CHART_NUMBER]);

/* Write the text of a tick into out.  Returns out. */
char *scale_text(const struct scale *, double tick, char out[CHART_NUMBER]);

#endif
