/*
 * A plot is a set of learning curves that are drawn together: some metrics of
 * one run, or one metric of many runs, best first.  Or it is the best values of
 * many runs by their hyperparameters.  It is written as text or data.
 *
 * A run is the log of one training.  The caller adds the rest: whether it is a
 * task, its state and its hyperparameters.
 */
#ifndef STFM_PLOT_PLOT_H
#define STFM_PLOT_PLOT_H

#include <stdio.h>

#include "base/error.h"
#include "base/strlist.h"
#include "chart/svg.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"

/* Values computed from one or several logs. */
struct plot_made {
	struct metrics_series series;
	double *low, *high; /* around a mean: smallest and largest value */
};

struct plot_run {
	char *name;
	const char *state; /* of a task; NULL for a file */
	int training;      /* the task may still train */
	int dim;           /* drawn less visibly: a search stopped the task */
	double epochs;     /* epochs that the task trains; 0 if unknown */
	/* For each of the plot's params, NULL if missing; NULL for a file. */
	char **value;

	/*
	 * If the log was not read: the best value of the metric and the last x,
	 * nan if unknown.
	 */
	double recorded, recorded_x;

	struct strlist before; /* logs that this one continues, oldest first */

	/* The following members are set by plot_read. */
	struct metrics_header header;
	struct metrics_log *log; /* of the plot's metrics, in the same order */
	int x;                   /* column of the x axis, or METRICS_NONE */
	enum record_format format;
	uint64_t damaged; /* records left out, except rows */
	int is_cut;       /* a last row without a line end is left out */

	/* For each metric, or NULL if the values are those of the log. */
	struct plot_made *made;
	size_t members; /* number of runs of which this is the mean, or 0 */
};

enum plot_kind {
	PLOT_CURVES,
	PLOT_GRID, /* the best values over two hyperparameters */
	PLOT_BY,   /* how the best values depend on the hyperparameters */
	PLOT_HIST  /* the distribution of the best values */
};

struct plot {
	enum plot_kind kind;
	/* Two hyperparameters for a grid; for PLOT_BY some, or none for all. */
	struct strlist by;
	/* Metrics to draw; none: chosen by the first log. */
	struct strlist metric;
	int goal; /* enum metrics_goal, or METRICS_GOAL_BY_NAME */
	/* The column of the x axis, "epoch", "step", "time"; NULL: guessed. */
	const char *x;
	double at; /* draw values up to this x, or nan */
	/*
	 * Read at most about this many points of a log (metrics_log_new), or
	 * all if 0.  Means, values up to an x, smoothing, a logarithmic axis
	 * and data as output need all.
	 */
	size_t points;
	struct strlist mean; /* hyperparameters to average over */
	/* The logs are plain text; or NULL. */
	const struct record_pattern *pattern;
	/* Draw the resource usage of the tasks instead of their logs. */
	int usage;
	/* Draw the best value so far of each job against its hours. */
	int so_far;
	/* Also draw the same metric on the other data: val_loss with loss. */
	int partner;
	int alone;    /* draw a single run: its metrics in one chart */
	int is_paper; /* no option of a command can help its reader */
	size_t best;  /* draw at most this many runs, or 0 */
	char *of;     /* the job of the tasks: "conv2d" */
	double *rung; /* epochs at which its search compares the tasks */
	size_t rungs;
	struct strlist param; /* hyperparameters that distinguish the runs */
	struct plot_run *run;
	size_t runs;
	size_t merged;        /* runs before plot_merge, or 0 */
	struct strlist known; /* all hyperparameters of the tasks */

	/* Tasks that were not read because they are worse than the best. */
	size_t left;
	double left_best, left_worst; /* nan if they have no best value */
};

/*
 * Return a plot without runs that draws the same metrics in the same way; free
 * with plot_free.
 */
struct plot plot_like(const struct plot *);

/* Free the contents of a plot or a run; the plot's x belongs to the caller. */
void plot_free(struct plot *);
void plot_run_free(const struct plot *, struct plot_run *);

/* Return the goal of the metric with this number. */
static inline enum metrics_goal
plot_goal(const struct plot *p, size_t metric)
{
	return p->goal == METRICS_GOAL_BY_NAME
	    ? metrics_goal(p->metric.word[metric])
	    : (enum metrics_goal)p->goal;
}

/* Return whether the goal of a metric was given or follows from its name. */
int plot_goal_known(const struct plot *, size_t metric);

/* The source of a log: what an incomplete last line and an empty log mean. */
enum plot_source {
	PLOT_PIPE, /* the line is complete; an empty log is an error */
	PLOT_FILE, /* the line is being written; an empty log is an error */
	PLOT_TASK, /* the line is being written; a training has just begun */
	PLOT_ENDED /* the line is complete; a training wrote nothing */
};

/*
 * Read the log of a run.  Returns 0, or 1 if the training has just begun and
 * the log is empty, or -1 with the reason in e and the run without a log.
 */
int plot_read(struct plot *, struct plot_run *, int fd, enum plot_source,
    struct error *e);

/*
 * Read the log at a path, which may be a directory of event files (see
 * metrics/read-files.h).  Returns the same as plot_read.  The reason does not
 * contain the path; errno is ENOENT if it does not exist.
 */
int plot_read_path(struct plot *, struct plot_run *, const char *path,
    enum plot_source, struct error *e);

/* Return whether the log counts epochs or rows, not steps. */
int plot_counts_epochs(const struct plot_run *);

/* Return whether a run has any value of the plot's metrics. */
int plot_has_values(const struct plot *, const struct plot_run *);

/* Add a run, which then belongs to the plot. */
void plot_add(struct plot *, const struct plot_run *);

/*
 * Merge the runs that differ only in the hyperparameters of mean, after all are
 * added.  Each group becomes one run: its values are the mean where all members
 * have one, its band reaches from the smallest to the largest.  A line in notes
 * says if a mean ends before some of its members.
 *
 * Returns 0, or -1 with the reason in e for an unknown hyperparameter.
 */
int plot_merge(struct plot *, FILE *notes, struct error *e);

/* Set e to a refusal of a hyperparameter that is not in names.  Returns -1. */
int plot_no_param(
    const struct strlist *names, const char *name, struct error *e);

/*
 * Read files ("-" is standard input) and add them to the plot.  Adds messages
 * about them to notes, and the reasons why files cannot be read to failures.
 * Returns how many files cannot be read.
 */
size_t plot_add_files(struct plot *, const struct strlist *files,
    struct strlist *notes, struct strlist *failures);

/*
 * Draw the plot with the settings of look.  If its height is 0, the plot is
 * made to fit a screen of that many rows (0 if unknown).  Messages for the user
 * go to notes, one line each.  Returns 0, or -1 with the reason in e, as
 * chart_draw or for an unknown hyperparameter.
 */
int plot_draw(FILE *out, FILE *notes, const struct plot *,
    const struct chart *look, size_t screen, struct error *e);

/* The epochs of each run that plot_news has already written. */
struct plot_seen;

struct plot_seen *plot_seen_new(void);
void plot_seen_free(struct plot_seen *);

/* Write a line for each new epoch; for a new run only for its last epoch. */
void plot_news(FILE *out, const struct plot *, struct plot_seen *);

/*
 * Write count plots as TSV with a header.  Curves have a line for each value:
 * run, x, metric and value, smoothed with the factor smooth.  Best values have
 * a line for each run and metric, with the hyperparameters of all plots.
 */
void plot_tsv(FILE *out, enum plot_kind, const struct plot *, size_t count,
    double smooth);

/*
 * Write a script for gnuplot; sets *drawn to the number of curves or values in
 * it.  Returns 0, or -1 as plot_draw.
 */
int plot_gnuplot(FILE *out, const struct plot *, const struct chart *look,
    size_t *drawn, struct error *e);

/*
 * Draw a plot as SVG: a chart for each metric, or for the run that is alone.
 * Returns the same as plot_draw.
 */
int plot_svg(struct chart_svg *, const struct plot *, const struct chart *look,
    struct error *e);

/*
 * Convert an SVG file to PNG on standard output, which must be flushed, with
 * rsvg-convert or inkscape, whichever is in PATH.  Returns 0; 1 if there is
 * neither; or -1.
 */
int plot_png(const char *svg, struct error *e);

/*
 * Let gnuplot run a script of plot_gnuplot for one plot and write PNG to
 * standard output.  Returns the same as plot_png.
 */
int plot_png_gnuplot(const char *script, struct error *e);

#endif
