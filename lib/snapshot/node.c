/* The tree of a snapshot, and the use of files by their names. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs.h"

struct snapshot_node *
node_new(const char *name, enum snapshot_kind kind)
{
	struct snapshot_node *node = xcalloc(1, sizeof *node);

	node->name = xstrdup(name);
	node->kind = kind;
	return node;
}

void
node_free(struct snapshot_node *node)
{
	size_t i;

	if (node == NULL)
		return;
	for (i = 0; i < node->children; i++)
		node_free(node->child[i]);
	free(node->child);
	free(node->target);
	free(node->name);
	free(node);
}

/* Return the index of a name among the children, or where it belongs. */
static size_t
place_of(const struct snapshot_node *node, const char *name, size_t length,
    int *found)
{
	size_t low = 0, high = node->children, middle;
	int order;

	*found = 0;
	while (low < high) {
		middle = (low + high) / 2;
		order = strncmp(node->child[middle]->name, name, length);
		if (order == 0 && node->child[middle]->name[length] != '\0')
			order = 1;
		if (order == 0) {
			*found = 1;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct snapshot_node *
node_find(const struct snapshot_node *node, const char *name, size_t length)
{
	int found;
	size_t at = place_of(node, name, length, &found);

	return found ? node->child[at] : NULL;
}

const struct snapshot_node *
node_at(const struct snapshot_node *node, const char *path)
{
	size_t n;

	for (; *path != '\0' && node != NULL; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n > 0)
			node = node_find(node, path, n);
	}
	return node;
}

char *
node_path(const char *path, const char *name)
{
	return *path ? fs_join(path, name) : xstrdup(name);
}

static struct snapshot_node *
add_child(struct snapshot_node *node, const char *name, size_t length,
    enum snapshot_kind kind)
{
	struct snapshot_node *child;
	char *copy;
	size_t at;
	int found;

	at = place_of(node, name, length, &found);
	if (found)
		return node->child[at];
	copy = xstrndup(name, length);
	child = node_new(copy, kind);
	free(copy);
	node->child = xgrow(node->child, node->children, sizeof *node->child);
	memmove(node->child + at + 1, node->child + at,
	    (node->children - at) * sizeof *node->child);
	node->child[at] = child;
	node->children++;
	return child;
}

struct snapshot_node *
node_add(struct snapshot_node *top, const char *path, enum snapshot_kind kind)
{
	size_t length;

	for (;;) {
		path += strspn(path, "/");
		length = strcspn(path, "/");
		if (length == 0)
			return top;
		if (path[length + strspn(path + length, "/")] == '\0')
			return add_child(top, path, length, kind);
		top = add_child(top, path, length, NODE_DIRECTORY);
		path += length;
	}
}

void
node_remove(struct snapshot_node *parent, size_t child)
{
	node_free(parent->child[child]);
	parent->children--;
	memmove(parent->child + child, parent->child + child + 1,
	    (parent->children - child) * sizeof *parent->child);
}

/* ---- patterns ---- */

static const char usual[] = "*.py,*.sh,*.R,*.jl,*.lua,*.yaml,*.yml,*.json,"
			    "*.toml,*.cfg,*.ini,*.txt";

static void
add_patterns(struct patterns *p, const char *text)
{
	size_t n, length;
	char *word, *name;
	int leave;

	for (; text != NULL && *text != '\0'; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		leave = *text == '-';
		name = word = xstrndup(text + leave, n - (size_t)leave);
		if (strncmp(name, "./", 2) == 0)
			name += 2;
		length = strlen(name);
		while (length > 0 && name[length - 1] == '/')
			length--;
		/*
		 * "conf/" includes everything below it; to exclude, "conf" is
		 * enough.
		 */
		if (length > 0)
			strlist_take(leave ? &p->out : &p->in,
			    xasprintf("%.*s%s", (int)length, name,
				name[length] == '/' && !leave ? "/*" : ""));
		free(word);
	}
}

void
patterns_make(struct patterns *p, const char *asked)
{
	memset(p, 0, sizeof *p);
	add_patterns(p, usual);
	add_patterns(p, asked);
}

void
patterns_free(struct patterns *p)
{
	strlist_free(&p->in);
	strlist_free(&p->out);
}

/* Return a path relative to the work directory, or NULL if it is outside. */
static const char *
from_work(const char *path, const char *work)
{
	size_t n = strlen(work);

	if (n == 0)
		return path;
	return strncmp(path, work, n) == 0 && path[n] == '/' ? path + n + 1
							     : NULL;
}

static int
fits(const char *pattern, const char *path)
{
	return path != NULL &&
	    fnmatch(pattern, path, FNM_PATHNAME | FNM_LEADING_DIR) == 0;
}

int
patterns_take(const struct patterns *p, const char *path, const char *work)
{
	const char *base = fs_base(path);
	size_t i;

	for (i = 0; i < p->in.count; i++)
		if (strchr(p->in.word[i], '/') == NULL
			? fnmatch(p->in.word[i], base, 0) == 0
			: fits(p->in.word[i], path) ||
			    fits(p->in.word[i], from_work(path, work)))
			return 1;
	return 0;
}

/* Return whether a pattern without a slash matches any part of a path. */
static int
fits_part(const char *pattern, const char *path)
{
	size_t n;
	char *part;
	int fit = 0;

	for (; *path != '\0' && !fit; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		part = xstrndup(path, n);
		fit = fnmatch(pattern, part, 0) == 0;
		free(part);
	}
	return fit;
}

int
patterns_leave(const struct patterns *p, const char *path, const char *work)
{
	size_t i;

	for (i = 0; i < p->out.count; i++)
		if (strchr(p->out.word[i], '/') == NULL
			? fits_part(p->out.word[i], path)
			: fits(p->out.word[i], path) ||
			    fits(p->out.word[i], from_work(path, work)))
			return 1;
	return 0;
}

/* ---- kinds of names ---- */

/* Return the text after the last dot of a name, or "". */
static const char *
suffix(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL ? dot + 1 : "";
}

int
is_source(const char *name)
{
	static const char *const suffixes[] = {"py", "sh", "R", "r", "jl",
	    "lua", "pl", "c", "h", "cc", "cpp", "cu", "cuh", "hpp", "rs", "go",
	    "java", "f90", "m", "sbatch", "slurm"};

	return text_among(suffix(name), suffixes,
		   sizeof suffixes / sizeof *suffixes) != -1;
}

int
is_settings(const char *name)
{
	static const char *const suffixes[] = {
	    "yaml", "yml", "toml", "cfg", "ini"};

	return text_among(suffix(name), suffixes,
		   sizeof suffixes / sizeof *suffixes) != -1;
}

int
is_results(const char *name)
{
	static const char *const names[] = {"checkpoint", "checkpoints", "ckpt",
	    "ckpts", "lightning_logs", "log", "logs", "mlruns", "multirun",
	    "out", "output", "outputs", "result", "results", "runs", "tb_logs",
	    "tensorboard", "wandb"};

	return text_among(name, names, sizeof names / sizeof *names) != -1;
}

int
is_data(const char *name)
{
	static const char *const names[] = {"data", "dataset", "datasets",
	    "images", "labels", "weights", "node_modules", "site-packages",
	    "venv", "env"};

	return text_among(name, names, sizeof names / sizeof *names) != -1;
}

/* Return whether a name is neither copied nor linked. */
int
is_never_copied(const char *name)
{
	return strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0;
}

int
node_has_source(const struct snapshot_node *node)
{
	size_t i;

	if (node->kind == NODE_FILE)
		return is_source(node->name);
	for (i = 0; i < node->children; i++)
		if (node_has_source(node->child[i]))
			return 1;
	return 0;
}
