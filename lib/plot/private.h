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
	const struct plot_made *made; /* or NULL */
	struct metrics_facts facts;
};

/* Return the values of a metric as they are drawn; they belong to the run. */
const struct metrics_series *plot_series(
    const struct plot_run *, size_t metric);

/* Free the made values of count metrics. */
void plot_made_free(struct plot_made *, size_t count);

/* Return whether the x axis is the wall time. */
int plot_is_time(const struct plot *);

/* Write an x value for people into out.  Returns out. */
char *plot_x_text(const struct plot *, double x, char out[NUM_TEXT]);

/* Return whether a run has values, from its log or from several. */
int plot_was_read(const struct plot_run *);

/*
 * Put runs into groups that differ only in the hyperparameters of p->mean, and
 * set of to the number of each run's group.  Returns the number of groups.
 */
size_t plot_groups(const struct plot *, size_t *of);

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
 * Where a plot goes: to out as text, with notes; to svg, unless it is NULL; or,
 * if drawn is not NULL, to out as a script for gnuplot, and the number of its
 * values is added to *drawn.
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

/* Assign a shared axis to metrics of the one run that fit on one y axis. */
void curves_axes(const struct plot *, struct chart_line *);

/* Return a curve as the line of a chart, without name and cells. */
struct chart_line curve_line(const struct curve *);

#endif
