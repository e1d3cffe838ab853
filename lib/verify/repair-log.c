#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "verify/repair-log.h"

void
job_mend_say(struct job_mend *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	words_take(m->said, xvasprintf(fmt, ap));
	va_end(ap);
}

int
job_mend_file(struct job_mend *m, const struct job_finding *f,
    const char *meaning, struct error *e)
{
	if (job_lost_move(&m->lost, f->path, e) == -1)
		return errno == ENOENT ? 0 : -1;
	job_mend_say(m, "%s: moved aside%s", f->path, meaning);
	return 0;
}
