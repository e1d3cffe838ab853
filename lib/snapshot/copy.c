/* Make the copies of a snapshot, and compare copies with their lists. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs-tree.h"

static int copy_below(FILE *list, const struct snapshot_node *node, int from,
    int to, const char *path, struct error *e);

static void
put_line(FILE *list, uint32_t crc, size_t bytes, unsigned mode,
    const char *path, const char *target)
{
	fprintf(list, "%08" PRIx32 "\t%zu\t%03o\t", crc, bytes, mode);
	text_tsv(list, path);
	putc('\t', list);
	text_tsv(list, target);
	putc('\n', list);
}

static int
copy_file(FILE *list, const struct snapshot_node *node, int from, int to,
    const char *path, struct error *e)
{
	mode_t mode = node->mode & 0111;
	size_t length;
	char *bytes;
	int rc = 0;

	/*
	 * Programs and settings become read-only.  Other files keep their
	 * modes: a training that writes to such a file would fail at its end.
	 */
	if (mode || is_source(node->name) || is_settings(node->name))
		mode |= 0444;
	else
		mode = (node->mode & 0666) | 0400;
	if (fs_read(from, node->name, 2 * SNAPSHOT_FILE, &bytes, &length, e) ==
	    -1)
		return -1;
	if (to != -1)
		rc = fs_write_new(to, node->name, mode, bytes, length, e);
	put_line(list, fs_crc32c(bytes, length), length, mode & 0777, path, "");
	free(bytes);
	return rc;
}

static int
copy_directory(FILE *list, const struct snapshot_node *node, int from, int to,
    const char *path, struct error *e)
{
	int source = fs_open_subdir(from, node->name, 0, e), target = -1;
	int rc = source;

	if (rc != -1 && to != -1) {
		rc = fs_make_subdir(to, node->name, e);
		if (rc == 0)
			rc = target = fs_open_subdir(to, node->name, 0, e);
	}
	if (rc != -1)
		rc = copy_below(list, node, source, target, path, e);
	fs_close(target);
	fs_close(source);
	return rc;
}

/* Copy everything below a node; if to is -1, only write the list. */
static int
copy_below(FILE *list, const struct snapshot_node *node, int from, int to,
    const char *path, struct error *e)
{
	const struct snapshot_node *child;
	char *below;
	size_t i;
	int rc = 0;

	for (i = 0; i < node->children && rc == 0; i++) {
		child = node->child[i];
		below = node_path(path, child->name);
		if (child->kind == NODE_FILE)
			rc = copy_file(list, child, from, to, below, e);
		else if (child->kind == NODE_DIRECTORY)
			rc = copy_directory(list, child, from, to, below, e);
		else if (to != -1)
			rc = fs_link(to, child->name, child->target, e);
		if (child->kind == NODE_LINK && child->kept)
			put_line(list, 0, 0, 0777, below, child->target);
		free(below);
	}
	return rc;
}

/* Read all files, and copy them below to unless to is -1. */
static int
read_all(struct snapshot *s, int to, struct error *e)
{
	int from = fs_open_dir(s->root, e), rc = -1;
	FILE *list;

	free(s->list);
	list = xmemopen(&s->list, &s->list_length);
	fputs("crc32c\tbytes\tmode\tpath\ttarget\n", list);
	if (from != -1)
		rc = copy_below(list, s->top, from, to, "", e);
	xmemclose(list);
	fs_close(from);
	return rc;
}

int
snapshot_copy(struct snapshot *s, int dir, struct error *e)
{
	size_t i;
	int to, rc;

	if (dir == -1)
		return read_all(s, -1, e);
	for (i = 0; i < s->results.count; i++)
		if (fs_make_dirs(s->results.word[i], e) == -1)
			return -1;
	if (fs_make_private(dir, "code", e) == -1)
		return -1;
	to = fs_open_subdir(dir, "code", 0, e);
	rc = to == -1 ? -1 : read_all(s, to, e);
	fs_close(to);
	return rc == 0 ? fs_sync_tree(dir, "code", e) : -1;
}

/* ---- comparing a copy with its list ---- */

struct comparison {
	struct snapshot_changes *out;
	size_t most;
	enum snapshot_depth depth;
};

void
snapshot_changes_free(struct snapshot_changes *c)
{
	strlist_free(&c->added);
	strlist_free(&c->changed);
	strlist_free(&c->gone);
	strlist_free(&c->opened);
}

/* Undo the escapes of text_tsv in place. */
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

/* Return the tree of a list; the size of each file is its checksum. */
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
		if (i < 5)
			continue;
		read_field(field[3]);
		node =
		    node_add(top, field[3], *field[4] ? NODE_LINK : NODE_FILE);
		node->size = strtoul(field[0], NULL, 16);
		node->mode = (mode_t)strtoul(field[2], NULL, 8);
		if (node->kind != NODE_LINK)
			continue;
		read_field(field[4]);
		free(node->target);
		node->target = xstrdup(field[4]);
	}
	free(copy);
	return top;
}

static int compare(const struct snapshot_node *node, int dir, const char *path,
    struct comparison *c, struct error *e);

static int
is_enough(const struct comparison *c)
{
	return c->out->added.count + c->out->changed.count +
	    c->out->gone.count + c->out->opened.count >=
	    c->most;
}

/* Return whether the content of a file changed, if depth includes that file. */
static int
is_rewritten(const struct snapshot_node *node, int dir, const struct stat *st,
    enum snapshot_depth depth)
{
	size_t length;
	char *bytes;
	int is;

	if (depth == SNAPSHOT_TYPES ||
	    (depth == SNAPSHOT_CODE && (node->mode & 0222) != 0) ||
	    (depth == SNAPSHOT_DATA &&
		((st->st_mode | node->mode) & 0222) == 0))
		return 0;
	if (fs_read(dir, node->name, 8 * SNAPSHOT_FILE, &bytes, &length,
		NULL) == -1)
		return 1;
	is = fs_crc32c(bytes, length) != node->size;
	free(bytes);
	return is;
}

/* Compare one name of the list with the directory. */
static int
compare_listed(const struct snapshot_node *node, int dir, const char *path,
    struct comparison *c, struct error *e)
{
	int changed = 1, fd, rc;
	char *target = NULL;
	struct stat st;

	if (fs_stat(dir, node->name, &st, e) == -1) {
		if (errno != ENOENT)
			return -1;
		strlist_push(&c->out->gone, path);
		return 0;
	}
	if (node->kind == NODE_DIRECTORY && S_ISDIR(st.st_mode)) {
		fd = fs_open_subdir(dir, node->name, 0, e);
		rc = fd == -1 ? -1 : compare(node, fd, path, c, e);
		fs_close(fd);
		return rc;
	}
	if (node->kind == NODE_FILE && S_ISREG(st.st_mode)) {
		changed = is_rewritten(node, dir, &st, c->depth);
	} else if (node->kind == NODE_LINK && S_ISLNK(st.st_mode)) {
		target = fs_read_link(dir, node->name, NULL);
		changed = target == NULL || strcmp(target, node->target) != 0;
		free(target);
	}
	if (changed)
		strlist_push(&c->out->changed, path);
	else if (node->kind == NODE_FILE && c->depth != SNAPSHOT_CODE &&
	    (st.st_mode & ~node->mode & 0222) != 0)
		strlist_push(&c->out->opened, path);
	return 0;
}

static int
compare(const struct snapshot_node *node, int dir, const char *path,
    struct comparison *c, struct error *e)
{
	struct fs_names names = {0};
	const char *name;
	struct stat st;
	size_t i;
	char *below;
	int rc = 0;

	for (i = 0; i < node->children && rc == 0 && !is_enough(c); i++) {
		below = node_path(path, node->child[i]->name);
		rc = compare_listed(node->child[i], dir, below, c, e);
		free(below);
	}
	if (rc == 0 && c->depth >= SNAPSHOT_DATA)
		rc = fs_list_kind(dir, FS_ALL, SIZE_MAX, &names, e);
	for (i = 0; i < names.count && rc == 0 && !is_enough(c); i++) {
		name = names.name[i];
		/* The list has no links to files outside the snapshot. */
		if (node_find(node, name, strlen(name)) == NULL &&
		    !is_never_copied(name) &&
		    fs_stat(dir, name, &st, NULL) == 0 && !S_ISLNK(st.st_mode))
			strlist_take(&c->out->added, node_path(path, name));
	}
	fs_names_free(&names);
	return rc;
}

int
snapshot_compare_copy(int dir, const char *list, enum snapshot_depth depth,
    size_t most, struct snapshot_changes *out, struct error *e)
{
	struct comparison c = {out, most, depth};
	struct snapshot_node *top = read_list(list);
	int rc = compare(top, dir, "", &c, e);

	node_free(top);
	return rc;
}

int
snapshot_is_data(const char *list, const char *path)
{
	struct snapshot_node *top = read_list(list);
	const struct snapshot_node *node = node_at(top, path);
	int is = node != NULL && (node->mode & 0222) != 0;

	node_free(top);
	return is;
}

/* ---- comparing two lists ---- */

struct line {
	const char *text, *path;
	size_t length, path_length;
};

/* Return the lines of a list with their paths; to free. */
static struct line *
take_lines(const char *list, size_t *count)
{
	struct line *lines = NULL, *line;
	const char *at, *end;
	int i;

	*count = 0;
	for (at = strchr(list, '\n'); at != NULL && at[1] != '\0'; at = end) {
		end = strchr(++at, '\n');
		if (end == NULL)
			break;
		lines = xgrow(lines, *count, sizeof *lines);
		line = &lines[(*count)++];
		line->text = line->path = at;
		line->length = (size_t)(end - at);
		for (i = 0; i < 3 && *line->path != '\n'; i++) {
			line->path += strcspn(line->path, "\t\n");
			line->path += *line->path == '\t';
		}
		line->path_length = strcspn(line->path, "\t\n");
	}
	return lines;
}

static int
by_path(const void *a, const void *b)
{
	const struct line *one = a, *two = b;
	size_t n = one->path_length < two->path_length ? one->path_length
						       : two->path_length;
	int order = memcmp(one->path, two->path, n);

	return order != 0 ? order
			  : (one->path_length > two->path_length) -
		(one->path_length < two->path_length);
}

static void
add_path(struct strlist *out, const struct line *line)
{
	char *path = xstrndup(line->path, line->path_length);

	read_field(path);
	strlist_take(out, path);
}

void
snapshot_compare(const char *list, const char *other, size_t most,
    struct strlist *differing, struct strlist *added)
{
	size_t a_count, b_count, i = 0, k = 0;
	struct line *a = take_lines(list, &a_count);
	struct line *b = take_lines(other, &b_count);
	int order;

	if (a != NULL)
		qsort(a, a_count, sizeof *a, by_path);
	if (b != NULL)
		qsort(b, b_count, sizeof *b, by_path);
	while ((i < a_count || k < b_count) && differing->count < most) {
		order = i == a_count ? 1
		    : k == b_count   ? -1
				     : by_path(&a[i], &b[k]);
		if (order > 0)
			add_path(added, &b[k]);
		else if (order < 0)
			add_path(differing, &a[i]);
		else if (a[i].length != b[k].length ||
		    memcmp(a[i].text, b[k].text, a[i].length) != 0)
			add_path(differing, &a[i]);
		i += order <= 0;
		k += order >= 0;
	}
	free(a);
	free(b);
}
