/* Sparklines cell by cell, for chart_spark and for the legend. */
#ifndef STFM_CHART_SPARK_H
#define STFM_CHART_SPARK_H

#include <stddef.h>

#include "chart/chart.h"

/* The mean of some values: nan as soon as one of them is not finite. */
struct spark_cell {
	long double sum; /* of doubles, it does not overflow */
	size_t count;
};

/* One more; a cell begins as {0}. */
void spark_add(struct spark_cell *, double y);

/* What stands for the cell (one column): " " for one without values. */
const char *spark_glyph(
    const struct spark_cell *, enum cli_charset, const struct chart_range *);

/* The same for nan. */
const char *spark_nan(enum cli_charset);

#endif
