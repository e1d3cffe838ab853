#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "job-mend.h"
#include "xalloc.h"

void
job_mend_say(struct job_mend *m, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) == -1)
		text = xstrdup(fmt);
	va_end(args);
	words_take(m->said, text);
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
