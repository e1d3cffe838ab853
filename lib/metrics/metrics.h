/*
 * Metrics are values that a training writes as it runs: a CSV or TSV file with
 * a header and a row for each epoch.  The bytes of the file, in any pieces,
 * become series or a summary.
 *
 * For both:
 * - The delimiter (comma, tab, semicolon) is guessed from the header.
 * - An epoch has one value for each metric.  If several rows have the same
 *   epoch (training and validation on different rows), the last value that is
 *   not blank counts.  A row with a blank epoch belongs to the epoch before.
 * - A blank, NA or any other text that is not a number means "no value yet";
 *   nan and inf are numbers.  A vector such as "[1, 2]" is not a number.
 * - An epoch below the one before is a restart and begins a new segment.
 * - A row without numbers, such as a second header, is left out, and so is a
 *   row with more fields than the header (two lines torn into one).
 */
#ifndef STFM_METRICS_METRICS_H
#define STFM_METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum metrics_goal { METRICS_MIN, METRICS_MAX };

/*
 * Return METRICS_MAX if the name of a metric has a word for which a larger
 * value is better, such as acc or reward, and none for an error, such as loss
 * or wer; METRICS_MIN for all others.  stfm-submit(1) lists the words.
 */
enum metrics_goal metrics_goal(const char *name);

/* Return whether metrics_goal knows a word in the name of a metric. */
int metrics_goal_known(const char *name);

/*
 * Check that the goal of a metric is known: the name tells it, or goal is not
 * NULL.  Returns 0, or -1 with the reason, which ends with what to do.
 */
int metrics_goal_check(
    const char *metric, const char *goal, const char *to_do, struct error *e);

/*
 * Return the goal of an option --goal, "min" or "max", or -1 for another text
 * with the reason in e.
 */
int metrics_goal_read(const char *text, struct error *e);

/* Return whether value a is better than b; nan and infinities never are. */
int metrics_better(enum metrics_goal, double a, double b);

/* Columns of a log are numbered from 0; METRICS_NONE means no column. */
enum { METRICS_NONE = -1 };

struct metrics_header {
	char delimiter;
	size_t count;
	char **name;       /* as in the file: not safe for a terminal */
	signed char *kind; /* for each: 1 numbers, -1 other text, 0 blank */
	int along;         /* the x axis is the first column */
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

/*
 * Return the column with this name: an exact match, else one that differs in
 * case only, else METRICS_NONE.
 */
int metrics_column(const struct metrics_header *, const char *name);

/* Return the x column: epoch, step, iter* in this order, or none. */
int metrics_guess_x(const struct metrics_header *);

/*
 * Return the column to compare runs by: val_loss, *val*loss*, *loss*val*, the
 * first validation metric, loss, *loss*, or else the first column of numbers
 * that is not the x column.
 */
int metrics_guess_objective(const struct metrics_header *);

/*
 * Return the column with the same metric on the other data: val_loss for loss
 * or train_loss, acc for val_acc, Loss/val for Loss/train.
 */
int metrics_partner(const struct metrics_header *, int column);

/* Return whether a metric with this name is a validation metric (val_loss). */
int metrics_is_validation(const char *name);

/*
 * All values of a column.  A segment begins where the epoch goes back; see also
 * metrics_log_continue.
 */
struct metrics_series {
	int column;
	size_t count;
	double *x, *y;   /* y may be nan or infinite */
	size_t *start;   /* the first point of each segment; ascending */
	size_t *segment; /* for each start, which segment of the log it is */
	size_t starts;   /* number of segments; 0 if count is 0 */
	/*
	 * NULL unless the log is reduced.  A point stands for weight points:
	 * itself and those dropped after it.  excess is the sum of their y,
	 * each minus the y of this point.
	 */
	uint64_t *weight;
	double *excess;
};

struct metrics_log;

/*
 * Return a log that keeps count columns, numbered as in the header; free with
 * metrics_log_free.  x is the column of the x axis; with METRICS_NONE the rows
 * are numbered from 1.
 *
 * If most is not 0, the series are reduced while they are read to the first,
 * the last, the least and the greatest point of each group of neighbours.  The
 * special points of a series are among them.  Groups have the same number of
 * points, except where a segment or a run of non-finite values begins.  A
 * series has at most `most' points.  Only if that left fewer than most / 16
 * groups, it has more.  Do not call metrics_log_beside for a reduced log.
 */
struct metrics_log *metrics_log_new(const struct metrics_header *, int x,
    const int *column, size_t count, size_t most);
void metrics_log_free(struct metrics_log *);

/*
 * Read more bytes; the first call starts with the first byte of the file, the
 * header.  Returns 0, or -1 with the reason in e.
 */
int metrics_log_feed(
    struct metrics_log *, const char *bytes, size_t length, struct error *e);

/*
 * Add a row of a log that has no text of rows.  field has a value for each of
 * the columns of the header, "" if there is none.
 */
void metrics_log_add(struct metrics_log *, char *const *field);

/*
 * Call before feeding the rows of another log, of a training that continues the
 * one before.  If its first row has the epoch of the last row before, the row
 * begins a new segment instead of replacing values.
 */
void metrics_log_continue(struct metrics_log *);

/*
 * End the log, and free memory that only more points would need.  A last line
 * without a newline counts if is_complete is true.  Returns 0, or 1 if there is
 * such a line and it does not count, or -1 with the reason in e.
 */
int metrics_log_finish(struct metrics_log *, int is_complete, struct error *e);

/*
 * Return the series of the i-th column passed to metrics_log_new, as read so
 * far.  It belongs to the log and is valid until the next metrics_log_feed.
 */
const struct metrics_series *metrics_log_series(
    const struct metrics_log *, size_t i);

/*
 * Find the value of the k-th column in the epoch of a point of the i-th column;
 * at is the index of the point in its series.  Returns 1 and sets *out, or 0 if
 * that epoch has no such value.
 */
int metrics_log_beside(
    const struct metrics_log *, size_t i, size_t at, size_t k, double *out);

enum { METRICS_NO_POINT = -1 };

/* Special points of a series, as indices, or METRICS_NO_POINT. */
struct metrics_facts {
	ptrdiff_t best;
	ptrdiff_t first_nan; /* first nan or infinity */
	/* Start of the nan or infinite values at the end of the series. */
	ptrdiff_t nan_since;
};

/* Find the special points of a series; goal says which value is best. */
void metrics_series_facts(const struct metrics_series *, enum metrics_goal,
    struct metrics_facts *out);

/*
 * A summary of one metric, updated with new bytes: constant memory, plain data,
 * no pointers, every double finite, every text UTF-8.  So a summary can be
 * stored, and another process can continue it.
 *
 * An all-zero summary is that of an unread log that continues no other.
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
	uint64_t skip;   /* bytes to skip after offset */
	/* An enum record_format; column numbers refer to RECORD_ROWS. */
	int format;
	/* The same members of struct record_reader, kept between two reads. */
	int headed;
	double heading;

	/* The columns; all 0 until the first row after the header. */
	int delimiter, columns;
	int x_column;              /* METRICS_NONE: rows are numbered from 1 */
	int column;                /* METRICS_NONE: the log lacks the metric */
	char x_name[METRICS_NAME]; /* "epoch"; "" if rows are numbered */
	char metric[METRICS_NAME]; /* "" if the log lacks the metric */
	int goal;                  /* enum metrics_goal */

	uint64_t epochs;   /* so far; repeated epochs count again */
	double first;      /* the lowest epoch, also of earlier logs */
	double begins;     /* the lowest epoch of this log alone */
	double epoch;      /* the current epoch, if epochs > 0 */
	uint64_t restarts; /* how often the epoch went back */
	uint64_t damaged;  /* lines left out */

	uint64_t values; /* numbers so far, including nan and infinities */
	int has_best;    /* 1 if there was a finite value */
	double best, best_epoch;
	int last_kind; /* enum metrics_kind */
	double last;   /* 0 unless last_kind is METRICS_NUMBER */
	double last_epoch;
	uint64_t nans;    /* values that were nan or infinite */
	double first_nan; /* epoch of the first, if nans > 0 */
	/* Epoch at which the nan values at the end start, if any. */
	double nan_since;

	/* The best value before the current epoch, which may still change. */
	int had_best;
	double earlier_best, earlier_epoch;

	/* Values carried over by metrics_summary_continue. */
	int continues; /* METRICS_CONTINUES and the other flags */
	double carried_first, carried_best, carried_epoch;
};

enum {
	METRICS_CONTINUES = 1,     /* the earlier logs had a summary */
	METRICS_CARRIES_FIRST = 2, /* the earlier logs had an epoch */
	METRICS_CARRIES_BEST = 4   /* the earlier logs had a best value */
};

/*
 * Start the summary of a log that continues another log.  before is the summary
 * of that log, all zero if it has none: the best value and the lowest epoch
 * include it.
 */
void metrics_summary_continue(
    struct metrics_summary *, const struct metrics_summary *before);

/* Empty the summary, except the values from the logs that it continues. */
void metrics_summary_reset(struct metrics_summary *);

enum { METRICS_GOAL_BY_NAME = -1 };

/*
 * Read the bytes of a log from s->offset on, and advance s->offset to the first
 * byte that must be read again: the start of a half-written line, or of the
 * header while the file has no other line.  Pass at least ROWS_RECORD + 1
 * bytes, or all there are.
 *
 * If metric is NULL, it is guessed; if goal is METRICS_GOAL_BY_NAME, it follows
 * from the name.  Both matter only until columns is set.  A log without the
 * metric still has epochs.
 *
 * ended says that these are the last bytes and no process writes to the log: a
 * line that is incomplete or unreadable is then left out, so that another
 * attempt can append to the log.
 *
 * Returns 0, or -1 with the reason in e if the bytes are not a log, or not yet
 * (a NUL byte: a hole that a shared file system may still fill).  The bytes
 * before the bad ones are taken.
 */
int metrics_summary_feed(struct metrics_summary *s, const char *metric,
    int goal, const char *bytes, size_t length, int ended, struct error *e);

/* The values to read from a log of any format. */
struct metrics_request {
	const char *metric; /* or NULL */
	int goal;
	/* If not NULL, the log is plain text, read with this pattern. */
	const struct record_pattern *pattern;
	/*
	 * If not NULL, called once for each epoch that has a value of the
	 * metric: when a later epoch begins, since the value may change until
	 * then.  The summary is as of the epoch that ended.  If the log is read
	 * again from its first byte, the calls start over: the first one has 1
	 * in epochs.
	 */
	void (*epoch)(void *arg, const struct metrics_summary *);
	void *arg; /* for epoch */
};

/*
 * Read bytes like metrics_summary_feed, but of a log in any format, which is
 * detected from its first bytes.  Pass at least 2 * RECORD_SIZE bytes, or all
 * there are.  Returns 0, -1 with the reason in e, or 1 if a column appears that
 * fits the request better than the one read so far.  After 1, the summary has
 * only the name of that column: read the log again from its first byte.
 */
int metrics_summary_read(struct metrics_summary *s,
    const struct metrics_request *, const char *bytes, size_t length, int ended,
    struct error *e);

/* The read position in one of several files. */
struct metrics_mark {
	uint64_t offset, skip;
};

/*
 * Read the bytes of one of the event files of a log, from the mark on.
 * s->format is RECORD_EVENTS, s->offset the sum over all files; prefix is that
 * of record_name.  Returns 0, or 1 as metrics_summary_read does.
 */
int metrics_summary_events(struct metrics_summary *s,
    const struct metrics_request *, const char *prefix, struct metrics_mark *,
    const char *bytes, size_t length, int ended);

/*
 * Return how many epochs are complete when a log has reached epoch; first is
 * the lowest epoch of the log.  Epochs may be counted from 0 or from 1;
 * fractions (1.4) need no correction.
 */
static inline double
metrics_epochs_done(double first, double epoch, int fractions)
{
	return first <= 0 && !fractions ? epoch + 1 : epoch;
}

/* Return whether the epochs of a log have fractions. */
int metrics_summary_has_fractions(const struct metrics_summary *);

/* Return whether the current epoch has a value. */
static inline int
metrics_summary_has_value(const struct metrics_summary *s)
{
	return s->epochs > 0 && s->values > 0 && s->last_epoch == s->epoch;
}

/* Return the last value, nan if there is none. */
double metrics_summary_last(const struct metrics_summary *);

#endif
