#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "verify/repair-log.h"

void
repair_say(struct repair_log *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strlist_take(m->said, xvasprintf(fmt, ap));
	va_end(ap);
}

int
repair_file(struct repair_log *m, const struct verify_finding *f,
    const char *meaning, struct error *e)
{
	if (quarantine_move(&m->lost, f->path, e) == -1)
		return errno == ENOENT ? 0 : -1;
	repair_say(m, "%s: moved aside%s", f->path, meaning);
	return 0;
}
