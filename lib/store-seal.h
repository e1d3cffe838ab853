/*
 * Records of the store as text: a JSON object whose last member, "c", is the
 * CRC-32C of all bytes before it, so that damage is seen.  Inside the store
 * only.
 */
#ifndef STFM_STORE_SEAL_H
#define STFM_STORE_SEAL_H

#include <jansson.h>
#include <stddef.h>

#include "error.h"

/* The format version that this program writes and the newest it reads. */
enum { SEAL_VERSION = 1 };

/* A new object with "v" set; to json_decref. */
json_t *seal_new(void);

/*
 * The object as sealed text with a newline at its end, and its length; to
 * free.  Takes the object over.  indent 0 keeps it on one line.
 */
char *seal_text(json_t *record, size_t indent, size_t *length);

/*
 * Read one sealed record; what names it in the reason.  The caller owns the
 * object.  NULL when it is damaged (errno is EBADMSG) or was written by a newer
 * format.
 */
json_t *seal_read(
    const char *text, size_t length, const char *what, struct error *e);

/*
 * Members by key.  Missing ones, and ones of another type, are NULL, 0 or
 * fallback: the seal has shown that what is there is what was written.
 */
const char *seal_string(const json_t *record, const char *key);
int64_t seal_int(const json_t *record, const char *key, int64_t fallback);

/* Set a member; NULL text sets nothing. */
void seal_set_string(json_t *record, const char *key, const char *text);
void seal_set_int(json_t *record, const char *key, int64_t value);

/* An array of strings from count words, and back (to free, each and all). */
json_t *seal_words(char *const *words, size_t count);
char **seal_take_words(const json_t *array, size_t *count);

#endif
