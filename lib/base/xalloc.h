/*
 * Allocation that cannot fail: if memory runs out, these functions print a
 * message on standard error and end the process with status 2.  All other
 * functions of the library report failures to their callers.
 */
#ifndef STFM_BASE_XALLOC_H
#define STFM_BASE_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Like malloc(3) and so on, but never NULL; free the memory with free(3). */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list)
    __attribute__((format(printf, 1, 0)));

/* Return a copy of text, to free, or NULL for NULL. */
static inline char *
xcopy(const char *text)
{
	return text != NULL ? xstrdup(text) : NULL;
}

/*
 * Open a stream that writes into memory.  xmemclose closes it and sets *text,
 * to free(3), with a NUL after the last byte, and *length.
 */
FILE *xmemopen(char **text, size_t *length);
void xmemclose(FILE *);

/*
 * Make room for one more item in an array that has count items of this size.
 * The capacity is not stored but follows from count, so call this once for each
 * item that you add.  Returns the array, which may have moved.
 */
void *xgrow(void *array, size_t count, size_t size);

#endif
