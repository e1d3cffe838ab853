/*
 * Packages that were installed with "pip install -e": the environment then
 * holds paths into the tree, which a task is to find in the copy instead.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs-tree.h"

enum { HINT = 256 << 10, NAMES = 10000 };

/* Whether a path below the root is a directory of the copy. */
static int
is_copied(const struct snapshot *s, const char *path)
{
	const struct snapshot_node *node = s->top;
	size_t n;

	for (; *path != '\0' && node != NULL; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n > 0)
			node = node_find(node, path, n);
	}
	return node != NULL && node->kind == NODE_DIRECTORY;
}

static void
add(const struct snapshot *s, const char *path, struct strlist *out)
{
	size_t i;

	for (i = 0; i < out->count; i++)
		if (strcmp(out->word[i], path) == 0)
			return;
	if (is_copied(s, path))
		strlist_push(out, path);
}

/*
 * Each place in a text where the root is named: in a .pth file it is a
 * directory of packages; in a finder, a package, in quotation marks.
 */
static void
take_paths(
    const struct snapshot *s, const char *text, int finder, struct strlist *out)
{
	const char *at = text, *ends = finder ? "'\"" : "\r\n";
	size_t n = strlen(s->root);
	char *path, *slash;

	for (; (at = strstr(at, s->root)) != NULL; at += n) {
		if (at == text || strchr(finder ? "'\"" : "\n", at[-1])) {
			path = xstrndup(at + n, strcspn(at + n, ends));
			slash = finder ? strrchr(path, '/') : NULL;
			if (slash != NULL)
				*slash = '\0';
			if (*path == '/' || *path == '\0')
				add(s, path + (*path == '/'), out);
			free(path);
		}
	}
}

static void
look_into(const struct snapshot *s, int packages, struct strlist *out)
{
	struct fs_names names;
	size_t i, length;
	char *text;
	int finder;

	if (fs_list_all(packages, NAMES, &names, NULL) == -1)
		return;
	for (i = 0; i < names.count; i++) {
		finder = fnmatch("__editable__*.py", names.name[i], 0) == 0;
		if (!finder && fnmatch("*.pth", names.name[i], 0) != 0)
			continue;
		if (fs_read(packages, names.name[i], HINT, &text, &length,
			NULL) == -1)
			continue;
		take_paths(s, text, finder, out);
		free(text);
	}
	fs_names_free(&names);
}

void
snapshot_packages(
    const struct snapshot *s, const char *prefix, struct strlist *out)
{
	static const char *const places[] = {"site-packages", "dist-packages"};
	char *lib = fs_join(prefix, "lib"), *path;
	int dir = fs_open_dir(lib, NULL), packages;
	struct fs_names names = {0};
	size_t i, k;

	if (dir != -1)
		fs_list_all(dir, NAMES, &names, NULL);
	for (i = 0; i < names.count; i++) {
		if (strncmp(names.name[i], "python3", 7) != 0)
			continue;
		for (k = 0; k < 2; k++) {
			path = xasprintf(
			    "%s/%s/%s", lib, names.name[i], places[k]);
			packages = fs_open_dir(path, NULL);
			if (packages != -1)
				look_into(s, packages, out);
			fs_close(packages);
			free(path);
		}
	}
	fs_names_free(&names);
	fs_close(dir);
	free(lib);
}
