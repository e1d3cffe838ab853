/*
 * A reader of CSV and TSV files that takes the bytes as they arrive.  It stores
 * at most one record and knows the offset of the end of that record, so that
 * reading can continue there later.
 *
 * CSV is as in RFC 4180: quoted fields may contain delimiters, quotes (doubled)
 * and line ends; blanks around an unquoted field are dropped.  TSV has no
 * quotes; \t \n \r \\ stand for the characters themselves.  Lines end in LF,
 * CRLF or CR; empty lines are not records.  A byte order mark at the start is
 * skipped.
 */
#ifndef STFM_SYS_CSV_H
#define STFM_SYS_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	ROWS_FIELDS = 1024,   /* most fields in a record */
	ROWS_RECORD = 1 << 20 /* most bytes in a record */
};

struct rows;

/* Return a reader.  delimiter is ',' or ';' for CSV, '\t' for TSV. */
struct rows *rows_new(char delimiter);
void rows_free(struct rows *);

/*
 * A function that gets each record.  end is the offset of the byte after the
 * record's line end, counted from the first byte fed.  The fields belong to the
 * reader and are valid during the call.  Returns 0, or any other value to stop
 * reading.
 */
typedef int rows_each(
    void *arg, char *const *field, size_t count, uint64_t end);

/*
 * Read more bytes.  Returns 0, or the value with which each stopped, or -1 with
 * the reason in e ("line 3: ...", counted from the first byte fed): a NUL byte,
 * or a record beyond the limits above.  If the result is not 0, the remaining
 * bytes are unread and the reader can only be freed.
 */
int rows_feed(struct rows *, const char *bytes, size_t length, rows_each *each,
    void *arg, struct error *e);

/*
 * End the input: a last record without a line end is complete.  Returns the
 * same as rows_feed; an unclosed quote is an error.
 */
int rows_finish(struct rows *, rows_each *each, void *arg, struct error *e);

#endif
