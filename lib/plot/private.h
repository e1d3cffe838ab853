/* Declarations shared by the files of lib/plot: curves, groups and results. */
#ifndef STFM_PLOT_PRIVATE_H
#define STFM_PLOT_PRIVATE_H

#include "base/num.h"
#include "chart/svg.h"
#include "plot/plot.h"

/* One metric of one run: a line of a chart. */
struct curve {
	const struct plot_run *run;
	const char *metric;
	enum metrics_goal goal;
	const struct metrics_series *series;
	const struct plot_made *made; /* or NULL, if series is the log's */
	struct metrics_facts facts;
};

/* Return the values of a metric as they are drawn; they belong to the run. */
const struct metrics_series *plot_series(
    const struct plot_run *, size_t metric);

/*
 * Free an array of count computed curves, one for each metric, such as means.
 */
void plot_made_free(struct plot_made *, size_t count);

/* Return whether the x axis is the wall time. */
int plot_is_time(const struct plot *);

/* Write an x value for people into out.  Returns out. */
char *plot_x_text(const struct plot *, double x, char out[NUM_TEXT]);

/* Return whether a run has curves: those of its log, or computed ones. */
int plot_was_read(const struct plot_run *);

/*
 * Divide the runs into groups: runs of one job that differ in nothing but the
 * hyperparameters of p->mean are in the same group.  of[i] is set to the number
 * of run i's group.  Returns the number of groups.
 */
size_t plot_groups(const struct plot *, size_t *of);

/*
 * Return the curve of a metric of a run; metric is an index in p->metric.  It
 * points into the plot and the run.
 */
struct curve curve_of(
    const struct plot *, const struct plot_run *, size_t metric);

/* Return the best value of a curve, nan if it has none. */
double curve_best(const struct curve *);

/*
 * Put the curves of one metric of all runs into out, best first.  Returns how
 * many of them are drawn.
 */
size_t curves_of_metric(const struct plot *, size_t metric, struct curve *out);

/* Return how many of the runs are tasks of jobs, not files. */
size_t plot_count_tasks(const struct plot *);

/* Return "8 tasks of conv2d", "3 files", or both; to free. */
char *plot_nouns(const struct plot *);

/*
 * Where a plot goes.  Text goes to out, with notes in notes.  If svg is not
 * NULL, the plot goes there instead.  If drawn is not NULL, a script for
 * gnuplot goes to out instead, and the number of its values is added to *drawn.
 */
struct plot_easel {
	FILE *out, *notes;
	struct chart_svg *svg;
	size_t *drawn;
};

/* Draw the best values of each metric, with the result of plot_draw. */
int plot_results(const struct plot_easel *, const struct plot *,
    const struct chart *look, struct error *e);

/* Write the best values of count plots, in the format of plot_tsv. */
void plot_tsv_results(FILE *out, const struct plot *, size_t count);

/* Return the name of a run's x axis. */
const char *curve_x_name(const struct plot_run *);

/*
 * Choose the y axis of each metric of the plot's only run: metrics with similar
 * ranges, and training and validation of one metric, share an axis.
 */
void curves_axes(const struct plot *, struct chart_line *);

/* Return a curve as the line of a chart, without name and cells. */
struct chart_line curve_line(const struct curve *);

#endif
