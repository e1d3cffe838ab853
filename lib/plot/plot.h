/*
 * A plot is a set of learning curves that are drawn together: some metrics of
 * one run, or one metric of many runs, the best first.  Or it is the best
 * values of many runs by their hyperparameters.  It is written as text or data.
 *
 * A run is the log of one training.  The caller adds the rest: whether it is a
 * task, its state and its hyperparameters.
 */
#ifndef STFM_PLOT_PLOT_H
#define STFM_PLOT_PLOT_H

#include <stdio.h>

#include "base/error.h"
#include "base/strlist.h"
#include "chart/chart.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"

/* Values that were computed from those of one log or several. */
struct plot_made {
	struct metrics_series series;
	double *low, *high; /* around a mean, from the least to the most */
};

struct plot_run {
	char *name;
	const char *state; /* of a task; NULL for a file */
	int training;      /* a task that may go on */
	double epochs;     /* that a task trains, or 0 if unknown */
	char **value;      /* for each of the plot's params, NULL if the task
			      has none; NULL for a file */

	/* If the log was not read: the best value of the metric and the last
	 * x, nan if unknown. */
	double recorded, recorded_x;

	struct strlist before; /* logs that this one continues, oldest first */

	/* Set by plot_read. */
	struct metrics_header header;
	struct metrics_log *log; /* of the plot's metrics, in their order */
	int x;                   /* column, or METRICS_NONE */
	enum record_format format;
	uint64_t damaged; /* records left out, except those in rows */

	/* For each metric, if the values are not those of the log; or NULL. */
	struct plot_made *made;
	size_t members; /* runs of which this is the mean, or 0 */
};

enum plot_kind {
	PLOT_CURVES,
	PLOT_GRID, /* the best values over two hyperparameters */
	PLOT_BY,   /* what hyperparameters explain of the best values */
	PLOT_HIST  /* how the best values are distributed */
};

struct plot {
	enum plot_kind kind;
	struct strlist by;     /* hyperparameters: two for a grid; those to draw
				for PLOT_BY, or none for all */
	struct strlist metric; /* to draw; none: chosen by the first log */
	int goal;              /* enum metrics_goal, or METRICS_GOAL_BY_NAME */
	const char *x;         /* the column to draw along, "epoch", "step",
				  "time"; NULL: guessed */
	double at;             /* draw values up to this x, or nan */
	struct strlist mean;   /* hyperparameters to average over */
	const struct record_pattern *pattern; /* logs are text, or NULL */
	int usage;   /* draw the use of the tasks' machines, not their logs */
	int partner; /* add the same metric of the other kind: val_loss has
			loss */
	int alone;   /* one run was asked for: its metrics in one chart */
	size_t best; /* draw at most this many runs, or 0 */
	char *of;    /* the job of the tasks: "conv2d" */
	struct strlist param; /* hyperparameters that tell runs apart */
	struct plot_run *run;
	size_t runs;
	size_t merged;        /* runs before plot_merge, or 0 */
	struct strlist known; /* all hyperparameters of the tasks */

	/* Tasks whose logs were not read as they are worse than the best. */
	size_t left;
	double left_best, left_worst; /* nan if they have no best value */
};

/* Return a plot without runs that draws the same; free with plot_free. */
struct plot plot_like(const struct plot *);

/* Free what a plot or a run holds; the plot's x belongs to the caller. */
void plot_free(struct plot *);
void plot_run_free(const struct plot *, struct plot_run *);

/* Return the goal of a metric, given by its number. */
enum metrics_goal plot_goal(const struct plot *, size_t metric);

/* Return whether that goal was given or follows from the metric's name. */
int plot_goal_known(const struct plot *, size_t metric);

/* How to take a last line without a line end, and an empty log. */
enum plot_source {
	PLOT_PIPE, /* as a line; as an error */
	PLOT_FILE, /* as still being written; as an error */
	PLOT_TASK, /* as still being written; as a training that just began */
	PLOT_ENDED /* as a line; as a training that wrote nothing */
};

/*
 * Read the log of a run.  Returns 0, or 1 if the training has just begun and
 * the log is empty, or -1 with the reason in e and the run without a log.
 */
int plot_read(struct plot *, struct plot_run *, int fd, enum plot_source,
    struct error *e);

/*
 * Read the log at a path, which may be a directory of event files (see
 * metrics/read-files.h).  Returns as plot_read.  The reason does not name the
 * path; errno is ENOENT if it does not exist.
 */
int plot_read_path(struct plot *, struct plot_run *, const char *path,
    enum plot_source, struct error *e);

/* Return whether the log counts epochs or rows, not steps. */
int plot_counts_epochs(const struct plot_run *);

/* Return whether a run has any value of the metrics. */
int plot_has_values(const struct plot *, const struct plot_run *);

/* Add a run, which belongs to the plot then. */
void plot_add(struct plot *, const struct plot_run *);

/*
 * Merge the runs that differ only in the hyperparameters of mean, after all are
 * added.  Each group becomes one run: its values are the mean where all members
 * have one, its band goes from the least to the most.  A line to notes says if
 * a mean ends before some of its members.
 * Returns 0, or -1 with the reason in e for an unknown hyperparameter.
 */
int plot_merge(struct plot *, FILE *notes, struct error *e);

/* Refuse a hyperparameter that is not among the names; returns -1. */
int plot_no_param(
    const struct strlist *names, const char *name, struct error *e);

/*
 * Read files, "-" is standard input, and add them to the plot.  Notes on them,
 * also on files that cannot be read, are added to notes.  Returns how many
 * files cannot be read.
 */
size_t plot_add_files(
    struct plot *, const struct strlist *files, struct strlist *notes);

/*
 * Draw the plot as look says.  A height of 0 suits a screen of so many rows (0
 * if unknown).  Notes for the reader go to notes, one line each.
 * Returns 0, or -1 as chart_draw or for an unknown hyperparameter.
 */
int plot_draw(FILE *out, FILE *notes, const struct plot *,
    const struct chart *look, size_t screen, struct error *e);

/* The epochs of each run that were written before. */
struct plot_seen;

struct plot_seen *plot_seen_new(void);
void plot_seen_free(struct plot_seen *);

/* Write a line for each new epoch; for a new run only its last epoch. */
void plot_news(FILE *out, const struct plot *, struct plot_seen *);

/*
 * Write count plots as TSV with a header.  Curves have a line for each value:
 * run, x, metric and value, smoothed by that factor.  Best values have a line
 * for each run and metric, with the hyperparameters of all plots.
 */
void plot_tsv(FILE *out, enum plot_kind, const struct plot *, size_t count,
    double smooth);

/*
 * Write a script for gnuplot; *drawn is how many curves or values it draws.
 * Returns 0, or -1 as plot_draw.
 */
int plot_gnuplot(FILE *out, const struct plot *, const struct chart *look,
    size_t *drawn, struct error *e);

#endif
