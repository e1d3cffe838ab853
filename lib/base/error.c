#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

__attribute__((format(printf, 3, 0))) static void
set(struct error *e, enum error_code code, const char *fmt, va_list ap)
{
	if (e == NULL)
		return;
	e->code = code;
	e->number = 0;
	e->named = 0;
	vsnprintf(e->text, sizeof e->text, fmt, ap);
}

int
error_set(struct error *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	set(e, ERROR_OTHER, fmt, ap);
	va_end(ap);
	errno = saved;
	return -1;
}

int
error_code(struct error *e, enum error_code code, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	set(e, code, fmt, ap);
	va_end(ap);
	errno = saved;
	return -1;
}

int
error_copy(struct error *e, const struct error *from)
{
	if (e != NULL)
		*e = *from;
	return -1;
}

int
error_reword(struct error *e, const struct error *from, const char *fmt, ...)
{
	struct error new = {.code = from->code, .number = from->number};
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(new.text, sizeof new.text, fmt, ap);
	va_end(ap);
	errno = saved;
	return error_copy(e, &new);
}

/* What an errno means to a caller. */
static enum error_code
code_of(int number)
{
	switch (number) {
	case ENOENT:
		return ERROR_ABSENT;
	case EAGAIN:
	case EINTR:
	case EIO:
	case ESTALE:
	case ETIMEDOUT:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return ERROR_LATER;
	default:
		return ERROR_OTHER;
	}
}

int
error_errno(struct error *e, const char *fmt, ...)
{
	int saved = errno;
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	set(e, code_of(saved), fmt, ap);
	va_end(ap);
	if (e != NULL) {
		e->number = saved;
		used = strlen(e->text);
		snprintf(e->text + used, sizeof e->text - used, ": %s",
		    strerror(saved));
	}
	errno = saved;
	return -1;
}

int
error_names(struct error *e, const char *option)
{
	if (e != NULL)
		e->named = strlen(option);
	return -1;
}
