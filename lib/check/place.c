/* The directory that holds the probe and its report. */
#include <sys/stat.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "check/private.h"
#include "sys/fs.h"

enum { PROBE_LIMIT = 1 << 20 };

/* Return the store, or its nearest parent directory that exists; to free. */
static char *
nearest(const char *store)
{
	char *path = xstrdup(store), *slash;

	while (!fs_exists(path) && (slash = strrchr(path, '/')) != NULL &&
	    slash != path)
		*slash = '\0';
	return path;
}

static int
put(const struct check_place *p, const char *name, const char *from,
    mode_t mode, struct error *e)
{
	size_t length;
	char *text;
	int rc;

	if (fs_read_path(from, PROBE_LIMIT, &text, &length, e) == -1)
		return -1;
	rc = fs_publish_mode(p->dir, name, mode, text, length, e);
	free(text);
	return rc == -1 ? -1 : 0;
}

static int
furnish(struct check_place *p, const struct check_setup *s, struct error *e)
{
	int parent = fs_open_dir(p->parent, e), rc;
	char *name, *text;

	if (parent == -1)
		return -1;
	p->dir = fs_open_subdir(parent, p->name, 1, e);
	fs_close(parent);
	if (p->dir == -1 || put(p, "probe.sh", s->probe, FS_PROGRAM, e) == -1 ||
	    put(p, "probe.py", s->probe_python, FS_FILE, e) == -1)
		return -1;
	/* The node reads this file to show that it sees the directory. */
	name = xasprintf("here.%s", p->token);
	text = xasprintf("%s\n", p->token);
	rc = fs_publish(p->dir, name, text, strlen(text), e);
	free(text);
	free(name);
	return rc == -1 ? -1 : 0;
}

int
check_place_make(struct check_place *p, const struct check_setup *s,
    const char *store, struct error *e)
{
	*p = (struct check_place){.dir = -1};
	p->token = xasprintf("%016" PRIx64, fs_noise());
	p->parent = nearest(store);
	/* stfm-watch removes leftovers with such a name. */
	p->name = xasprintf(".new.check.%s", p->token);
	p->path = fs_join(p->parent, p->name);
	if (furnish(p, s, e) == -1) {
		check_place_remove(p);
		return -1;
	}
	return 0;
}

void
check_place_remove(struct check_place *p)
{
	int i, parent, rc = -1;

	/*
	 * The directory may exist although it could not be opened, or even
	 * created.  A node may still write to it.
	 */
	for (i = 0; p->name != NULL && i < 3 && rc == -1; i++) {
		parent = fs_open_dir(p->parent, NULL);
		if (parent != -1)
			rc = fs_remove_tree(parent, p->name, NULL);
		fs_close(parent);
	}
	fs_close(p->dir);
	free(p->path);
	free(p->token);
	free(p->parent);
	free(p->name);
	*p = (struct check_place){.dir = -1};
}

/* Read a file only after listing it: NFS caches the absence of a name. */
char *
check_report_read(
    const struct check_place *p, const char *name, int64_t *changed)
{
	char *file = xasprintf("%s.%s", name, p->token), *text = NULL;
	struct fs_names names;

	if (fs_list(p->dir, &names, NULL) == 0) {
		if (fs_names_have(&names, file) &&
		    fs_read(p->dir, file, PROBE_LIMIT, &text, NULL, NULL) == -1)
			text = NULL;
		fs_names_free(&names);
	}
	if (text != NULL && fs_changed(p->dir, file, changed, NULL) == -1) {
		free(text);
		text = NULL;
	}
	free(file);
	return text;
}
