#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs-tree.h"

enum { WORST = 3 };

struct settler {
	struct snapshot *s;
	size_t links;
	/* The largest files, in descending order. */
	struct {
		char *path;
		uint64_t size;
	} worst[WORST];
	int too_large; /* a file is larger than SNAPSHOT_FILE */
};

static int settle(struct settler *t, struct snapshot_node *node, int dir,
    const char *path, struct error *e);

static void
make_link(struct snapshot_node *node, char *target)
{
	node->kind = NODE_LINK;
	free(node->target);
	node->target = target;
}

/* ---- links that are part of the code ---- */

/*
 * Return a path below the root for the relative target of a link in the
 * directory path; to free.  NULL if the target is outside the root.
 */
static char *
resolve(const char *path, const char *target)
{
	char *out = xstrdup(path), *slash, *more;
	size_t n;

	for (; *target != '\0'; target += n + strspn(target + n, "/")) {
		n = strcspn(target, "/");
		if (n == 0 || (n == 1 && *target == '.'))
			continue;
		if (n == 2 && strncmp(target, "..", 2) == 0) {
			if (*out == '\0') {
				free(out);
				return NULL;
			}
			slash = strrchr(out, '/');
			*(slash != NULL ? slash : out) = '\0';
			continue;
		}
		more =
		    xasprintf("%s%s%.*s", out, *out ? "/" : "", (int)n, target);
		free(out);
		out = more;
	}
	return out;
}

/* Return the path to relative to from, both below the root; to free. */
static char *
relative(const char *from, const char *to)
{
	size_t length;
	char *text;
	FILE *f = xmemopen(&text, &length);

	for (; *from != '\0';
	     from += strcspn(from, "/") + (from[strcspn(from, "/")] == '/'))
		fputs("../", f);
	fputs(*to ? to : ".", f);
	xmemclose(f);
	return text;
}

/*
 * Keep a link.  If its target is in the tree, the link leads to the copy of the
 * target, else to the target itself.
 */
static void
settle_link(struct settler *t, struct snapshot_node *node, char *target,
    const char *path)
{
	size_t n = strlen(t->s->root);
	char *inside = NULL;

	node->kept = 1;
	if (*target != '/') {
		inside = resolve(path, target);
		if (inside != NULL) {
			make_link(node, target);
			free(inside);
			return;
		}
		make_link(node,
		    xasprintf("%s/%s%s%s", t->s->root, path, *path ? "/" : "",
			target));
	} else if (strncmp(target, t->s->root, n) == 0 &&
	    (target[n] == '/' || target[n] == '\0') &&
	    (inside = resolve("", target + n)) != NULL) {
		make_link(node, relative(path, inside));
	} else {
		make_link(node, xstrdup(target));
	}
	free(inside);
	free(target);
}

/* ---- settling names ---- */

static int
count(struct settler *t, const char *path, struct error *e)
{
	if (t->s->files + t->links <= SNAPSHOT_FILES)
		return 0;
	return error_set(e,
	    "%s/%s: more than %d files and links would be needed for a "
	    "snapshot: leave out other files (--snapshot=-NAME,...), or "
	    "run the code where it is (--no-snapshot)",
	    t->s->root, path, SNAPSHOT_FILES);
}

static void
settle_file(struct settler *t, struct snapshot_node *node,
    const struct stat *st, const char *path)
{
	size_t i = 0;

	node->size = (uint64_t)st->st_size;
	node->mode = st->st_mode;
	if (node->size > SNAPSHOT_FILE && !node->tracked) {
		make_link(node, fs_join(t->s->root, path));
		t->links++;
		return;
	}
	t->s->files++;
	t->s->bytes += node->size;
	t->too_large |= node->size > SNAPSHOT_FILE;
	while (i < WORST && node->size <= t->worst[i].size)
		i++;
	if (i == WORST)
		return;
	free(t->worst[WORST - 1].path);
	memmove(
	    t->worst + i + 1, t->worst + i, (WORST - 1 - i) * sizeof *t->worst);
	t->worst[i].path = xstrdup(path);
	t->worst[i].size = node->size;
}

/*
 * Settle the planned name at path in the directory below.  Returns 0, 1 if the
 * name does not exist, or -1.
 */
static int
settle_child(struct settler *t, struct snapshot_node *node, int dir,
    const char *below, const char *path, struct error *e)
{
	struct stat st;
	char *target;
	int fd, rc;

	if (node->kind == NODE_LINK) {
		t->links++;
		return 0;
	}
	if (fs_stat(dir, node->name, &st, e) == -1)
		return fs_says_absent(errno) ? 1 : -1;
	if (node->kind == NODE_FILE && S_ISREG(st.st_mode)) {
		settle_file(t, node, &st, path);
		return 0;
	}
	if (node->kind == NODE_DIRECTORY && S_ISDIR(st.st_mode)) {
		fd = fs_open_subdir(dir, node->name, 0, e);
		rc = fd == -1 ? -1 : settle(t, node, fd, path, e);
		fs_close(fd);
		return rc;
	}
	/* The type of the name has changed since it was planned. */
	t->links++;
	if (node->kind == NODE_FILE && S_ISLNK(st.st_mode)) {
		target = fs_read_link(dir, node->name, e);
		if (target == NULL)
			return -1;
		settle_link(t, node, target, below);
		return 0;
	}
	make_link(node, fs_join(t->s->root, path));
	return 0;
}

/* Settle the planned names of a directory, and link everything else in it. */
static int
settle(struct settler *t, struct snapshot_node *node, int dir, const char *path,
    struct error *e)
{
	struct snapshot_node *child;
	struct fs_names names;
	const char *name;
	char *below;
	size_t i;
	int rc;

	for (i = node->children; i > 0; i--) {
		below = node_path(path, node->child[i - 1]->name);
		rc = settle_child(t, node->child[i - 1], dir, path, below, e);
		free(below);
		if (rc == 1)
			node_remove(node, i - 1);
		if (rc == -1 || count(t, path, e) == -1)
			return -1;
	}
	rc = fs_list_kind(dir, FS_ALL, SNAPSHOT_FILES + 1, &names, e);
	for (i = 0; i < names.count && rc == 0; i++) {
		name = names.name[i];
		if (is_never_copied(name) ||
		    node_find(node, name, strlen(name)))
			continue;
		below = node_path(path, name);
		child = node_add(node, name, NODE_LINK);
		child->target = fs_join(t->s->root, below);
		free(below);
		t->links++;
		rc = count(t, path, e);
	}
	fs_names_free(&names);
	return rc;
}

/* ---- limits ---- */

/* Compare the plan with the disk: the type of each name, and the limits. */
static int
snapshot_settle(struct snapshot *s, struct error *e)
{
	struct settler t = {.s = s};
	int dir = fs_open_dir(s->root, e), rc = -1;
	size_t length, i;
	char *text;
	FILE *f;

	if (dir != -1)
		rc = settle(&t, s->top, dir, "", e);
	fs_close(dir);
	f = xmemopen(&text, &length);
	for (i = 0; i < WORST && t.worst[i].path != NULL; i++)
		fprintf(f, "%s%s (%" PRIu64 " MiB)", i > 0 ? ", " : "",
		    t.worst[i].path, t.worst[i].size >> 20);
	xmemclose(f);
	if (rc == 0 && t.too_large)
		rc = error_set(e,
		    "%s: a file of the code is larger than %d MiB: %s: leave "
		    "it out of the snapshot (--snapshot=-%s), or run the code "
		    "where it is (--no-snapshot)",
		    s->root, SNAPSHOT_FILE >> 20, text, t.worst[0].path);
	else if (rc == 0 && s->bytes > SNAPSHOT_BYTES)
		rc = error_set(e,
		    "%s: the code has %" PRIu64 " MiB, and a snapshot at most "
		    "%d: the largest are %s: leave out other files "
		    "(--snapshot=-PATTERN,...), or run the code where it is "
		    "(--no-snapshot)",
		    s->root, s->bytes >> 20, SNAPSHOT_BYTES >> 20, text);
	free(text);
	for (i = 0; i < WORST; i++)
		free(t.worst[i].path);
	return rc;
}

void
snapshot_free(struct snapshot *s)
{
	if (s == NULL)
		return;
	free(s->root);
	free(s->work);
	free(s->why);
	free(s->commit);
	free(s->branch);
	free(s->remote);
	free(s->diff);
	free(s->list);
	strlist_free(&s->untracked);
	strlist_free(&s->results);
	strlist_free(&s->expected);
	node_free(s->top);
	free(s);
}

/* ---- files that the command names ---- */

/* Return a word as a path below the directory, or NULL if it is outside. */
static const char *
below(const struct snapshot_ask *ask, const char *word)
{
	size_t n = strlen(ask->directory);
	const char *at;

	if (*word == '/') {
		if (strncmp(word, ask->directory, n) != 0 || word[n] != '/')
			return NULL;
		word += n;
	}
	for (word += strspn(word, "/"); strncmp(word, "./", 2) == 0;)
		word += 1 + strspn(word + 1, "/");
	for (at = word; at != NULL; at = strchr(at, '/')) {
		at += *at == '/';
		if (*at == '.') /* ".."  or a hidden name */
			return NULL;
	}
	return *word != '\0' ? word : NULL;
}

/* Return whether a path is a regular file outside virtual environments. */
static int
is_file(const char *directory, const char *path)
{
	static const char *const marks[] = {"pyvenv.cfg", "conda-meta"};
	char *name = fs_join(directory, path);
	struct stat st;
	int is = stat(name, &st) == 0 && S_ISREG(st.st_mode);
	const char *slash = path;
	size_t i;

	free(name);
	while (is && (slash = strchr(slash + 1, '/')) != NULL)
		for (i = 0; i < 2; i++) {
			name = xasprintf("%s/%.*s/%s", directory,
			    (int)(slash - path), path, marks[i]);
			is &= access(name, F_OK) != 0;
			free(name);
		}
	return is;
}

/* Add the file of the module in "-m package.module". */
static void
add_module(
    const struct snapshot_ask *ask, const char *name, struct strlist *out)
{
	static const char *const ends[] = {
	    ".py", "/__main__.py", "/__init__.py"};
	char *base = xstrdup(name), *c, *path;
	size_t i;

	for (c = base; *c != '\0'; c++)
		if (*c == '.')
			*c = '/';
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		path = xasprintf("%s%s", base, ends[i]);
		if (below(ask, path) != NULL && is_file(ask->directory, path))
			strlist_push(out, path);
		free(path);
	}
	free(base);
}

/* Return whether a word of the command may be the name of a code file. */
static int
can_name(const struct strlist *command, size_t i)
{
	const char *word = command->word[i];

	if (*word == '-' || strchr(word, '{') != NULL)
		return 0;
	if (i == 0)
		return strchr(word, '/') != NULL;
	return i == 1 || is_source(word) || is_settings(word);
}

/* Add the files below the directory that the command names. */
static void
add_named(const struct snapshot_ask *ask, struct strlist *out)
{
	const struct strlist *command = ask->command;
	const char *path;
	size_t i;

	path = ask->script != NULL ? below(ask, ask->script) : NULL;
	if (path != NULL && is_file(ask->directory, path))
		strlist_push(out, path);
	for (i = ask->script != NULL; i < command->count; i++) {
		if (strcmp(command->word[i], "-m") == 0 &&
		    i + 1 < command->count)
			add_module(ask, command->word[i + 1], out);
		if (!can_name(command, i))
			continue;
		path = below(ask, command->word[i]);
		if (path != NULL && is_file(ask->directory, path))
			strlist_push(out, path);
	}
}

/* Include the files that the command names, even if git ignores them. */
static void
take_named(struct snapshot *s, const struct patterns *patterns,
    const struct strlist *named)
{
	struct snapshot_node *node;
	char *path;
	size_t i;

	for (i = 0; i < named->count; i++) {
		path = node_path(s->work, named->word[i]);
		if (!patterns_leave(patterns, path, s->work)) {
			node = node_add(s->top, path, NODE_FILE);
			if (s->by_git && !node->tracked)
				strlist_push(&s->untracked, path);
		}
		free(path);
	}
}

/* ---- directories that stay in the original ---- */

static int
holds_placeholders(const struct snapshot_node *node)
{
	const char *name;
	size_t i;

	for (i = 0; i < node->children; i++) {
		name = node->child[i]->name;
		if (node->child[i]->kind == NODE_FILE
			? strcmp(name, ".gitkeep") != 0 &&
			    strcmp(name, ".keep") != 0 &&
			    strcmp(name, ".gitignore") != 0 &&
			    strncmp(name, "README", 6) != 0
			: !holds_placeholders(node->child[i]))
			return 0;
	}
	return 1;
}

/*
 * Drop directories that contain results but no code: the snapshot links each of
 * them, so that new files go to the original.
 */
static void
leave_results(
    const struct snapshot *s, struct snapshot_node *node, const char *path)
{
	int here = *path == '\0' || strcmp(path, s->work) == 0;
	struct snapshot_node *child;
	char *name;
	size_t i, n;

	for (i = node->children; i > 0; i--) {
		child = node->child[i - 1];
		if (child->kind != NODE_DIRECTORY)
			continue;
		name = node_path(path, child->name);
		n = strlen(name);
		if (strncmp(name, s->work, n) == 0 &&
		    (s->work[n] == '/' || s->work[n] == '\0'))
			/* The child is work or a parent of work. */
			leave_results(s, child, name);
		else if ((here && is_results(child->name) &&
			     !node_has_source(child)) ||
		    holds_placeholders(child))
			node_remove(node, i - 1);
		else
			leave_results(s, child, name);
		free(name);
	}
}

/* Link directories for results, which will be created in the original. */
static void
link_results(struct snapshot *s, const struct strlist *results)
{
	struct snapshot_node *work = node_add(s->top, s->work, NODE_DIRECTORY);
	struct snapshot_node *node;
	char *path;
	size_t i, k;

	for (i = 0; i < results->count; i++) {
		for (k = work->children; k > 0; k--)
			if (strcmp(work->child[k - 1]->name,
				results->word[i]) == 0)
				node_remove(work, k - 1);
		path = node_path(s->work, results->word[i]);
		node = node_add(s->top, path, NODE_LINK);
		node->target = fs_join(s->root, path);
		strlist_push(&s->results, node->target);
		free(path);
	}
}

/* ---- the plan ---- */

static int
find_files(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, const struct strlist *named,
    struct error *e)
{
	int rc = snapshot_git(s, ask, patterns, e);
	char *why = s->why;

	if (rc == 0 && named->count == 0) { /* there will be no copy */
		free(s->root);
		free(s->work);
		s->root = s->work = NULL;
		s->why = xasprintf("%s%sthe command names no file in %s",
		    why ? why : "", why ? "; " : "", ask->directory);
		free(why);
		return 0;
	}
	if (rc == 0)
		rc = snapshot_walk(s, ask, patterns, e);
	if (rc == -1)
		return -1;
	take_named(s, patterns, named);
	leave_results(s, s->top, "");
	link_results(s, &ask->results);
	link_results(s, &s->expected);
	return snapshot_settle(s, e);
}

struct snapshot *
snapshot_plan(const struct snapshot_ask *ask, struct error *e)
{
	struct snapshot *s = xcalloc(1, sizeof *s);
	struct strlist named = {0};
	struct patterns patterns;
	int rc;

	s->top = node_new("", NODE_DIRECTORY);
	patterns_make(&patterns, ask->patterns);
	add_named(ask, &named);
	rc = find_files(s, ask, &patterns, &named, e);
	strlist_free(&named);
	patterns_free(&patterns);
	if (rc == 0)
		return s;
	snapshot_free(s);
	return NULL;
}
