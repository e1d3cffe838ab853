/*
 * A record is what a training wrote down at one moment: values by their names.
 * Records are read from what names its values again and again:
 *
 *	JSON Lines     an object a line; {"val": {"loss": 1}} is val.loss
 *	TensorBoard    an event file, of which the scalars count; the first
 *	               value is the step, the second wall_time
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

/* "CSV", "JSON Lines", "TensorBoard", "plain log". */
const char *record_format_name(enum record_format);

/*
 * The format of a log by its first bytes: at least 64, or all there are.
 * Never RECORD_TEXT: any text may be that.
 */
enum record_format record_recognise(const char *bytes, size_t length);

enum {
	RECORD_NAME = 512,     /* most bytes of a name, prefix and all */
	RECORD_VALUES = 1000,  /* most values in one record */
	RECORD_SIZE = 1 << 19, /* a larger one is passed over */
	RECORD_START = 64      /* bytes that tell the format */
};

/* Both texts belong to the reader.  Values are numbers, as num_parse has it. */
struct record {
	const char *const *name, *const *value;
	size_t count;
};

/* Anything but 0 stops the reading; taken is where the record ends. */
typedef int record_each(void *arg, const struct record *, size_t taken);

/*
 * What to look for in lines of text: an extended regular expression (POSIX),
 * in which (?P<name>...) or (?<name>...) is a value, (?:...) is none, and \d
 * a digit.  Several of them look at each line, and together make its record.
 */
struct record_pattern;

/* Returns NULL with the reason in e: "'(': a group that is not closed". */
struct record_pattern *record_pattern_new(
    const char *const *text, size_t count, struct error *e);
void record_pattern_free(struct record_pattern *);

/* The names in the pattern. */
size_t record_pattern_count(const struct record_pattern *);
const char *record_pattern_name(const struct record_pattern *, size_t i);

struct record_reader {
	enum record_format format; /* not RECORD_ROWS */
	const struct record_pattern *pattern;
	int ended; /* nobody writes any more: what is half there is damaged,
		      or, in text, complete */

	size_t taken;     /* bytes that need not come again */
	uint64_t skip;    /* bytes to pass over, those after taken */
	uint64_t damaged; /* records passed over */
};

/*
 * Read the records in these bytes, the next of their file.  taken, skip and
 * damaged are set; what follows taken has to come again, longer.  Returns 0,
 * or what each returned, with the record it was given not among those taken.
 */
int record_read(struct record_reader *, const char *bytes, size_t length,
    record_each *each, void *arg);

/*
 * A sheet is all records of a log, or of the event files of a directory, with
 * a column for each name: to make rows of them.
 */
struct record_sheet;

struct record_sheet *record_sheet_new(void);
void record_sheet_free(struct record_sheet *);

/*
 * Add a whole file.  prefix goes before its names ("validation/"), but for
 * those of the step and the time.  Returns the records passed over.
 */
uint64_t record_sheet_add(struct record_sheet *, struct record_reader *,
    const char *prefix, const char *bytes, size_t length);

/* The sheet as CSV, to free.  Empty when there are no records. */
char *record_sheet_csv(const struct record_sheet *, size_t *length);

/* The name of a value in a file with that prefix, as a sheet has it. */
void record_name(enum record_format, const char *prefix, const struct record *,
    size_t i, char *out, size_t size);

#endif
