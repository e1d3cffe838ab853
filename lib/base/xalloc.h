/*
 * Memory that is always there: when none is left, these say so on standard
 * error and end the process with status 2.  Everything else in the library
 * reports failure to its caller.
 */
#ifndef STFM_BASE_XALLOC_H
#define STFM_BASE_XALLOC_H

#include <stddef.h>
#include <stdarg.h>
#include <stdio.h>

/* Each returns memory to be given to free(3); never NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list)
    __attribute__((format(printf, 1, 0)));

/* The same as xstrdup, but NULL of NULL. */
char *xcopy(const char *text);

/*
 * A stream that is written into memory, and its end, which sets *text (to be
 * given to free(3), a NUL behind the last byte) and *length.
 */
FILE *xmemopen(char **text, size_t *length);
void xmemclose(FILE *);

/*
 * Make room for one more item in an array that holds count items of the given
 * size; the array doubles when count is 0 or a power of two, so it needs no
 * capacity of its own.  Returns the array, which may have moved.
 */
void *xgrow(void *array, size_t count, size_t size);

#endif
