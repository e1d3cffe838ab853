/*
 * Allocation that does not fail: without memory, these functions say so on
 * standard error and end the process with status 2.  All other functions of the
 * library report failure to their callers.
 */
#ifndef STFM_BASE_XALLOC_H
#define STFM_BASE_XALLOC_H

#include <stddef.h>
#include <stdarg.h>
#include <stdio.h>

/* Each returns memory, to free(3); never NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list)
    __attribute__((format(printf, 1, 0)));

/* Return a copy of text, to free, or NULL for NULL. */
char *xcopy(const char *text);

/*
 * Open a stream that writes into memory.  xmemclose closes it and sets *text,
 * to free(3), with a NUL after the last byte, and *length.
 */
FILE *xmemopen(char **text, size_t *length);
void xmemclose(FILE *);

/*
 * Make room for one more item in an array that holds count items of this size.
 * The array doubles if count is 0 or a power of two, so it needs no stored
 * capacity.  Returns the array, which may have moved.
 */
void *xgrow(void *array, size_t count, size_t size);

#endif
