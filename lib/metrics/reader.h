/*
 * A record is a set of named values that a training wrote at one moment.
 * Records are read from formats that repeat the names:
 *
 *	JSON Lines     an object a line; {"val": {"loss": 1}} is val.loss
 *	TensorBoard    the scalars of an event file; the first value is the
 *	               step, the second wall_time
 *	plain text     lines (ended by LF, CR or both) that a pattern matches
 *
 * Rows (CSV, TSV) have their names in a header and are read by sys/csv.h.
 */
#ifndef STFM_METRICS_READER_H
#define STFM_METRICS_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Rows of the task table have these numbers: add new formats at the end. */
enum record_format {
	RECORD_ROWS = 0,
	RECORD_JSON = 1,
	RECORD_EVENTS = 2,
	RECORD_TEXT = 3,
	RECORD_FORMATS
};

/* Return "CSV", "JSON Lines", "TensorBoard" or "plain log". */
const char *record_format_name(enum record_format);

/*
 * Return the format of a log, detected from its first bytes: pass at least 64,
 * or all there are.  The result is never RECORD_TEXT, because any text may be a
 * plain log.
 */
enum record_format record_recognise(const char *bytes, size_t length);

enum {
	RECORD_NAME = 512,     /* most bytes of a name, with its prefix */
	RECORD_VALUES = 1000,  /* most values in one record */
	RECORD_SIZE = 1 << 19, /* a larger record is left out */
	RECORD_START = 64      /* bytes needed to detect the format */
};

/* A record; the reader owns its texts; its values are those of num_parse. */
struct record {
	const char *const *name, *const *value;
	size_t count;
	int same_names; /* as those of the record before */
};

/*
 * A function that gets each record and the offset of its end.  A result other
 * than 0 stops the reading.
 */
typedef int record_each(void *arg, const struct record *, size_t taken);

/*
 * Extended regular expressions (POSIX) for lines of text. (?P<name>...) and
 * (?<name>...) are values, (?:...) is not, \d is a digit.  The values of all
 * expressions that match a line form its record.
 */
struct record_pattern;

/*
 * Return a pattern of count expressions; free with record_pattern_free. Returns
 * NULL with the reason in e: "'(': a group that is not closed".  A pattern of
 * no expressions guesses which lines give metrics, see metrics/read-guess.c.
 */
struct record_pattern *record_pattern_new(
    const char *const *text, size_t count, struct error *e);
void record_pattern_free(struct record_pattern *);

/* Return the names in the pattern, which owns them. */
const struct strlist *record_pattern_names(const struct record_pattern *);

enum record_heading {
	RECORD_HEADED = 1,
	RECORD_BAR_ENDED = 2 /* the progress bar of the epoch is over */
};

struct record_reader {
	enum record_format format; /* not RECORD_ROWS */
	const struct record_pattern *pattern;
	/*
	 * No process writes to the file any more: an incomplete record is
	 * damaged, an incomplete line of text is complete.
	 */
	int ended;
	int texts; /* hand over what groups match, even if it is no number */
	/* The epoch of the last heading, if the pattern guesses. */
	int headed; /* 0 or an enum record_heading */
	double heading;

	size_t taken;     /* bytes that the caller need not pass again */
	uint64_t skip;    /* bytes to skip after taken */
	uint64_t damaged; /* records left out */
};

/*
 * Read the records in the next bytes of a file.  Sets taken, skip and damaged;
 * pass the bytes after taken again, with more.  Calls each for each record; a
 * result other than 0 stops the reading before that record and is returned.
 * Otherwise returns 0.
 */
int record_read(struct record_reader *, const char *bytes, size_t length,
    record_each *each, void *arg);

/*
 * Return the name of value i of a record, in a file whose metrics have this
 * prefix ("validation/").  It is the record's own, or in room.
 */
const char *record_name(enum record_format, const char *prefix,
    const struct record *, size_t i, char room[RECORD_NAME]);

#endif
