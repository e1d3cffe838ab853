/* The list of findings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/directory.h"
#include "store/load.h"
#include "store/store.h"
#include "verify/private.h"

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

/* Skip ":LINE" and ": " at the start of a reason. */
static const char *
skip_line(const char *text, size_t *line)
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
	const char *slash = strrchr(path, '/');
	struct verify_finding *item;

	f->item = xgrow(f->item, f->count, sizeof *f->item);
	item = &f->item[f->count++];
	*item = (struct verify_finding){.kind = kind};
	item->job = xcopy(job);
	item->path = xstrdup(path);
	if (text_begins(what, whole))
		what = skip_line(what + strlen(whole), &item->line);
	else if (slash != NULL && text_begins(what, slash + 1))
		what = skip_line(what + strlen(slash + 1), &item->line);
	item->what = xstrdup(what);
	f->damage += kind != FINDING_NOTE;
	free(whole);
	return item;
}

int
verify_finding_has(const struct verify_findings *f, const char *path)
{
	size_t i;

	for (i = f->count; i > 0; i--)
		if (strcmp(f->item[i - 1].path, path) == 0)
			return 1;
	return 0;
}

/* ---- notes on one job ---- */

char *
verify_job_path(const struct verify_job *s, const char *part, const char *name)
{
	return xasprintf("jobs/%s/%s%s%s", store_job_name(s->job), part,
	    *part && *name ? "/" : "", name);
}

void
verify_job_note(struct verify_job *s, enum verify_finding_kind kind,
    const char *part, const char *name, const char *what)
{
	char *path = verify_job_path(s, part, name);

	verify_finding_add(s->found, kind, store_job_name(s->job), path, what);
	free(path);
}

void
verify_job_note_unread(
    struct verify_job *s, const char *name, const struct error *why)
{
	verify_job_note(s, FINDING_NOTE, "", name, why->text);
	s->found->unread++;
}

int
verify_job_note_file(struct verify_job *s, enum verify_finding_kind kind,
    const char *name, const struct error *why, struct error *e)
{
	if (why->number == EACCES)
		verify_job_note_unread(s, name, why);
	else if (why->code == ERROR_ABSENT)
		verify_job_note(s, kind == FINDING_FILE ? FINDING_STAYS : kind,
		    "", name, "not there");
	else if (store_directory_is_damage(why))
		verify_job_note(s, kind, "", name, why->text);
	else
		return error_copy(e, why);
	return 0;
}

int
verify_job_list(struct verify_job *s, const char *part, struct fs_names *names,
    int *rc, struct error *e)
{
	struct error why;
	int dir = store_directory_list(s->job, part, names, &why);

	*rc = dir != -1 || why.code == ERROR_ABSENT ||
		store_directory_is_damage(&why)
	    ? 0
	    : error_copy(e, &why);
	return dir;
}
