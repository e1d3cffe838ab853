#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/directory.h"
#include "verify/job-check.h"

/* How often to read what is listed, but does not seem to be there. */
enum { TRIES = 3 };

char *
verify_job_path(const struct verify_job *s, const char *part, const char *name)
{
	return xasprintf("jobs/%s/%s%s%s", s->job->name, part,
	    *part && *name ? "/" : "", name);
}

void
verify_job_note(struct verify_job *s, enum verify_finding_kind kind,
    const char *part, const char *name, const char *what)
{
	char *path = verify_job_path(s, part, name);

	verify_finding_add(s->found, kind, s->job->name, path, what);
	free(path);
}

int
verify_job_open(const struct verify_job *s, const char *part, struct error *e)
{
	const char *slash = strchr(part, '/');
	char *first = slash != NULL ? xstrndup(part, (size_t)(slash - part))
				    : xstrdup(part);
	int dir = store_directory_open(s->job, first, 0, e), inner;

	free(first);
	if (dir == -1 || slash == NULL)
		return dir;
	inner = fs_open_subdir(dir, slash + 1, 0, e);
	fs_close(dir);
	return inner;
}

/* Whether a fresh listing has the name: 1, 0, or -1. */
static int
is_there(const struct verify_job *s, const char *part, const char *name,
    struct error *e)
{
	struct fs_names names = {0};
	int dir = verify_job_open(s, part, e), found = 0;
	size_t i;

	if (dir == -1 || fs_list(dir, &names, e) == -1)
		found = errno == ENOENT ? 0 : -1;
	for (i = 0; i < names.count; i++)
		found |= strcmp(names.name[i], name) == 0;
	fs_names_free(&names);
	fs_close(dir);
	return found;
}

int
verify_job_again(const struct verify_job *s, const char *part, const char *name,
    int *tries, struct error *e)
{
	int saved = errno, there;

	if (saved != ENOENT && saved != ESTALE)
		return -1;
	there = is_there(s, part, name, e);
	if (there == 1 && ++*tries == TRIES) {
		errno = saved;
		return error_set(e, "%s/%s/%s: is listed, but: %s",
		    s->job->path, part, name, strerror(saved));
	}
	return there;
}

/* Read a record in its directory, or in one that is opened anew (dir -1). */
static int
read_record(const struct verify_job *s, const char *part, int dir,
    const char *name, struct error *e)
{
	int own = dir == -1 ? verify_job_open(s, part, e) : dir, rc = -1;

	if (own != -1)
		rc = store_directory_check(s->job, own, name, e);
	if (dir == -1)
		fs_close(own);
	return rc;
}

/* Note why a record cannot be read, if that is for good: 1, or -1. */
static int
note_record(struct verify_job *s, enum verify_finding_kind kind,
    const char *part, const char *name, const struct error *why,
    struct error *e)
{
	if (errno == ENOTSUP)
		kind = FINDING_NOTE;
	else if (!store_directory_is_damage(errno))
		return error_set(e, "%s", why->text);
	verify_job_note(s, kind, part, name, why->text);
	return 1;
}

int
verify_job_record(struct verify_job *s, enum verify_finding_kind kind,
    const char *part, int dir, const char *name, struct error *e)
{
	struct error why;
	int tries = 0, again;

	while (read_record(s, part, tries == 0 ? dir : -1, name, &why) == -1) {
		if (errno != ENOENT && errno != ESTALE)
			return note_record(s, kind, part, name, &why, e);
		again = verify_job_again(s, part, name, &tries, e);
		if (again != 1)
			return again == -1 ? -1 : 1;
	}
	return 0;
}

int
verify_job_list(struct verify_job *s, const char *part, struct fs_names *names,
    int *rc, struct error *e)
{
	int dir = store_directory_list(s->job, part, names, e);

	*rc = dir != -1 || errno == ENOENT || store_directory_is_damage(errno)
	    ? 0
	    : -1;
	return dir;
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
	if (errno == EACCES)
		verify_job_note_unread(s, name, why);
	else if (errno == ENOENT)
		verify_job_note(s, kind == FINDING_FILE ? FINDING_STAYS : kind,
		    "", name, "not there");
	else if (store_directory_is_damage(errno))
		verify_job_note(s, kind, "", name, why->text);
	else
		return error_set(e, "%s", why->text);
	return 0;
}
