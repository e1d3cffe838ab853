/*
 * Metrics are what a training writes down as it goes: a CSV or TSV file with a
 * header and a row for each epoch.  Bytes come in, as many as there are; series
 * or a summary come out.
 *
 * What holds for both:
 * - The delimiter (comma, tab, semicolon) is guessed from the header.
 * - An epoch has one value for each metric: of several rows with the same epoch
 *   (training and validation on different rows) the last one that is not
 *   blank counts.  A row whose epoch is blank belongs to the epoch before it.
 * - A blank, NA or anything else that is no number means "no value yet"; nan
 *   and inf are numbers.  A vector such as "[1, 2]" is none.
 * - An epoch that goes back is a restart and begins a new segment.
 * - A row without numbers, as a second header, is passed over; so is one with
 *   more fields than the header (two lines torn into one).
 */
#ifndef STFM_METRICS_METRICS_H
#define STFM_METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "metrics/reader.h"

enum metrics_goal { METRICS_MIN, METRICS_MAX };

/*
 * Whether a metric is better when it is larger, judged by its name (acc, auc,
 * f1, iou, bleu, map, r2, precision, recall), or smaller: all others.
 */
enum metrics_goal metrics_goal(const char *name);

/*
 * Whether the name of a metric says what is better: metrics_goal knows a word
 * in it, or it is a loss by another name (ppl, perplexity, nll).
 */
int metrics_goal_known(const char *name);

/* Whether value a is better than b; nan and infinities are never better. */
int metrics_better(enum metrics_goal, double a, double b);

/* The columns of a log, numbered from 0; METRICS_NONE is none of them. */
enum { METRICS_NONE = -1 };

struct metrics_header {
	char delimiter;
	size_t count;
	char **name; /* as the file has them: never raw to a terminal */
	signed char
	    *kind; /* for each: 1 numbers, -1 only other text, 0 blank */
	int along; /* the first column is known to be the one to draw along */
};

/*
 * Read the header from the first bytes of a log, and what the columns hold from
 * the rows that follow it (at most 64, as far as the bytes go).
 * Returns 0, or -1: no bytes, a first line of numbers, not a text file.
 */
int metrics_header_read(
    struct metrics_header *, const char *bytes, size_t length, struct error *e);
void metrics_header_free(struct metrics_header *);

/* The column with this name, exactly or else in another case. */
int metrics_column(const struct metrics_header *, const char *name);

/* The column to draw along: epoch, step, iter* in this order, or none. */
int metrics_guess_x(const struct metrics_header *);

/*
 * The column to compare by: val_loss, *val*loss*, *loss*val*, loss, *loss*,
 * else the first with numbers that is not the x column.
 */
int metrics_guess_objective(const struct metrics_header *);

/*
 * The column that is the same metric of the other kind: val_loss for loss or
 * train_loss, acc for val_acc, Loss/val for Loss/train.
 */
int metrics_partner(const struct metrics_header *, int column);

/* Whether a metric is one of validation, by its name (val_loss). */
int metrics_is_validation(const char *name);

/*
 * The whole of some columns.
 */

struct metrics_series {
	int column;
	size_t count;
	double *x, *y; /* no blanks in y; nan and infinities are */
	size_t *start; /* for each segment, its first point; ascending */
	size_t starts; /* 0 when count is 0 */
};

struct metrics_log;

/*
 * A log of which count columns are to be kept, as numbered in the header.  x
 * is the column to draw along; METRICS_NONE numbers the rows from 1.
 */
struct metrics_log *metrics_log_new(
    const struct metrics_header *, int x, const int *column, size_t count);
void metrics_log_free(struct metrics_log *);

/* Read more bytes, from the first byte of the file (the header) on. */
int metrics_log_feed(
    struct metrics_log *, const char *bytes, size_t length, struct error *e);

/* There is no more: a last line without a line end counts after all. */
int metrics_log_finish(struct metrics_log *, struct error *e);

/*
 * The series of the i-th of the columns asked for, as read so far.  It belongs
 * to the log and holds until the next metrics_log_feed.
 */
const struct metrics_series *metrics_log_series(
    const struct metrics_log *, size_t i);

/* Whether a last line without a line end was left out so far. */
int metrics_log_waits(const struct metrics_log *);

enum { METRICS_NO_POINT = -1 };

/* What there is to say about a series; points by number, or METRICS_NO_POINT.
 */
struct metrics_facts {
	ptrdiff_t best;
	ptrdiff_t first_nan; /* or infinity */
	ptrdiff_t nan_since; /* from where to the end there is nothing else */
};

void metrics_series_facts(const struct metrics_series *, enum metrics_goal,
    struct metrics_facts *out);

/*
 * A summary of one metric, brought up to date with new bytes alone: constant
 * memory, plain data, no pointers, every double finite, every text UTF-8, so
 * that it can be written down and taken up again by another process.
 * All zero is a log of which nothing has been read, and continues none.
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
	uint64_t skip;   /* of what comes then, bytes of no interest */
	int format;      /* enum record_format; what follows of the columns
			    is for rows only where it is RECORD_ROWS */

	/* How the columns lie; all 0 until the first row after the header. */
	int delimiter, columns;
	int x_column;              /* METRICS_NONE: rows are numbered from 1 */
	int column;                /* METRICS_NONE: there is no such metric */
	char x_name[METRICS_NAME]; /* "epoch"; "" when rows are numbered */
	char metric[METRICS_NAME]; /* "" when there is no such metric */
	int goal;                  /* enum metrics_goal */

	uint64_t epochs;   /* met so far; those repeated count again */
	double first;      /* the lowest epoch, where epochs > 0 */
	double epoch;      /* the current one, where epochs > 0 */
	uint64_t restarts; /* how often the epoch went back */
	uint64_t damaged;  /* lines passed over */

	uint64_t values; /* numbers met, whatever they were */
	int has_best;    /* best is of the values that are finite */
	double best, best_epoch;
	int last_kind; /* enum metrics_kind */
	double last;   /* 0 unless last_kind is METRICS_NUMBER */
	double last_epoch;
	uint64_t nans;    /* values that were nan or infinite */
	double first_nan; /* epoch of the first, where nans > 0 */
	double nan_since; /* ... of those the log now ends with, if it does */

	/* The best before the current epoch, whose value may still change. */
	int had_best;
	double earlier_best, earlier_epoch;

	/* Of the logs that this one continues: metrics_summary_continue. */
	int continues; /* METRICS_CONTINUES and the others */
	double carried_first, carried_best, carried_epoch;
};

enum {
	METRICS_CONTINUES = 1,     /* they were looked at */
	METRICS_CARRIES_FIRST = 2, /* there is an epoch in them, */
	METRICS_CARRIES_BEST = 4   /* and a best value */
};

/*
 * The log to come continues another, of which this is the summary (all zero
 * when it has none): the best value and the lowest epoch are of both.
 */
void metrics_summary_continue(
    struct metrics_summary *, const struct metrics_summary *before);

/* As if nothing of the log had been read; what it continues stays. */
void metrics_summary_reset(struct metrics_summary *);

enum { METRICS_GOAL_BY_NAME = -1 };

/*
 * Take in new bytes of the log, those from s->offset on; what is left over
 * (a half-written line, and the header while it stands alone) has to come
 * again, so s->offset says how far it got.  Give at least ROWS_RECORD + 1
 * bytes, or all there are.
 *
 * metric NULL is guessed; goal METRICS_GOAL_BY_NAME as well.  Both count only
 * until columns is set.  A log that has no such metric still has its epochs.
 * ended says that these are the last bytes and nobody writes any more: a half
 * line, or one that cannot be read, is then passed over, so that another
 * attempt can append to the log.
 *
 * Returns 0, or -1 when the bytes are no log, or not yet (a NUL byte: a hole
 * that a shared file system may still fill); what precedes them is taken in.
 */
int metrics_summary_feed(struct metrics_summary *s, const char *metric,
    int goal, const char *bytes, size_t length, int ended, struct error *e);

/* What is known beforehand of a log that may have any format. */
struct metrics_wish {
	const char *metric; /* or NULL */
	int goal;
	const struct record_pattern *pattern; /* it is text, or NULL */
};

/*
 * As metrics_summary_feed, of a log in any format, known by its first bytes.
 * Give at least 2 * RECORD_SIZE bytes, or all there are.
 * Returns also 1: a better column has shown, and the summary is empty but for
 * its name.  Feed the log once more from its first byte.
 */
int metrics_summary_read(struct metrics_summary *s, const struct metrics_wish *,
    const char *bytes, size_t length, int ended, struct error *e);

/* How far one of several files has been taken in. */
struct metrics_mark {
	uint64_t offset, skip;
};

/*
 * Take in new bytes of one of the event files of a log, those from the mark on.
 * s->format is RECORD_EVENTS, and s->offset the sum of all.  See record_name
 * for the prefix.  Returns 0, or 1 as metrics_summary_read.
 */
int metrics_summary_events(struct metrics_summary *s,
    const struct metrics_wish *, const char *prefix, struct metrics_mark *,
    const char *bytes, size_t length, int ended);

/*
 * How many epochs are done at an epoch of a log whose lowest is first: they are
 * counted from 0 or from 1, but fractions (1.4) say themselves how far it is.
 */
double metrics_epochs_done(double first, double epoch, int fractions);
int metrics_summary_has_fractions(const struct metrics_summary *);

/* The last value as a number: nan where there is none. */
double metrics_summary_last(const struct metrics_summary *);

#endif
