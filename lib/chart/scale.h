/*
 * A scale is one axis of a chart: its ends, its ticks, and the positions of
 * values on it.  Ticks are multiples of 1, 2, 2.5 or 5 times a power of ten.  A
 * log scale has ticks at 1, 2 and 5 of each decade, a scale of times at whole
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
	int decimals;      /* of the texts of ticks; -4: 4 significant digits */
	size_t ticks;
	double tick[SCALE_TICKS];
};

/* The requirements for a scale; start from all zero. */
struct scale_spec {
	double low, high; /* finite; above 0 if log */
	int log;
	int time;                  /* values are seconds */
	int whole;                 /* values and ticks are whole numbers */
	int fixed_low, fixed_high; /* the user gave this end */
	size_t most;               /* approximate maximum number of ticks */
	/* Move an end to a tick if less than this part becomes empty. */
	double snap;
};

/* Set a scale, and its ticks, by its requirements. */
void scale_fit(struct scale *, const struct scale_spec *);

/* Return the position of a value: 0 at the low end, 1 at the high end. */
double scale_at(const struct scale *, double value);

/*
 * Return the number of decimals with which the smallest of count finite values
 * has this many significant digits.  Returns -1 if no number of decimals suits
 * them all: if one of them is limit or more, or needs too many decimals, or if
 * count is 0.
 */
int scale_decimals(const double *value, size_t count, int digits, double limit);

/*
 * Write a value with that many decimals.  If decimals is -1, or the value is
 * not finite or 1e6 or more, write it like chart_number with that many digits.
 * Returns out.
 */
char *scale_fixed(
    double value, int decimals, int digits, char out[CHART_NUMBER]);

/* Write the text of a tick into out.  Returns out. */
char *scale_text(const struct scale *, double tick, char out[CHART_NUMBER]);

#endif
