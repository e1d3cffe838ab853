#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sys/fs.h"
#include "verify/finding.h"

void
verify_findings_free(struct verify_findings *f)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		free(f->item[i].job);
		free(f->item[i].path);
		free(f->item[i].what);
	}
	free(f->item);
	memset(f, 0, sizeof *f);
}

/* The text behind a prefix that ends in a slash or stands before ":". */
static const char *
behind(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* Take ":LINE" and ": " away from before a reason. */
static const char *
take_line(const char *text, size_t *line)
{
	char *end;
	size_t n;

	if (text[0] == ':' && text[1] >= '0' && text[1] <= '9') {
		n = strtoul(text + 1, &end, 10);
		if (*end == ':') {
			*line = n;
			text = end;
		}
	}
	return text[0] == ':' && text[1] == ' ' ? text + 2 : text;
}

struct verify_finding *
verify_finding_add(struct verify_findings *f, enum verify_finding_kind kind,
    const char *job, const char *path, const char *what)
{
	char *whole = fs_join(f->store->path, path);
	const char *rest = behind(what, whole), *slash = strrchr(path, '/');
	struct verify_finding *item;

	if (rest == NULL && slash != NULL)
		rest = behind(what, slash + 1);
	f->item = xgrow(f->item, f->count, sizeof *f->item);
	item = &f->item[f->count++];
	*item = (struct verify_finding){.kind = kind};
	item->job = xcopy(job);
	item->path = xstrdup(path);
	item->what =
	    xstrdup(rest != NULL ? take_line(rest, &item->line) : what);
	f->damage += kind != FINDING_NOTE;
	free(whole);
	return item;
}
