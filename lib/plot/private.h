/* What the files of a plot share with each other. */
#ifndef STFM_PLOT_PRIVATE_H
#define STFM_PLOT_PRIVATE_H

#include "plot/plot.h"

/* One line of a chart: one metric of one run. */
struct curve {
	const struct plot_run *run;
	const char *metric;
	enum metrics_goal goal;
	const struct metrics_series *series;
	const struct plot_made *made; /* or NULL */
	struct metrics_facts facts;
};

/* The values of a metric as they are to be drawn. */
const struct metrics_series *plot_series(
    const struct plot_run *, size_t metric);

/* Free what was made of so many metrics. */
void plot_made_free(struct plot_made *, size_t count);

/* Make of a run what is to be drawn of it: times from 0, values up to at. */
void plot_shape(const struct plot *, struct plot_run *);

/* Whether the x axis is the wall time. */
int plot_is_time(const struct plot *);

/*
 * Number the groups of runs in which all but the hyperparameters of mean are
 * the same, for each run into of.  Returns how many there are.
 */
size_t plot_groups(const struct plot *, size_t *of);

struct curve curve_of(
    const struct plot *, const struct plot_run *, size_t metric);

/* nan when it has none. */
double curve_best(const struct curve *);

/*
 * Put one metric of all runs into out, the best first.  Returns how many of
 * them are to be drawn.
 */
size_t curves_of_metric(const struct plot *, size_t metric, struct curve *out);

/* How many of the runs are tasks of jobs; the others are files. */
size_t plot_count_tasks(const struct plot *);

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

/* Say which metrics of the one run can be read on one y axis. */
void curves_axes(const struct plot *, struct chart_line *);

/* The line of a chart, which has neither a name nor cells yet. */
struct chart_line curve_line(const struct curve *);

#endif
