/*
 * A plot is learning curves that are drawn together: some metrics of one run,
 * or a metric of many runs, the best first; or the best values of many runs by
 * their hyperparameters.  As text, or as data.
 *
 * A run is the log of one training.  What else there is to know of it comes
 * from the caller: whether it is a task, in which state, with which
 * hyperparameters.
 */
#ifndef STFM_PLOT_PLOT_H
#define STFM_PLOT_PLOT_H

#include <stdio.h>

#include "base/error.h"
#include "base/strlist.h"
#include "chart/chart.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"

/* Values that were made of those of one log or of several. */
struct plot_made {
	struct metrics_series series;
	double *low, *high; /* around a mean, from the least to the most */
};

struct plot_run {
	char *name;
	const char *state; /* of a task; NULL for a file */
	int training;      /* a task that may go on */
	double epochs;     /* that a task trains, or 0 when nobody knows */
	char **value;      /* of each of the plot's params, NULL where there is
			      none; of a file NULL */

	/* Of a run whose log was not read: the best value of the metric, and
	 * the last x, nan when nobody knows. */
	double told, told_x;

	struct strlist
	    before; /* logs that its own continues, the oldest first */

	/* As plot_read has it. */
	struct metrics_header header;
	struct metrics_log *log; /* of the plot's metrics, in their order */
	int x;                   /* column, or METRICS_NONE */
	enum record_format format;
	uint64_t damaged; /* records passed over, but for those in rows */

	/* Of each metric, where it is not drawn as the log has it. */
	struct plot_made *made;
	size_t members; /* it is the mean of so many, or 0 */
};

enum plot_kind {
	PLOT_CURVES,
	PLOT_GRID, /* the best values over two hyperparameters */
	PLOT_BY,   /* what hyperparameters explain of them */
	PLOT_HIST  /* how they are distributed */
};

struct plot {
	enum plot_kind kind;
	struct strlist by; /* hyperparameters: of a grid two; of PLOT_BY those
			    to draw, or none for all */
	struct strlist metric; /* to draw; none: the first log read tells */
	int goal;              /* enum metrics_goal, or METRICS_GOAL_BY_NAME */
	const char *x;         /* the column to draw along, "epoch", "step",
				  "time"; NULL: guessed */
	double at;             /* only values up to this x, or nan */
	struct strlist mean;   /* hyperparameters to average over */
	const struct record_pattern *pattern; /* logs are text, or NULL */
	int usage; /* of tasks: not their logs, but the use of their machines */
	int partner; /* add the same metric of the other kind: val_loss has
			loss */
	int alone;   /* one run was asked for: its metrics in one chart */
	size_t best; /* draw at most so many runs, or 0 */
	char *of;    /* whose tasks they are: "conv2d" */
	struct strlist
	    param; /* names of hyperparameters that tell runs apart */
	struct plot_run *run;
	size_t runs;
	size_t merged;        /* tasks that the runs are means of, or 0 */
	struct strlist known; /* all hyperparameters of the tasks */

	/* Tasks that are known to be worse than the best that were read. */
	size_t left;
	double left_best, left_worst; /* nan: they have no best value */
};

/* A plot without runs that is to draw the same. */
struct plot plot_like(const struct plot *);

/* Let go of what it holds; its x stays the caller's. */
void plot_free(struct plot *);
void plot_run_free(const struct plot *, struct plot_run *);

/* The goal of the i-th metric. */
enum metrics_goal plot_goal(const struct plot *, size_t metric);

/* Whether that goal was given, or the name of the metric says it. */
int plot_goal_known(const struct plot *, size_t metric);

/* What a last line without a line end is, and what an empty log. */
enum plot_source {
	PLOT_PIPE, /* a line; an error */
	PLOT_FILE, /* one that is still being written; an error */
	PLOT_TASK, /* the same; a training that has just begun */
	PLOT_ENDED /* a line; a training that wrote nothing */
};

/*
 * Read the log of a run.  Returns 0, 1 when the training has just begun and
 * there is nothing yet, or -1; then the run is as before.
 */
int plot_read(struct plot *, struct plot_run *, int fd, enum plot_source,
    struct error *e);

/*
 * Read the log at a path, which may be a directory of event files, see
 * metrics/read-files.h.  Returns as plot_read; the reason does not name the
 * path. errno is ENOENT when it is not there.
 */
int plot_read_path(struct plot *, struct plot_run *, const char *path,
    enum plot_source, struct error *e);

/*
 * What is drawn of a log, and what else there is in it: "TensorBoard: val_loss
 * along step (it has loss, val_loss)"; to free.
 */
char *plot_guess(const struct plot *, const struct plot_run *);

/* Whether the log counts epochs, or rows, and not steps. */
int plot_counts_epochs(const struct plot_run *);

/* Whether a run has any value of the metrics. */
int plot_has_values(const struct plot *, const struct plot_run *);

/* Add a run, which is the plot's from now on. */
void plot_add(struct plot *, const struct plot_run *);

/*
 * Put the runs of which all but these hyperparameters are the same together,
 * once all are added: each group becomes one run, its values the mean where all
 * of them have one, the band from the least to the most.  A mean that ends
 * before some of its runs is told of in notes.
 * Returns 0, or -1 for a hyperparameter that there is not.
 */
int plot_merge(struct plot *, FILE *notes, struct error *e);

/* An error for a hyperparameter that is not among the names. */
int plot_no_param(
    const struct strlist *names, const char *name, struct error *e);

/* Cut off their names the directories that all of them have in common. */
void plot_shorten_names(struct plot_run *, size_t count);

/*
 * Draw the curves; look says how, and in how many rows, where a height of 0 is
 * what suits a screen of so many (0: nobody knows).  What is to be said beside
 * the drawing goes to notes, one line each.
 * Returns 0, or -1 as chart_draw, or for a hyperparameter that there is not.
 */
int plot_draw(FILE *out, FILE *notes, const struct plot *,
    const struct chart *look, size_t screen, struct error *e);

/*
 * What was told of runs before: write a line for each epoch that has come since
 * then, of a run that is new for its last one alone.
 */
struct plot_seen;

struct plot_seen *plot_seen_new(void);
void plot_seen_free(struct plot_seen *);
void plot_news(FILE *out, const struct plot *, struct plot_seen *);

/*
 * Of curves a line for each value: run, x, metric, value; smoothed by that
 * factor.  Of best values a line for each: run, metric, best, and the
 * hyperparameters of all the plots.  With a header.
 */
void plot_tsv(FILE *out, enum plot_kind, const struct plot *, size_t count,
    double smooth);

/*
 * A script for gnuplot; *drawn is how many curves or values it draws, see
 * chart/chart.h.  Returns 0, or -1 as plot_draw.
 */
int plot_gnuplot(FILE *out, const struct plot *, const struct chart *look,
    size_t *drawn, struct error *e);

#endif
