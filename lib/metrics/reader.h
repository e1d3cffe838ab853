/*
 * A record is what a training wrote at one moment: values with their names.
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

enum record_format {
	RECORD_ROWS,
	RECORD_JSON,
	RECORD_EVENTS,
	RECORD_TEXT,
	RECORD_FORMATS
};

/* Return "CSV", "JSON Lines", "TensorBoard" or "plain log". */
const char *record_format_name(enum record_format);

/*
 * Return the format of a log by its first bytes: at least 64, or all there are.
 * It is never RECORD_TEXT, which any text may be.
 */
enum record_format record_recognise(const char *bytes, size_t length);

enum {
	RECORD_NAME = 512,     /* most bytes of a name, with its prefix */
	RECORD_VALUES = 1000,  /* most values in one record */
	RECORD_SIZE = 1 << 19, /* a larger record is left out */
	RECORD_START = 64      /* bytes that tell the format */
};

/* A record; its texts belong to the reader, its values are those of num_parse.
 */
struct record {
	const char *const *name, *const *value;
	size_t count;
};

/* A function that gets each record and where it ends; a result other than 0
 * stops. */
typedef int record_each(void *arg, const struct record *, size_t taken);

/*
 * Extended regular expressions (POSIX) for lines of text.  (?P<name>...) and
 * (?<name>...) are values, (?:...) is none, \d is a digit.  The values of all
 * expressions that match a line are its record.
 */
struct record_pattern;

/*
 * Return a pattern of count expressions; free with record_pattern_free. Returns
 * NULL with the reason in e: "'(': a group that is not closed".
 */
struct record_pattern *record_pattern_new(
    const char *const *text, size_t count, struct error *e);
void record_pattern_free(struct record_pattern *);

/* Return how many names the pattern has, and each of them. */
size_t record_pattern_count(const struct record_pattern *);
const char *record_pattern_name(const struct record_pattern *, size_t i);

struct record_reader {
	enum record_format format; /* not RECORD_ROWS */
	const struct record_pattern *pattern;
	int ended; /* nobody writes any more: an incomplete record is damaged,
		      an incomplete line of text is complete */

	size_t taken;     /* bytes that need not come again */
	uint64_t skip;    /* bytes after those that are not needed */
	uint64_t damaged; /* records left out */
};

/*
 * Read the records in the next bytes of a file.  Sets taken, skip and damaged;
 * the bytes after taken must be passed again, with more.  Returns 0, or a
 * result of each other than 0; its record is not among those taken.
 */
int record_read(struct record_reader *, const char *bytes, size_t length,
    record_each *each, void *arg);

/*
 * A sheet is a table of all records of a log, or of the event files of a
 * directory, with a column for each name.
 */
struct record_sheet;

struct record_sheet *record_sheet_new(void);
void record_sheet_free(struct record_sheet *);

/*
 * Add a whole file.  prefix ("validation/") goes before all its names except
 * those of the step and the time.  Returns how many records were left out.
 */
uint64_t record_sheet_add(struct record_sheet *, struct record_reader *,
    const char *prefix, const char *bytes, size_t length);

/* Return the sheet as CSV, empty if there are no records; to free. */
char *record_sheet_csv(const struct record_sheet *, size_t *length);

/* Write the name of value i as a sheet names it, for a file with this prefix.
 */
void record_name(enum record_format, const char *prefix, const struct record *,
    size_t i, char *out, size_t size);

#endif
