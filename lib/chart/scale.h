/*
 * A scale is one axis of a chart: its ends, its ticks, and where on it a value
 * lies.  Ticks are multiples of 1, 2, 2.5 or 5 times a power of ten; on a log
 * scale 1, 2 and 5 of each decade; of times whole seconds, minutes, hours,
 * days.
 */
#ifndef STFM_CHART_SCALE_H
#define STFM_CHART_SCALE_H

#include <stddef.h>

#include "chart/chart.h"

enum { SCALE_TICKS = 64 };

struct scale {
	double low, high;
	int log, time;
	double from, span; /* what scale_at computes with */
	int decimals;      /* that tell ticks apart; less than 0: by exponent */
	size_t ticks;
	double tick[SCALE_TICKS];
};

/* What a scale is for; start from all zero. */
struct scale_wish {
	double low, high; /* finite; above 0 when log */
	int log;
	int time;                  /* values are seconds */
	int whole;                 /* values are whole numbers: so are ticks */
	int fixed_low, fixed_high; /* this end was asked for */
	size_t most;               /* ticks at most, about */
	double snap; /* move an end to a tick when that costs less than this
			part */
};

void scale_fit(struct scale *, const struct scale_wish *);

/* Where a value lies: 0 at the low end, 1 at the high end. */
double scale_at(const struct scale *, double value);

char *scale_text(const struct scale *, double tick, char out[CHART_NUMBER]);

#endif
