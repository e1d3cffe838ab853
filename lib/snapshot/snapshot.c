#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs-tree.h"

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
	words_free(&s->untracked);
	words_free(&s->results);
	words_free(&s->expected);
	node_free(s->top);
	free(s);
}

/* ---- what the command names ---- */

/* A word as a path below the directory, or NULL. */
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
		if (*at == '.') /* "..", and what is hidden */
			return NULL;
	}
	return *word != '\0' ? word : NULL;
}

/* Whether a path below the directory is part of a virtual environment. */
static int
in_environment(const char *directory, const char *path)
{
	const char *slash;
	char *mark;
	int found = 0;

	for (slash = strchr(path, '/'); slash != NULL && !found;
	     slash = strchr(slash + 1, '/')) {
		mark = xasprintf(
		    "%s/%.*s/pyvenv.cfg", directory, (int)(slash - path), path);
		found = access(mark, F_OK) == 0;
		free(mark);
		mark = xasprintf(
		    "%s/%.*s/conda-meta", directory, (int)(slash - path), path);
		found |= access(mark, F_OK) == 0;
		free(mark);
	}
	return found;
}

static int
is_file(const char *directory, const char *path)
{
	char *whole = fs_join(directory, path);
	struct stat st;
	int is = stat(whole, &st) == 0 && S_ISREG(st.st_mode);

	free(whole);
	return is && !in_environment(directory, path);
}

/* "-m package.module" names a file as well. */
static void
add_module(const struct snapshot_ask *ask, const char *name, struct words *out)
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
			words_push(out, path);
		free(path);
	}
	free(base);
}

/* Whether a word of the command can be a file of the code. */
static int
can_name(const struct words *command, size_t i)
{
	const char *word = command->word[i];

	if (*word == '-' || strchr(word, '{') != NULL)
		return 0;
	if (i == 0)
		return strchr(word, '/') != NULL;
	return i == 1 || is_source(word) || is_settings(word);
}

/* Files below the directory that the command names. */
static void
add_named(const struct snapshot_ask *ask, struct words *out)
{
	const struct words *command = ask->command;
	const char *path;
	size_t i;

	path = ask->script != NULL ? below(ask, ask->script) : NULL;
	if (path != NULL && is_file(ask->directory, path))
		words_push(out, path);
	for (i = ask->script != NULL; i < command->count; i++) {
		if (strcmp(command->word[i], "-m") == 0 &&
		    i + 1 < command->count)
			add_module(ask, command->word[i + 1], out);
		if (!can_name(command, i))
			continue;
		path = below(ask, command->word[i]);
		if (path != NULL && is_file(ask->directory, path))
			words_push(out, path);
	}
}

static char *
in_work(const struct snapshot *s, const char *path)
{
	return *s->work ? fs_join(s->work, path) : xstrdup(path);
}

/* What the command names is code, whatever git or a pattern thinks of it. */
static void
take_named(struct snapshot *s, const struct patterns *patterns,
    const struct words *named)
{
	struct snapshot_node *node;
	char *path;
	size_t i;

	for (i = 0; i < named->count; i++) {
		path = in_work(s, named->word[i]);
		if (!patterns_leave(patterns, path, s->work)) {
			node = node_add(s->top, path, NODE_FILE);
			if (s->by_git && !node->tracked)
				words_push(&s->untracked, path);
		}
		free(path);
	}
}

/* ---- directories that stay where they are ---- */

static int
is_placeholder(const char *name)
{
	return strcmp(name, ".gitkeep") == 0 || strcmp(name, ".keep") == 0 ||
	    strcmp(name, ".gitignore") == 0 || strncmp(name, "README", 6) == 0;
}

static int
holds_placeholders(const struct snapshot_node *node)
{
	size_t i;

	for (i = 0; i < node->children; i++)
		if (node->child[i]->kind == NODE_FILE
			? !is_placeholder(node->child[i]->name)
			: !holds_placeholders(node->child[i]))
			return 0;
	return 1;
}

/* Whether path leads to the work directory or lies above it. */
static int
leads_to(const char *path, const char *work)
{
	size_t n = strlen(path);

	return strncmp(path, work, n) == 0 &&
	    (work[n] == '/' || work[n] == '\0');
}

/*
 * Let go of directories that hold no code but results: they will be linked
 * whole, so that what is made in them is made in the original.
 */
static void
leave_results(
    const struct snapshot *s, struct snapshot_node *node, const char *path)
{
	int here = *path == '\0' || strcmp(path, s->work) == 0;
	struct snapshot_node *child;
	char *name;
	size_t i;

	for (i = node->children; i > 0; i--) {
		child = node->child[i - 1];
		if (child->kind != NODE_DIRECTORY)
			continue;
		name =
		    *path ? fs_join(path, child->name) : xstrdup(child->name);
		if (leads_to(name, s->work))
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

/* Results that are known to come: made in the original, and linked. */
static void
link_results(struct snapshot *s, const struct words *results)
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
		path = in_work(s, results->word[i]);
		node = node_add(s->top, path, NODE_LINK);
		node->target = fs_join(s->root, path);
		words_push(&s->results, node->target);
		free(path);
	}
}

/* ---- the plan ---- */

/* Forget what was found: there will be no copy. */
static void
copy_nothing(struct snapshot *s, char *why)
{
	free(s->root);
	free(s->work);
	s->root = s->work = NULL;
	free(s->why);
	s->why = why;
}

static int
find_files(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, const struct words *named, struct error *e)
{
	int rc = snapshot_git(s, ask, patterns, e);

	if (rc == 0 && named->count == 0) {
		copy_nothing(s,
		    xasprintf("%s%sthe command names no file in %s",
			s->why ? s->why : "", s->why ? "; " : "",
			ask->directory));
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
	struct words named = {0};
	struct patterns patterns;
	int rc;

	s->top = node_new("", NODE_DIRECTORY);
	patterns_make(&patterns, ask->patterns);
	add_named(ask, &named);
	rc = find_files(s, ask, &patterns, &named, e);
	words_free(&named);
	patterns_free(&patterns);
	if (rc == 0)
		return s;
	snapshot_free(s);
	return NULL;
}
