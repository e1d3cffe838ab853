/* Declarations shared by the files of lib/metrics. */
#ifndef STFM_METRICS_PRIVATE_H
#define STFM_METRICS_PRIVATE_H

#include "metrics/metrics.h"
#include "metrics/reader.h"

/* Copy a name, shortened and made UTF-8 if necessary. */
void metrics_copy_name(char out[METRICS_NAME], const char *name);

/* Name the metric to follow.  Drops the best value of another metric. */
void metrics_name_objective(struct metrics_summary *, const char *name);

/* Add a row with the columns of the summary. */
void metrics_take_row(struct metrics_summary *, const struct metrics_request *,
    char *const *field, size_t count);

/* Read bytes as metrics_summary_feed does. */
int metrics_feed(struct metrics_summary *, const struct metrics_request *,
    const char *bytes, size_t length, int ended, struct error *e);

/* ---- readers of records ---- */

enum { RECORD_FORM = 64 }; /* most values in a line that has a form */

/* Texts in one buffer, each followed by a NUL; all zero is empty. */
struct record_texts {
	char *text;
	size_t used, size;
};

/* Append length bytes as a text.  Returns where it begins. */
size_t record_keep(struct record_texts *, const char *text, size_t length);

/*
 * Find a name, starting after index *last: most records have their names in the
 * same order.  Returns the index of the name, also in *last, or -1.
 */
ptrdiff_t record_find_name(
    char *const *names, size_t count, const char *name, size_t *last);

/*
 * The form of the last record's line: with other numbers in the same places, a
 * line has a record with the same names.  See read-json.c.
 */
struct record_form {
	struct record_texts texts; /* the line, then the names */
	size_t begin[RECORD_FORM], end[RECORD_FORM]; /* of values in the line */
	size_t name[RECORD_FORM];
	size_t length, count; /* of the line; count is 0 if there is no form */
};

/* A record under construction; all zero is empty. */
struct record_draft {
	struct record_texts texts;
	size_t name[RECORD_VALUES], value[RECORD_VALUES], count;
	struct record_form form;
	int has_form;    /* the names are those of the form */
	int takes_texts; /* add values that are no numbers, too */
};

void record_draft_free(struct record_draft *);

/*
 * Add a value.  Ignores it if there are too many, or if it is not a number and
 * the draft takes no texts.
 */
void record_draft_add(struct record_draft *, const char *name,
    size_t name_length, const char *value, size_t value_length);

/*
 * Pass the record to each unless it is empty, then empty it.  Returns 0, or the
 * result of each.
 */
int record_draft_give(
    struct record_draft *, record_each *each, void *arg, size_t taken);

/* Read one format; arguments and result are those of record_read. */
int record_read_json(struct record_reader *, const char *bytes, size_t length,
    record_each *each, void *arg);
int record_read_events(struct record_reader *, const char *bytes, size_t length,
    record_each *each, void *arg);
int record_read_text(struct record_reader *, const char *bytes, size_t length,
    record_each *each, void *arg);

/*
 * Take a line of printed output that ends with LF, with CR (a state that the
 * next one overwrites) or with the output.  Adds its metrics to the draft and
 * its epoch to the reader.  Returns 1.
 */
int record_guess_line(struct record_draft *, struct record_reader *,
    const char *line, size_t length);

/* Return whether an event file can begin with these bytes. */
int record_is_events(const char *bytes, size_t length);

/*
 * How to read lines: take adds the values of a line to the draft, and returns 0
 * if the line is damaged.
 */
struct record_lines {
	int (*take)(struct record_draft *, struct record_reader *,
	    const char *line, size_t length);
	int carriage; /* 1: CR also ends a line; 2: and CRLF ends one line */
};

/* Read lines; the other arguments and the result are those of record_read. */
int record_read_lines(struct record_reader *, const struct record_lines *,
    const char *bytes, size_t length, record_each *each, void *arg);

#endif
