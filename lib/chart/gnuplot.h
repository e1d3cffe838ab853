/* What the scripts for gnuplot share. */
#ifndef STFM_CHART_GNUPLOT_H
#define STFM_CHART_GNUPLOT_H

#include <stdio.h>

#include "chart/chart.h"

/* Text in gnuplot's single quotes, in which nothing is special. */
void gnuplot_quote(FILE *out, const char *text);

/* The range of the y axis, where one was asked for, and its logarithm. */
void gnuplot_range(FILE *out, const struct chart *);

#endif
