/*
 * Packages installed with "pip install -e": the environment contains paths into
 * the tree, which a task must replace by paths into the copy.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs-tree.h"

enum { HINT = 256 << 10, NAMES = 10000 };

/*
 * Add the directories that a file names: search the text for the root.  A .pth
 * file has directories of packages; a finder has quoted packages.
 */
static void
take_paths(
    const struct snapshot *s, const char *text, int finder, struct strlist *out)
{
	const char *at = text, *ends = finder ? "'\"" : "\r\n", *below;
	const struct snapshot_node *node;
	size_t n = strlen(s->root);
	char *path, *slash;

	for (; (at = strstr(at, s->root)) != NULL; at += n) {
		if (at != text && !strchr(finder ? "'\"" : "\n", at[-1]))
			continue;
		path = xstrndup(at + n, strcspn(at + n, ends));
		slash = finder ? strrchr(path, '/') : NULL;
		if (slash != NULL)
			*slash = '\0';
		below = path + (*path == '/');
		node = *path == '/' || *path == '\0' ? node_at(s->top, below)
						     : NULL;
		if (node != NULL && node->kind == NODE_DIRECTORY &&
		    !strlist_have(out, below))
			strlist_push(out, below);
		free(path);
	}
}

static void
look_into(const struct snapshot *s, int packages, struct strlist *out)
{
	struct fs_names names;
	size_t i;
	char *text;
	int finder;

	if (fs_list_kind(packages, FS_ALL, NAMES, &names, NULL) == -1)
		return;
	for (i = 0; i < names.count; i++) {
		finder = fnmatch("__editable__*.py", names.name[i], 0) == 0;
		if (!finder && fnmatch("*.pth", names.name[i], 0) != 0)
			continue;
		if (fs_read(packages, names.name[i], HINT, &text, NULL, NULL) ==
		    -1)
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
		fs_list_kind(dir, FS_ALL, NAMES, &names, NULL);
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
