#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "metrics/read-files.h"
#include "sys/fs.h"

/* Limits on the depth of directories and on the number of names. */
enum { DEPTH = 4, MOST = 10000 };

struct listing {
	struct record_files *found;
	struct record_files rows; /* metrics.csv files */
	size_t looked_at;
	int failed; /* errno of a directory that could not be read, or 0 */
	struct error *e;
};

static void
add(struct record_files *f, const char *path, const char *prefix,
    const char *name, int is_events)
{
	f->file = xgrow(f->file, f->count, sizeof *f->file);
	f->file[f->count++] = (struct record_file){
	    fs_join(path, name), xstrdup(prefix), is_events};
}

void
record_files_free(struct record_files *f)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		free(f->file[i].path);
		free(f->file[i].prefix);
	}
	free(f->file);
	*f = (struct record_files){.count = 0};
}

/*
 * Record a failure.  Files, and directories that are gone or that this user may
 * not read, are not failures: they have no readable logs.
 */
static void
note_failure(struct listing *l, const struct error *why)
{
	if (l->failed != 0 || fs_says_absent(errno) || errno == ELOOP ||
	    errno == EACCES)
		return;
	l->failed = errno;
	if (l->e != NULL)
		*l->e = *why;
}

static void look(struct listing *l, int dir, const char *path,
    const char *prefix, int depth);

static void
look_below(struct listing *l, int dir, const char *path, const char *prefix,
    const char *name, int depth)
{
	static const char version[] = "version_";
	const size_t length = sizeof version - 1;
	struct error why;
	int below = fs_open_subdir(dir, name, 0, &why);
	char *inner, *inside;

	if (below == -1) {
		note_failure(l, &why);
		return;
	}
	/* Lightning creates another version_N for each restart. */
	if (strcmp(name, "lightning_logs") == 0 ||
	    (strncmp(name, version, length) == 0 &&
		name[length + strspn(name + length, "0123456789")] == '\0'))
		inner = xstrdup(prefix);
	else
		inner = xasprintf("%s%s/", prefix, name);
	inside = fs_join(path, name);
	look(l, below, inside, inner, depth + 1);
	free(inside);
	free(inner);
	fs_close(below);
}

static void
look(
    struct listing *l, int dir, const char *path, const char *prefix, int depth)
{
	struct fs_names names;
	struct error why;
	size_t i;

	if (fs_list(dir, &names, &why) == -1) {
		note_failure(l, &why);
		return;
	}
	for (i = 0; i < names.count && l->looked_at++ < MOST; i++)
		if (strstr(names.name[i], "tfevents") != NULL)
			add(l->found, path, prefix, names.name[i], 1);
		else if (strcmp(names.name[i], "metrics.csv") == 0)
			add(&l->rows, path, prefix, names.name[i], 0);
		else if (depth < DEPTH)
			look_below(l, dir, path, prefix, names.name[i], depth);
	fs_names_free(&names);
}

/* Return the part of a file's name that tells when the file was created. */
static const char *
begun(const struct record_file *f)
{
	const char *name = fs_base(f->path);
	const char *mark = strstr(name, "tfevents.");

	return mark != NULL ? mark + strlen("tfevents.") : name;
}

static int
by_age(const void *a, const void *b)
{
	const struct record_file *f = a, *g = b;
	int order = strverscmp(begun(f), begun(g));

	return order != 0 ? order : strverscmp(f->path, g->path);
}

int
record_files_list(
    struct record_files *out, const char *directory, struct error *e)
{
	struct listing l = {.found = out, .e = e};
	struct record_files *rows = &l.rows;
	int dir = fs_open_dir(directory, e);

	*out = (struct record_files){.count = 0};
	if (dir == -1)
		return -1;
	look(&l, dir, directory, "", 0);
	fs_close(dir);
	if (out->count > 1)
		qsort(out->file, out->count, sizeof *out->file, by_age);
	if (out->count == 0 && rows->count > 0) {
		/* Each restart has its own header: use only the newest file. */
		qsort(rows->file, rows->count, sizeof *rows->file, by_age);
		out->file = xgrow(NULL, 0, sizeof *out->file);
		out->file[out->count++] = rows->file[--rows->count];
	}
	record_files_free(rows);
	errno = l.failed;
	return l.failed == 0 ? 0 : -1;
}
