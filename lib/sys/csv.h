/*
 * Rows are the records of a CSV or TSV file, read as its bytes arrive: the
 * reader keeps no more than one record and knows at which byte it ended, so
 * that reading can go on there later.
 *
 * CSV as RFC 4180 has it: quoted fields may hold delimiters, quotation marks
 * (doubled) and line ends; blanks around a field that is not quoted are
 * dropped.  TSV has no quotes; \t \n \r \\ stand for the characters themselves.
 * Lines end in LF, CRLF or CR; lines without anything in them are no records.
 * A byte order mark at the start is dropped.
 */
#ifndef STFM_SYS_CSV_H
#define STFM_SYS_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	ROWS_FIELDS = 1024,   /* most fields in one record */
	ROWS_RECORD = 1 << 20 /* most bytes in one record */
};

struct rows;

/* delimiter is ',' or ';' for CSV, '\t' for TSV. */
struct rows *rows_new(char delimiter);
void rows_free(struct rows *);

/*
 * What is called for each record.  end is the offset of the byte after its
 * line end, counted from the first byte fed; the fields belong to the reader
 * and live until this returns.  Anything but 0 stops the reading.
 */
typedef int rows_each(
    void *arg, char *const *field, size_t count, uint64_t end);

/*
 * Read some more bytes.  Returns 0, or what each returned, or -1 with the
 * reason in e ("line 3: ...", counted from the first byte fed): a NUL byte, or
 * a record beyond the limits above.  After anything but 0 the rest of the
 * bytes is unread and the reader is only good for rows_free.
 */
int rows_feed(struct rows *, const char *bytes, size_t length, rows_each *each,
    void *arg, struct error *e);

/*
 * There are no more bytes: a last record without a line end is one after all.
 * Returns as rows_feed; a quotation mark that was never closed is an error.
 */
int rows_finish(struct rows *, rows_each *each, void *arg, struct error *e);

#endif
