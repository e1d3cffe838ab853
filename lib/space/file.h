/*
 * A file of points: CSV or TSV with a header, or JSON Lines, read as the bytes
 * arrive.  An empty field and JSON null mean that there is no value.
 */
#ifndef STFM_SPACE_FILE_H
#define STFM_SPACE_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "space/columns.h"
#include "space/values.h"

struct file;

/*
 * Return a new file; free with file_free.  Reasons begin with name.  format is
 * "csv", "tsv" or "jsonl".  If it is NULL, the end of the name decides, or else
 * the first line.  Returns NULL with the reason in e for another format.
 */
struct file *file_new(const char *name, const char *format, struct error *e);
void file_free(struct file *);

/* Return the columns, which are known after the first row. */
const struct columns *file_columns(const struct file *);

/*
 * A function that gets each row: a value for each column, valid until it
 * returns.  A result other than 0 stops the reading.
 */
typedef int file_row(void *arg, const struct values_one *row);

/* Read more bytes.  Returns 0, row's result, or -1 with the reason in e. */
int file_feed(struct file *, const char *bytes, size_t length, file_row *row,
    void *arg, struct error *e);

/* End the file.  Returns the same as file_feed. */
int file_end(struct file *, file_row *row, void *arg, struct error *e);

#endif
