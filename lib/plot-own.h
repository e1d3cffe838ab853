/* What the files of a plot share with each other. */
#ifndef STFM_PLOT_OWN_H
#define STFM_PLOT_OWN_H

#include "plot.h"

/* One line of a chart: one metric of one run. */
struct curve {
	const struct plot_run *run;
	const char *metric;
	enum metrics_goal goal;
	const struct metrics_series *series;
	struct metrics_facts facts;
};

struct curve curve_of(
    const struct plot *, const struct plot_run *, size_t metric);

/* nan when it has none. */
double curve_best(const struct curve *);

/*
 * Put one metric of all runs into out, the best first.  Returns how many of
 * them are to be drawn.
 */
size_t curves_of_metric(const struct plot *, size_t metric, struct curve *out);

/* "8 tasks of conv2d", "3 files", or both; to free. */
char *plot_nouns(const struct plot *);

/* The best values of the runs: drawn, as data, for gnuplot. */
int plot_draw_results(FILE *out, FILE *notes, const struct plot *,
    const struct chart *look, struct error *e);
void plot_tsv_results(FILE *out, const struct plot *, size_t count);
int plot_gnuplot_results(FILE *out, const struct plot *,
    const struct chart *look, size_t *drawn, struct error *e);

/* What the x axis of a run is called. */
const char *curve_x_name(const struct plot_run *);

/* The line of a chart, which has neither a name nor cells yet. */
struct chart_line curve_line(const struct curve *);

#endif
