/*
 * Records of the store as text, for the files of lib/store: JSON objects whose
 * last member, "c", is the CRC-32C of all bytes before it.
 */
#ifndef STFM_STORE_RECORD_H
#define STFM_STORE_RECORD_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "base/idset.h"
#include "sys/fs.h"

/* The size limit of small records in bytes; one may name millions of tasks. */
enum { STORE_RECORD_LIMIT = 1 << 26 };

/*
 * The format version that stfm writes, and the newest that it reads.  Records
 * of jobs with a search have the second one: see store/policy.h.
 */
enum { STORE_VERSION = 1, STORE_JOB_VERSION = 2 };

/* Return a new object with "v" set; to json_decref. */
json_t *store_record_new(void);

/*
 * Return record as checksummed text that ends in a newline, and its length; to
 * free.  Takes record.  indent 0 keeps it on one line.
 */
char *store_record_text(json_t *record, size_t indent, size_t *length);

/* Return whether the checksum of a record is right. */
int store_record_holds(const char *text, size_t length);

/*
 * Return a record on one line with one more member at its front: "n", a name
 * that needs no escapes.  All other bytes stay.  To free; NULL if the record is
 * damaged or not on one line.
 */
char *store_record_with_name(
    const char *text, size_t length, const char *name, size_t *out);

/*
 * Return the name at the front of a record on one line, which points into line,
 * and its length in *out; NULL if there is none.  *version is its format
 * version, or 0 if unknown.
 */
const char *store_record_name(
    const char *line, size_t length, size_t *out, int64_t *version);

/*
 * Copy the checksum of a record on one line, as it is written, to out.  The
 * checksum must be right.
 */
enum { STORE_SUM_SIZE = 9 };
void store_record_sum(
    const char *line, size_t length, char out[STORE_SUM_SIZE]);

/*
 * Read one checksummed record; what names it in the reason.  Returns the
 * object, to json_decref, or NULL with ERROR_DAMAGED if it is damaged or
 * ERROR_NEWER if its format is newer.
 */
json_t *store_record_read(
    const char *text, size_t length, const char *what, struct error *e);

/*
 * Read a file that is one record of at most limit bytes.  Returns the object,
 * to json_decref, or NULL with ERROR_ABSENT if there is no file, or the codes
 * of store_record_read.  The reason has its path.
 */
json_t *store_record_load(
    int dir, const char *name, size_t limit, struct error *e);

/* Read a file as store_record_load does, up to the format version newest. */
json_t *store_record_load_to(
    int dir, const char *name, size_t limit, int64_t newest, struct error *e);

/*
 * Publish record in the open directory dir.  Takes record.  Result and errors
 * are those of fs_publish.  If dir is -1, because it could not be opened,
 * returns -1.
 */
int store_record_publish(
    int dir, const char *name, json_t *record, size_t indent, struct error *e);

/*
 * Write record to the open directory dir on one line with fs_place; fs_sync has
 * to follow.  Takes record.  Result and errors are those of fs_place; -1 if dir
 * is -1.
 */
int store_record_place(
    int dir, const char *name, json_t *record, struct error *e);

/*
 * Return a member by its key.  A member that is missing or has another type is
 * NULL, 0 or fallback: the checksum has shown that nothing was altered.
 */
const char *store_record_string(const json_t *record, const char *key);
char *store_record_copy(const json_t *record, const char *key); /* to free */
int64_t store_record_int(
    const json_t *record, const char *key, int64_t fallback);

/* Set a member.  A NULL string is not set. */
void store_record_set_string(json_t *record, const char *key, const char *text);
void store_record_set_int(json_t *record, const char *key, int64_t value);
void store_record_set_idset(json_t *, const char *key, const struct idset *);

/*
 * Set and get real numbers.  They are strings in the record, which keep every
 * bit; JSON readers may round numbers.  A missing number is 0.
 */
void store_record_set_real(json_t *record, const char *key, double value);
double store_record_real(const json_t *record, const char *key);

/*
 * Convert count words to an array of strings, to json_decref, and an array back
 * to words; free each word and the list.
 */
json_t *store_record_words(char *const *words, size_t count);
char **store_record_take_words(const json_t *array, size_t *count);

/*
 * The last line of a file that is not JSON: "# crc32c" and the CRC-32C of the
 * bytes before it.  store_sum_add appends it to an allocated text, which it may
 * move, and returns the text.  store_sum_cut takes it off; it returns 0, or -1
 * if it does not fit.
 */
enum { STORE_SUM_LINE = 18 };
char *store_sum_add(char *text, size_t *length);
int store_sum_cut(char *text, size_t *length);

#endif
