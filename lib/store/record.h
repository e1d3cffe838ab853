/*
 * Records of the store as text: a JSON object whose last member, "c", is the
 * CRC-32C of all bytes before it, so that damage is seen.  Inside the store
 * only.
 */
#ifndef STFM_STORE_RECORD_H
#define STFM_STORE_RECORD_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "sys/fs.h"

/* No small record is as large as this: one may name millions of tasks. */
enum { SEAL_SMALL = 1 << 26 };

/* The format version that this program writes and the newest it reads. */
enum { SEAL_VERSION = 1 };

/* A new object with "v" set; to json_decref. */
json_t *store_record_new(void);

/*
 * The object as sealed text with a newline at its end, and its length; to
 * free.  Takes the object over.  indent 0 keeps it on one line.
 */
char *store_record_text(json_t *record, size_t indent, size_t *length);

/* Whether the checksum of a record fits it. */
int store_record_holds(const char *text, size_t length);

/*
 * A record on one line with one more member at its front: "n", a name that
 * needs no escapes.  Every other byte stays.  NULL when the record is damaged
 * or not on one line.  To free.
 */
char *store_record_with_name(
    const char *text, size_t length, const char *name, size_t *out);

/*
 * The name at the front of a record on one line, and its length; NULL when it
 * has none.  *version is that of its format, 0 when it cannot be told.
 */
const char *store_record_name(
    const char *line, size_t length, size_t *out, int64_t *version);

/* The checksum of a record on one line, whose seal holds, as it is written. */
enum { SEAL_SUM = 9 };
void store_record_sum(const char *line, size_t length, char out[SEAL_SUM]);

/*
 * Read one sealed record; what names it in the reason.  The caller owns the
 * object.  NULL when it is damaged (errno is EBADMSG) or was written by a newer
 * format (ENOTSUP).
 */
json_t *store_record_read(
    const char *text, size_t length, const char *what, struct error *e);

/*
 * Read a file that is one sealed record of at most limit bytes; its path names
 * it in the reason.  errno is ENOENT when it is not there, else as
 * store_record_read.
 */
json_t *store_record_load(
    int dir, const char *name, size_t limit, struct error *e);

/* The same, whatever version its format has. */
json_t *store_record_load_any(
    int dir, const char *name, size_t limit, struct error *e);

/*
 * Publish a record in an open directory, as fs_publish; takes the record over.
 * A directory that could not be opened (-1) is passed on as -1.
 */
int store_record_publish(
    int dir, const char *name, json_t *record, size_t indent, struct error *e);

/* The same on one line, as fs_place: fs_sync has to follow. */
int store_record_place(
    int dir, const char *name, json_t *record, struct error *e);

/*
 * Members by key.  Missing ones, and ones of another type, are NULL, 0 or
 * fallback: the seal has shown that what is there is what was written.
 */
const char *store_record_string(const json_t *record, const char *key);
char *store_record_copy(const json_t *record, const char *key); /* to free */
int64_t store_record_int(
    const json_t *record, const char *key, int64_t fallback);

/* Set a member; NULL text sets nothing. */
void store_record_set_string(json_t *record, const char *key, const char *text);
void store_record_set_int(json_t *record, const char *key, int64_t value);

/*
 * Real numbers are kept as text, which keeps every bit, where JSON's would be
 * read as they please.  Missing ones are 0.
 */
void store_record_set_real(json_t *record, const char *key, double value);
double store_record_real(const json_t *record, const char *key);

/* An array of strings from count words, and back (to free, each and all). */
json_t *store_record_words(char *const *words, size_t count);
char **store_record_take_words(const json_t *array, size_t *count);

#endif
