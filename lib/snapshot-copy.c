/* Making the copies of a snapshot, and comparing them with what is there. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs-tree.h"
#include "snapshot-own.h"
#include "text.h"
#include "xalloc.h"

struct copier {
	FILE *list;
};

static int copy_below(struct copier *c, const struct snapshot_node *node,
    int from, int to, const char *path, struct error *e);

/*
 * Programs and settings are read-only.  Other files a training may write:
 * they keep their modes, or it would fail at its end.
 */
static mode_t
mode_of(const struct snapshot_node *node)
{
	mode_t execute = node->mode & 0111;

	if (execute || is_source(node->name) || is_settings(node->name))
		return 0444 | execute;
	return (node->mode & 0666) | 0400;
}

static void
put_line(struct copier *c, uint32_t crc, size_t bytes, unsigned mode,
    const char *path, const char *target)
{
	fprintf(c->list, "%08" PRIx32 "\t%zu\t%03o\t", crc, bytes, mode);
	text_tsv(c->list, path);
	putc('\t', c->list);
	text_tsv(c->list, target);
	putc('\n', c->list);
}

static int
copy_file(struct copier *c, const struct snapshot_node *node, int from, int to,
    const char *path, struct error *e)
{
	mode_t mode = mode_of(node);
	size_t length;
	char *bytes;
	int rc;

	if (fs_read(from, node->name, 2 * SNAPSHOT_FILE, &bytes, &length, e) ==
	    -1)
		return -1;
	rc = fs_write_new(to, node->name, mode, bytes, length, e);
	put_line(c, fs_crc32c(bytes, length), length, mode & 0777, path, "");
	free(bytes);
	return rc;
}

static int
copy_directory(struct copier *c, const struct snapshot_node *node, int from,
    int to, const char *path, struct error *e)
{
	int source = fs_open_subdir(from, node->name, 0, e), target = -1;
	int rc = -1;

	if (source != -1 && fs_make_subdir(to, node->name, e) == 0)
		target = fs_open_subdir(to, node->name, 0, e);
	if (target != -1)
		rc = copy_below(c, node, source, target, path, e);
	fs_close(target);
	fs_close(source);
	return rc;
}

static int
copy_node(struct copier *c, const struct snapshot_node *node, int from, int to,
    const char *path, struct error *e)
{
	switch (node->kind) {
	case NODE_FILE:
		return copy_file(c, node, from, to, path, e);
	case NODE_DIRECTORY:
		return copy_directory(c, node, from, to, path, e);
	default:
		if (node->kept)
			put_line(c, 0, 0, 0777, path, node->target);
		return fs_link(to, node->name, node->target, e);
	}
}

static int
copy_below(struct copier *c, const struct snapshot_node *node, int from, int to,
    const char *path, struct error *e)
{
	char *below;
	size_t i;
	int rc = 0;

	for (i = 0; i < node->children && rc == 0; i++) {
		below = *path ? fs_join(path, node->child[i]->name)
			      : xstrdup(node->child[i]->name);
		rc = copy_node(c, node->child[i], from, to, below, e);
		free(below);
	}
	return rc;
}

static int
make_results(const struct snapshot *s, struct error *e)
{
	size_t i;

	for (i = 0; i < s->results.count; i++)
		if (fs_make_dirs(s->results.word[i], e) == -1)
			return -1;
	return 0;
}

int
snapshot_copy(struct snapshot *s, int dir, struct error *e)
{
	int from = fs_open_dir(s->root, e), to = -1, rc = -1;
	struct copier c;

	free(s->list);
	c.list = xmemopen(&s->list, &s->list_length);
	fputs("crc32c\tbytes\tmode\tpath\ttarget\n", c.list);
	if (from != -1 && make_results(s, e) == 0 &&
	    fs_make_private(dir, "code", e) == 0)
		to = fs_open_subdir(dir, "code", 0, e);
	if (to != -1)
		rc = copy_below(&c, s->top, from, to, "", e);
	xmemclose(c.list);
	fs_close(to);
	fs_close(from);
	return rc == 0 ? fs_sync_tree(dir, "code", e) : -1;
}

/* ---- what has become of it ---- */

struct comparison {
	struct words *added, *changed;
	size_t most;
};

/* Undo text_tsv in place. */
static void
read_field(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++, to++) {
		*to = *text;
		if (*text != '\\' || text[1] == '\0')
			continue;
		text++;
		*to = *text == 't' ? '\t'
		    : *text == 'n' ? '\n'
		    : *text == 'r' ? '\r'
				   : *text;
	}
	*to = '\0';
}

/* The tree that a list describes; the size of a file is its checksum. */
static struct snapshot_node *
read_list(const char *list)
{
	struct snapshot_node *top = node_new("", NODE_DIRECTORY), *node;
	char *copy = xstrdup(list), *line, *next, *field[5];
	int i;

	for (line = strchr(copy, '\n'); line != NULL; line = next) {
		*line++ = '\0';
		next = strchr(line, '\n');
		if (next == NULL)
			break;
		*next = '\0';
		for (i = 0; i < 5 && line != NULL; i++)
			field[i] = strsep(&line, "\t");
		*next = '\n';
		if (i < 5)
			continue;
		read_field(field[3]);
		node =
		    node_add(top, field[3], *field[4] ? NODE_LINK : NODE_FILE);
		node->size = strtoul(field[0], NULL, 16);
		node->mode = (mode_t)strtoul(field[2], NULL, 8);
	}
	free(copy);
	return top;
}

static int compare(const struct snapshot_node *node, int dir, const char *path,
    struct comparison *c, struct error *e);

static int
is_enough(const struct comparison *c)
{
	return c->added->count + c->changed->count >= c->most;
}

/* Whether a file that may be written is not what it was. */
static int
is_changed(const struct snapshot_node *node, int dir, const struct stat *st)
{
	size_t length;
	char *bytes;
	int changed;

	if ((st->st_mode & 0222) == 0 && (node->mode & 0222) == 0)
		return 0;
	if (fs_read(dir, node->name, 8 * SNAPSHOT_FILE, &bytes, &length,
		NULL) == -1)
		return 1;
	changed = fs_crc32c(bytes, length) != node->size;
	free(bytes);
	return changed;
}

static int
compare_name(const struct snapshot_node *node, int dir, const char *name,
    const char *path, struct comparison *c, struct error *e)
{
	const struct snapshot_node *child = node_find(node, name, strlen(name));
	struct stat st;
	int fd, rc;

	if (fs_look(dir, name, &st, NULL) == -1 || S_ISLNK(st.st_mode) ||
	    is_never_copied(name))
		return 0;
	if (child == NULL) {
		words_push(c->added, path);
		return 0;
	}
	if (S_ISREG(st.st_mode) && is_changed(child, dir, &st))
		words_push(c->changed, path);
	if (!S_ISDIR(st.st_mode))
		return 0;
	fd = fs_open_subdir(dir, name, 0, e);
	rc = fd == -1 ? -1 : compare(child, fd, path, c, e);
	fs_close(fd);
	return rc;
}

static int
compare(const struct snapshot_node *node, int dir, const char *path,
    struct comparison *c, struct error *e)
{
	struct fs_names names;
	char *below;
	size_t i;
	int rc;

	rc = fs_list_all(dir, SIZE_MAX, &names, e);
	for (i = 0; i < names.count && rc == 0 && !is_enough(c); i++) {
		below = *path ? fs_join(path, names.name[i])
			      : xstrdup(names.name[i]);
		rc = compare_name(node, dir, names.name[i], below, c, e);
		free(below);
	}
	fs_names_free(&names);
	return rc;
}

int
snapshot_changes(int dir, const char *list, size_t most, struct words *added,
    struct words *changed, struct error *e)
{
	struct comparison c = {added, changed, most};
	struct snapshot_node *top = read_list(list);
	int rc = compare(top, dir, "", &c, e);

	node_free(top);
	return rc;
}
