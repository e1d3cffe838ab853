#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xalloc.h"

static void *
checked(void *p)
{
	static const char msg[] = "stfm: out of memory\n";
	ssize_t ignored;

	if (p == NULL) {
		ignored = write(STDERR_FILENO, msg, sizeof msg - 1);
		(void)ignored;
		_exit(2);
	}
	return p;
}

void *
xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *
xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *
xrealloc(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

char *
xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *
xstrndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *
xasprintf(const char *fmt, ...)
{
	char *out;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&out, fmt, ap) == -1)
		out = NULL;
	va_end(ap);
	return checked(out);
}

void *
xgrow(void *array, size_t count, size_t size)
{
	if (count == 0)
		return xmalloc(4 * size);
	if (count < 4 || (count & (count - 1)) != 0)
		return array;
	if (count > SIZE_MAX / 2 / size)
		return checked(NULL);
	return xrealloc(array, 2 * count * size);
}
