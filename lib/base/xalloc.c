#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

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
	out = xvasprintf(fmt, ap);
	va_end(ap);
	return out;
}

char *
xvasprintf(const char *fmt, va_list ap)
{
	char *out;

	return checked(vasprintf(&out, fmt, ap) == -1 ? NULL : out);
}

/*
 * The state of a stream of xmemopen.  glibc's open_memstream(3) silently drops
 * text when memory runs out: neither ferror(3) nor fclose(3) reports it.
 */
struct memory {
	char *bytes, **text;
	size_t length, room, *out;
};

static ssize_t
memory_write(void *cookie, const char *bytes, size_t count)
{
	struct memory *m = cookie;

	while (m->room - m->length <= count) {
		m->room = m->room ? m->room * 2 : 256;
		m->bytes = xrealloc(m->bytes, m->room);
	}
	memcpy(m->bytes + m->length, bytes, count);
	m->length += count;
	return (ssize_t)count;
}

static int
memory_close(void *cookie)
{
	struct memory *m = cookie;

	memory_write(m, "", 1);
	*m->text = m->bytes;
	*m->out = m->length - 1;
	free(m);
	return 0;
}

FILE *
xmemopen(char **text, size_t *length)
{
	const cookie_io_functions_t calls = {
	    .write = memory_write, .close = memory_close};
	struct memory *m = xcalloc(1, sizeof *m);

	m->text = text;
	m->out = length;
	*text = NULL;
	return checked(fopencookie(m, "w", calls));
}

void
xmemclose(FILE *f)
{
	fclose(f);
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
