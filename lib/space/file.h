/*
 * Points that come from a file: CSV or TSV with a header, or JSON Lines, read
 * as the bytes arrive.  An empty field and JSON null are no value.
 */
#ifndef STFM_SPACE_FILE_H
#define STFM_SPACE_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "space/values.h"

struct file;

/*
 * name is the file's, with which reasons begin, and by whose end the format is
 * told when format ("csv", "tsv", "jsonl") is NULL; where neither tells it, the
 * first line does.  Returns NULL for a format that there is not.
 */
struct file *file_new(const char *name, const char *format, struct error *e);
void file_free(struct file *);

/* The names of the columns; known when the first row is there. */
size_t file_width(const struct file *);
const char *file_column(const struct file *, size_t i);

/*
 * Called for each row with a value for each column; they live until it
 * returns.  Anything but 0 stops.
 */
typedef int file_row(void *arg, const struct values_one *row);

/* Returns 0, what row returned, or -1 with the reason in e. */
int file_feed(struct file *, const char *bytes, size_t length, file_row *row,
    void *arg, struct error *e);

/* There is no more; returns as file_feed. */
int file_end(struct file *, file_row *row, void *arg, struct error *e);

#endif
