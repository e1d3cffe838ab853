#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int
error_set(struct error *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (e != NULL) {
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof e->text, fmt, ap);
		va_end(ap);
	}
	errno = saved;
	return -1;
}

int
error_errno(struct error *e, const char *fmt, ...)
{
	int saved = errno;
	size_t used;
	va_list ap;

	if (e != NULL) {
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof e->text, fmt, ap);
		va_end(ap);
		used = strlen(e->text);
		snprintf(e->text + used, sizeof e->text - used, ": %s",
		    strerror(saved));
	}
	errno = saved;
	return -1;
}

int
error_prefix(struct error *e, const char *what)
{
	char old[sizeof e->text];

	if (e != NULL) {
		memcpy(old, e->text, sizeof old);
		error_set(e, "%s: %s", what, old);
	}
	return -1;
}
