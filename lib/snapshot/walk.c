/* The files of a snapshot outside git: files that match the patterns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs-tree.h"

/* A directory with more names contains data. */
enum { CROWD = 2000 };

struct walk {
	struct snapshot *s;
	const struct patterns *patterns;
	const char *store;
	size_t seen;
	int depth;
	int flat; /* do not enter subdirectories */
};

static int walk(struct walk *w, int dir, const char *below, struct error *e);

/* Return whether errno says that a name is gone or inaccessible. */
static int
is_closed(int error)
{
	return error == ENOENT || error == EACCES || error == EPERM ||
	    error == ENOTDIR || error == ELOOP;
}

/* Return whether a directory is the store's or a virtual environment's. */
static int
is_foreign(const struct walk *w, int dir, const char *path)
{
	char *whole = fs_join(w->s->root, path);
	int foreign = w->store != NULL && strcmp(whole, w->store) == 0;
	struct stat st;

	free(whole);
	return foreign || fs_stat(dir, "pyvenv.cfg", &st, NULL) == 0 ||
	    fs_stat(dir, "conda-meta", &st, NULL) == 0 ||
	    fs_stat(dir, "FORMAT", &st, NULL) == 0;
}

/* Return whether a directory, by its name, has data and no program. */
static int
is_only_data(const char *name, const struct fs_names *names)
{
	size_t i;

	if (!is_data(name) && !is_results(name))
		return 0;
	for (i = 0; i < names->count; i++)
		if (is_source(names->name[i]))
			return 0;
	return 1;
}

/* Take a name that matches, or walk a directory. */
static int
look_at(struct walk *w, int dir, const char *name, const char *path,
    struct error *e)
{
	struct stat st;
	int fd, rc;

	if (fs_stat(dir, name, &st, e) == -1)
		return is_closed(errno) ? 0 : -1;
	if (!S_ISDIR(st.st_mode)) {
		if ((S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) &&
		    patterns_take(w->patterns, path, "") &&
		    !patterns_leave(w->patterns, path, "") &&
		    !secret_name(name))
			node_add(w->s->top, path, NODE_FILE);
		return 0;
	}
	if (w->flat || *name == '.' || is_never_copied(name) || w->depth > 30 ||
	    patterns_leave(w->patterns, path, ""))
		return 0;
	fd = fs_open_subdir(dir, name, 0, e);
	if (fd == -1)
		return is_closed(errno) ? 0 : -1;
	w->depth++;
	rc = is_foreign(w, fd, path) ? 0 : walk(w, fd, path, e);
	w->depth--;
	fs_close(fd);
	return rc;
}

static int
too_many(const struct walk *w, const char *below, struct error *e)
{
	size_t n = strcspn(below, "/");

	if (n == 0)
		return error_set(e,
		    "%s: more than %d files in the directory of the code: "
		    "--no-snapshot runs it where it is",
		    w->s->root, SNAPSHOT_FILES);
	return error_set(e,
	    "%s: more than %d files to look through for code, the last in "
	    "%.*s: leave out that directory (--snapshot=-%.*s/), or run the "
	    "code where it is (--no-snapshot)",
	    w->s->root, SNAPSHOT_FILES, (int)n, below, (int)n, below);
}

/* Take the matching files in a directory and below it. */
static int
walk(struct walk *w, int dir, const char *below, struct error *e)
{
	struct fs_names names;
	char *path;
	size_t i;
	int rc = 0;

	if (fs_list_kind(dir, FS_ALL, (*below ? CROWD : SNAPSHOT_FILES) + 1,
		&names, e) == -1)
		return is_closed(errno) ? 0 : -1;
	if (*below != '\0' &&
	    (names.count > CROWD || is_only_data(fs_base(below), &names))) {
		fs_names_free(&names);
		return 0;
	}
	w->seen += names.count;
	if (w->seen > SNAPSHOT_FILES)
		rc = too_many(w, below, e);
	for (i = 0; i < names.count && rc == 0; i++) {
		path = node_path(below, names.name[i]);
		rc = look_at(w, dir, names.name[i], path, e);
		free(path);
	}
	fs_names_free(&names);
	return rc;
}

int
snapshot_walk(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, struct error *e)
{
	struct walk w = {.s = s, .patterns = patterns, .store = ask->store};
	const char *home = getenv("HOME");
	char *real = fs_absolute(home != NULL ? home : "/");
	int dir, rc;

	s->root = xstrdup(ask->directory);
	s->work = xstrdup("");
	/* A home directory contains much more than one program. */
	w.flat = strcmp(s->root, real) == 0 || strcmp(s->root, "/") == 0;
	free(real);
	dir = fs_open_dir(s->root, e);
	rc = dir == -1 ? -1 : walk(&w, dir, "", e);
	fs_close(dir);
	return rc;
}
