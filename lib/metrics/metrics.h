/*
 * Metrics are what a training writes as it runs: a CSV or TSV file with a
 * header and a row for each epoch.  The bytes of the file, in any pieces,
 * become series or a summary.
 *
 * For both:
 * - The delimiter (comma, tab, semicolon) is guessed from the header.
 * - An epoch has one value for each metric.  If several rows have the same
 *   epoch (training and validation on different rows), the last value that is
 *   not blank counts.  A row whose epoch is blank belongs to the epoch before.
 * - A blank, NA or anything else that is no number means "no value yet"; nan
 *   and inf are numbers.  A vector such as "[1, 2]" is no number.
 * - An epoch below the one before is a restart and begins a new segment.
 * - A row without numbers, such as a second header, is left out, and so is a
 *   row with more fields than the header (two lines torn into one).
 */
#ifndef STFM_METRICS_METRICS_H
#define STFM_METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "metrics/reader.h"

enum metrics_goal { METRICS_MIN, METRICS_MAX };

/*
 * Return METRICS_MAX if a metric is better when it is larger, by its name (acc,
 * auc, f1, iou, bleu, map, r2, precision, recall); METRICS_MIN for all others.
 */
enum metrics_goal metrics_goal(const char *name);

/*
 * Return whether the name of a metric says what is better: metrics_goal knows a
 * word in it, or it is a loss by another name (ppl, perplexity, nll).
 */
int metrics_goal_known(const char *name);

/* Return whether value a is better than b; nan and infinities never are. */
int metrics_better(enum metrics_goal, double a, double b);

/* The columns of a log, numbered from 0; METRICS_NONE is none of them. */
enum { METRICS_NONE = -1 };

struct metrics_header {
	char delimiter;
	size_t count;
	char **name;       /* as in the file: not safe for a terminal */
	signed char *kind; /* for each: 1 numbers, -1 other text, 0 blank */
	int along;         /* the first column is the one to draw along */
};

/*
 * Read the header from the first bytes of a log, and the kinds of the columns
 * from the rows after it (at most 64).
 * Returns 0, or -1 with the reason in e: no bytes, a first line of numbers, not
 * a text file.
 */
int metrics_header_read(
    struct metrics_header *, const char *bytes, size_t length, struct error *e);
void metrics_header_free(struct metrics_header *);

/* Return the column with this name, exactly or else in another case. */
int metrics_column(const struct metrics_header *, const char *name);

/* Return the column to draw along: epoch, step, iter* in this order, or none.
 */
int metrics_guess_x(const struct metrics_header *);

/*
 * Return the column to compare by: val_loss, *val*loss*, *loss*val*, loss,
 * *loss*, or else the first with numbers that is not the x column.
 */
int metrics_guess_objective(const struct metrics_header *);

/*
 * Return the column with the same metric on the other data: val_loss for loss
 * or train_loss, acc for val_acc, Loss/val for Loss/train.
 */
int metrics_partner(const struct metrics_header *, int column);

/* Return whether a metric is one of validation, by its name (val_loss). */
int metrics_is_validation(const char *name);

/* All values of a column. */
struct metrics_series {
	int column;
	size_t count;
	double *x, *y; /* y may be nan or infinite */
	size_t *start; /* the first point of each segment; ascending */
	size_t starts; /* 0 if count is 0 */
};

struct metrics_log;

/*
 * Return a log that keeps count columns, numbered as in the header; free with
 * metrics_log_free.  x is the column to draw along; with METRICS_NONE the rows
 * are numbered from 1.
 */
struct metrics_log *metrics_log_new(
    const struct metrics_header *, int x, const int *column, size_t count);
void metrics_log_free(struct metrics_log *);

/*
 * Read more bytes, from the first byte of the file (the header) on.  Returns 0,
 * or -1 with the reason in e.
 */
int metrics_log_feed(
    struct metrics_log *, const char *bytes, size_t length, struct error *e);

/* End the log: a last line without a line end counts.  Returns 0 or -1. */
int metrics_log_finish(struct metrics_log *, struct error *e);

/*
 * Return the series of column i of those that were asked for, as read so far.
 * It belongs to the log and is valid until the next metrics_log_feed.
 */
const struct metrics_series *metrics_log_series(
    const struct metrics_log *, size_t i);

/* Return whether a last line without a line end is left out so far. */
int metrics_log_waits(const struct metrics_log *);

enum { METRICS_NO_POINT = -1 };

/* Special points of a series, or METRICS_NO_POINT. */
struct metrics_facts {
	ptrdiff_t best;
	ptrdiff_t first_nan; /* or infinity */
	ptrdiff_t nan_since; /* the first of those at the end of the series */
};

void metrics_series_facts(const struct metrics_series *, enum metrics_goal,
    struct metrics_facts *out);

/*
 * A summary of one metric, updated with new bytes: constant memory, plain data,
 * no pointers, every double finite, every text UTF-8.  So it can be stored, and
 * another process can go on with it.
 * All zero is a log of which nothing has been read, and which continues none.
 */
enum metrics_kind {
	METRICS_BLANK, /* no value so far */
	METRICS_NUMBER,
	METRICS_NAN,
	METRICS_INF,
	METRICS_MINUS_INF
};

enum { METRICS_NAME = 64 };

struct metrics_summary {
	uint64_t offset; /* bytes taken: feed the file from here on */
	uint64_t skip;   /* bytes after those that are not needed */
	int format;      /* enum record_format; the numbers of columns are
			    those of rows only if it is RECORD_ROWS */

	/* The columns; all 0 until the first row after the header. */
	int delimiter, columns;
	int x_column;              /* METRICS_NONE: rows are numbered from 1 */
	int column;                /* METRICS_NONE: there is no such metric */
	char x_name[METRICS_NAME]; /* "epoch"; "" if rows are numbered */
	char metric[METRICS_NAME]; /* "" if there is no such metric */
	int goal;                  /* enum metrics_goal */

	uint64_t epochs;   /* so far; repeated ones count again */
	double first;      /* the lowest epoch, if epochs > 0 */
	double epoch;      /* the current one, if epochs > 0 */
	uint64_t restarts; /* how often the epoch went back */
	uint64_t damaged;  /* lines left out */

	uint64_t values; /* numbers so far, also nan and infinities */
	int has_best;    /* best is that of the finite values */
	double best, best_epoch;
	int last_kind; /* enum metrics_kind */
	double last;   /* 0 unless last_kind is METRICS_NUMBER */
	double last_epoch;
	uint64_t nans;    /* values that were nan or infinite */
	double first_nan; /* epoch of the first, if nans > 0 */
	double nan_since; /* epoch of the first of those at the end, if any */

	/* The best before the current epoch, whose value may still change. */
	int had_best;
	double earlier_best, earlier_epoch;

	/* From the logs that this one continues: metrics_summary_continue. */
	int continues; /* METRICS_CONTINUES and the others */
	double carried_first, carried_best, carried_epoch;
};

enum {
	METRICS_CONTINUES = 1,     /* there was a summary of them */
	METRICS_CARRIES_FIRST = 2, /* it had an epoch */
	METRICS_CARRIES_BEST = 4   /* it had a best value */
};

/*
 * Start the summary of a log that continues another, whose summary is before
 * (all zero if it has none): the best value and the lowest epoch are of both.
 */
void metrics_summary_continue(
    struct metrics_summary *, const struct metrics_summary *before);

/* Empty the summary, except what it has from the logs that it continues. */
void metrics_summary_reset(struct metrics_summary *);

enum { METRICS_GOAL_BY_NAME = -1 };

/*
 * Read the bytes of a log from s->offset on, and move s->offset on to what must
 * be read again: a half-written line, or the header as long as it is alone.
 * Pass at least ROWS_RECORD + 1 bytes, or all there are.
 *
 * A metric of NULL is guessed, and so is a goal of METRICS_GOAL_BY_NAME.  Both
 * matter only until columns is set.  A log without the metric still has epochs.
 * ended says that these are the last bytes and nobody writes any more: a line
 * that is incomplete or cannot be read is then left out, so that another
 * attempt can append to the log.
 *
 * Returns 0, or -1 with the reason in e if the bytes are no log, or not yet (a
 * NUL byte: a hole that a shared file system may still fill).  Bytes before
 * these are taken.
 */
int metrics_summary_feed(struct metrics_summary *s, const char *metric,
    int goal, const char *bytes, size_t length, int ended, struct error *e);

/* What to read from a log that may have any format. */
struct metrics_request {
	const char *metric; /* or NULL */
	int goal;
	const struct record_pattern *pattern; /* it is text, or NULL */
};

/*
 * Read bytes as metrics_summary_feed, but of a log in any format, which its
 * first bytes tell.  Pass at least 2 * RECORD_SIZE bytes, or all there are.
 * Returns also 1 if there is a better column: the summary then has only its
 * name.  Read the log again from its first byte.
 */
int metrics_summary_read(struct metrics_summary *s,
    const struct metrics_request *, const char *bytes, size_t length, int ended,
    struct error *e);

/* How far one of several files has been read. */
struct metrics_mark {
	uint64_t offset, skip;
};

/*
 * Read the bytes of one of the event files of a log from the mark on.
 * s->format is RECORD_EVENTS, s->offset the sum of all files; prefix is that of
 * record_name.  Returns 0, or 1 as metrics_summary_read.
 */
int metrics_summary_events(struct metrics_summary *s,
    const struct metrics_request *, const char *prefix, struct metrics_mark *,
    const char *bytes, size_t length, int ended);

/*
 * Return how many epochs are done at an epoch of a log whose lowest is first.
 * Epochs are counted from 0 or from 1; fractions (1.4) need no correction.
 */
double metrics_epochs_done(double first, double epoch, int fractions);

/* Return whether the epochs of a log have fractions. */
int metrics_summary_has_fractions(const struct metrics_summary *);

/* Return the last value, nan if there is none. */
double metrics_summary_last(const struct metrics_summary *);

#endif
