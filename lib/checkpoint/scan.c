#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/xalloc.h"
#include "checkpoint/scan.h"
#include "sys/fs-tree.h"

enum {
	DEEPEST = 16,   /* maximum depth of searched directories */
	MANY = 1 << 20, /* maximum number of names in a directory */
	LIST = 1 << 16  /* maximum bytes of a file that names checkpoints */
};

/* ---- names ---- */

/* Patterns of files that are a checkpoint each. */
static const char *const alone[] = {"*.pt", "*.pth", "*.ckpt", "*.h5", "*.hdf5",
    "*.keras", "*.safetensors", "*.pth.tar", "*.npz", "*.npy", "*.pkl",
    "*.pickle", "*.joblib", "*.msgpack", "*.params", "*.pdparams", "*.bin",
    "*.onnx", "*.orbax", "*.eqx", NULL};

/* Patterns of files that make their directory a checkpoint. */
static const char *const inside[] = {"saved_model.pb", "saved_model.pbtxt",
    "*.distcp", "_CHECKPOINT_METADATA", "_METADATA", "manifest.ocdbt",
    "trainer_state.json", "pytorch_model*.bin", "model*.safetensors",
    "*_model_states.pt", "*_optim_states.pt", NULL};

/* Files that name the latest checkpoint. */
static const char *const lists[] = {"checkpoint", "latest", NULL};

static int
is_like(const char *name, const char *const *patterns)
{
	for (; *patterns != NULL; patterns++)
		if (fnmatch(*patterns, name, 0) == 0)
			return 1;
	return 0;
}

/*
 * Return the number of a checkpoint's data files, 2 for
 * "ckpt-3.data-00000-of-00002".
 */
static unsigned long
shards(const char *name)
{
	return fnmatch("*.data-[0-9]*-of-[0-9]*", name, 0) == 0
	    ? strtoul(strrchr(name, '-') + 1, NULL, 10)
	    : 0;
}

/*
 * Return the length of the checkpoint's name in the name of a TensorFlow file,
 * or 0.
 */
static size_t
stem(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (dot == NULL || dot == name ||
	    (shards(name) == 0 && strcmp(dot, ".index") != 0 &&
		strcmp(dot, ".meta") != 0))
		return 0;
	return (size_t)(dot - name);
}

/* Words before a number that says which part of a checkpoint a file is. */
static const char *const parts[] = {"rank", "shard", "part", "of", "fold",
    "worker", "client", "process", "gpu", "expert", "member", "layer", "seed",
    "stage", "block", "net", NULL};

static int
is_part(const char *name, size_t at)
{
	size_t end = at, begin, n;
	const char *const *word = parts;

	while (end > 0 && strchr("_-=.", name[end - 1]) != NULL)
		end--;
	for (begin = end; begin > 0 && isalpha((unsigned char)name[begin - 1]);)
		begin--;
	n = end - begin;
	for (; *word != NULL; word++)
		if (strlen(*word) == n &&
		    ascii_ncasecmp(*word, name + begin, n) == 0)
			return 1;
	n = at + strspn(name + at, "0123456789");
	return strncmp(name + n, "-of-", 4) == 0;
}

/*
 * Return a name with "#" in place of its numbers, except numbers of parts; to
 * free.
 */
static char *
series_of(const char *name)
{
	char *text;
	size_t length, i = 0, n;
	FILE *f = xmemopen(&text, &length);

	while (name[i] != '\0') {
		n = strspn(name + i, "0123456789");
		while (n > 0 && name[i + n] == '.' &&
		    isdigit((unsigned char)name[i + n + 1]))
			n += 1 + strspn(name + i + n + 1, "0123456789");
		if (n > 0 && !is_part(name, i))
			fputc('#', f);
		else
			fwrite(name + i, 1, n > 0 ? n : 1, f);
		i += n > 0 ? n : 1;
	}
	xmemclose(f);
	return text;
}

/* ---- files ---- */

struct search {
	struct checkpoints *found;
	struct strlist named; /* base names that links and lists name */
	/* Path of the directory where the search starts. */
	char *top;
	struct error *e;
};

/* A directory being searched. */
struct place {
	const char *path; /* path below top, with a slash at its end */
	int dir, depth;
	struct fs_names names;
};

static struct checkpoint *
add_checkpoint(
    struct search *s, const struct place *p, const char *name, size_t n)
{
	struct checkpoints *all = s->found;
	struct checkpoint *c;

	all->item = xgrow(all->item, all->count, sizeof *all->item);
	c = &all->item[all->count++];
	memset(c, 0, sizeof *c);
	c->name = xasprintf("%s%.*s", p->path, (int)n, name);
	c->series = series_of(c->name);
	return c;
}

static void
add_file(struct checkpoint *c, const struct place *p, const char *name)
{
	strlist_take(&c->files, xasprintf("%s%s", p->path, name));
}

static int
is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec
				      : a->tv_nsec > b->tv_nsec;
}

static void
weigh(struct checkpoint *c, const struct stat *st)
{
	c->bytes += st->st_size;
	if (is_later(&st->st_mtim, &c->changed))
		c->changed = st->st_mtim;
}

/* Get the status of a file.  Returns 1, 0 if it has disappeared, or -1. */
static int
peek(int dir, const char *name, struct stat *st, struct error *e)
{
	if (fs_stat(dir, name, st, e) == 0)
		return 1;
	return errno == ENOENT ? 0 : -1;
}

/* Open and list a directory.  Returns 0, 1 if it has disappeared, or -1. */
static int
open_place(struct place *p, int dir, const char *name, struct error *e)
{
	int rc;

	p->dir = fs_open_subdir(dir, name, 0, e);
	if (p->dir == -1)
		return errno == ENOENT ? 1 : -1;
	rc = fs_list_kind(p->dir, FS_ALL, MANY, &p->names, e);
	if (rc == -1)
		fs_close(p->dir);
	return rc;
}

static void
close_place(struct place *p)
{
	fs_names_free(&p->names);
	fs_close(p->dir);
}

/*
 * Add the size and time of all files in a checkpoint directory.  Returns 0 or
 * -1.
 */
static int
weigh_tree(struct checkpoint *c, struct place *p, struct error *e)
{
	struct stat st;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < p->names.count; i++) {
		struct place below = {.path = "", .depth = p->depth + 1};

		rc = peek(p->dir, p->names.name[i], &st, e);
		if (rc != 1)
			continue;
		rc = 0;
		if (!S_ISDIR(st.st_mode)) {
			weigh(c, &st);
			continue;
		}
		rc = p->depth < DEEPEST
		    ? open_place(&below, p->dir, p->names.name[i], e)
		    : 1;
		if (rc == 0) {
			rc = weigh_tree(c, &below, e);
			close_place(&below);
		} else if (rc == 1) {
			rc = 0;
		}
	}
	return rc;
}

static int search(struct search *, struct place *);

/* Add a directory as a checkpoint, or search it.  Returns 0 or -1. */
static int
take_directory(struct search *s, const struct place *p, const char *name)
{
	struct place below = {.depth = p->depth + 1};
	struct checkpoint *c;
	char *path;
	int rc, whole = is_like(name, alone);
	size_t i;

	rc = below.depth > DEEPEST ? 1 : open_place(&below, p->dir, name, s->e);
	if (rc != 0)
		return rc == 1 ? 0 : -1;
	for (i = 0; !whole && i < below.names.count; i++)
		whole = is_like(below.names.name[i], inside);
	path = xasprintf("%s%s/", p->path, name);
	below.path = path;
	if (whole) {
		c = add_checkpoint(s, p, name, strlen(name));
		add_file(c, p, name);
		rc = weigh_tree(c, &below, s->e);
		s->found->bytes += c->bytes;
	} else {
		rc = search(s, &below);
	}
	close_place(&below);
	free(path);
	return rc;
}

/*
 * Note the checkpoint that a list file names; a list is TensorFlow's or a plain
 * name.
 */
static void
take_list(struct search *s, const struct place *p, const char *name)
{
	static const char key[] = "model_checkpoint_path: \"";
	char *text, *at;

	if (fs_read(p->dir, name, LIST, &text, NULL, NULL) == -1)
		return;
	at = strncmp(text, key, sizeof key - 1) == 0 ? text + sizeof key - 1
						     : text;
	at[strcspn(at, "\"\n")] = '\0';
	strlist_push(&s->named, fs_base(at));
	free(text);
}

/* Return whether a link leads out of the directory where the search started. */
static int
leads_out(const struct search *s, const struct place *p, const char *target)
{
	size_t length = strlen(s->top);
	int depth = p->depth;

	if (*target == '/') {
		if (strncmp(target, s->top, length) != 0 ||
		    target[length] != '/')
			return 1;
		target += length + strspn(target + length, "/");
		depth = 0;
	}
	for (; *target != '\0' && depth >= 0; target += strspn(target, "/")) {
		length = strcspn(target, "/");
		if (length == 2 && strncmp(target, "..", 2) == 0)
			depth--;
		else if (length != 1 || *target != '.')
			depth++;
		target += length;
	}
	return depth < 0;
}

/* Count files that are in no checkpoint; name is one of them. */
static void
add_others(
    struct search *s, const struct place *p, const char *name, uint64_t count)
{
	if (s->found->other == NULL)
		s->found->other = xasprintf("%s%s", p->path, name);
	s->found->others += count;
}

/* Count a file, and add it if it is a checkpoint. */
static void
take_file(struct search *s, const struct place *p, const char *name,
    const struct stat *st)
{
	struct checkpoint *c;
	char *target;

	s->found->bytes += st->st_size;
	if (S_ISREG(st->st_mode) && st->st_size > 0 && is_like(name, alone)) {
		c = add_checkpoint(s, p, name, strlen(name));
		add_file(c, p, name);
		weigh(c, st);
		return;
	}
	if (S_ISREG(st->st_mode) && is_like(name, lists))
		take_list(s, p, name);
	else if (S_ISREG(st->st_mode))
		add_others(s, p, name, 1);
	target = S_ISLNK(st->st_mode) ? fs_read_link(p->dir, name, NULL) : NULL;
	if (target == NULL)
		return;
	strlist_push(&s->named, fs_base(target));
	if (leads_out(s, p, target)) {
		strlist_take(
		    &s->found->links, xasprintf("%s%s", p->path, name));
		strlist_push(&s->found->links, target);
	}
	free(target);
}

/* ---- checkpoints of several files (TensorFlow) ---- */

/*
 * Add the files with the same stem.  They are one checkpoint if all data files
 * and the index exist.  Sets *end to the index after the last of them.  Returns
 * 0 or -1.
 */
static int
take_group(struct search *s, const struct place *p, size_t from, size_t *end)
{
	struct checkpoint *c, total = {.bytes = 0};
	char **name = p->names.name;
	size_t length = stem(name[from]), i;
	unsigned long data = 0, wanted = 0;
	const char *index = NULL;
	struct stat st;
	int got;

	for (i = from; i < p->names.count && stem(name[i]) == length &&
	     strncmp(name[i], name[from], length) == 0;
	     i++) {
		got = peek(p->dir, name[i], &st, s->e);
		if (got == -1)
			return -1;
		if (got == 0)
			continue;
		weigh(&total, &st);
		data += shards(name[i]) > 0;
		if (shards(name[i]) > 0)
			wanted = shards(name[i]);
		if (strcmp(name[i] + length, ".index") == 0)
			index = name[i];
	}
	*end = i;
	s->found->bytes += total.bytes;
	if (index == NULL || data == 0 || data != wanted) {
		add_others(s, p, name[from], *end - from);
		return 0;
	}
	c = add_checkpoint(s, p, name[from], length);
	c->bytes = total.bytes;
	c->changed = total.changed;
	add_file(c, p, index);
	for (i = from; i < *end; i++)
		if (name[i] != index)
			add_file(c, p, name[i]);
	return 0;
}

static int
search(struct search *s, struct place *p)
{
	size_t i = 0, at;
	const char *name;
	struct stat st;
	int rc = 0;

	fs_names_sort(&p->names);
	while (rc == 0 && i < p->names.count) {
		at = i++;
		name = p->names.name[at];
		rc = peek(p->dir, name, &st, s->e);
		if (rc != 1)
			continue;
		rc = 0;
		if (S_ISREG(st.st_mode) && stem(name) > 0)
			rc = take_group(s, p, at, &i);
		else if (S_ISDIR(st.st_mode))
			rc = take_directory(s, p, name);
		else
			take_file(s, p, name, &st);
	}
	return rc;
}

int
checkpoint_is_newer(const struct checkpoint *a, const struct checkpoint *b)
{
	if (is_later(&a->changed, &b->changed))
		return 1;
	return !is_later(&b->changed, &a->changed) &&
	    strverscmp(a->name, b->name) > 0;
}

static int
newest_first(const void *a, const void *b)
{
	return checkpoint_is_newer(b, a) - checkpoint_is_newer(a, b);
}

int
checkpoints_read(
    int dir, const char *name, struct checkpoints *out, struct error *e)
{
	struct search s = {.found = out, .e = e, .top = fs_path(dir, name)};
	struct place p = {.path = ""};
	size_t i;
	int rc, whole = 0;

	memset(out, 0, sizeof *out);
	rc = open_place(&p, dir, name, e);
	if (rc != 0) {
		free(s.top);
		return rc == 1 ? 0 : -1;
	}
	for (i = 0; i < p.names.count; i++)
		whole |= is_like(p.names.name[i], inside);
	if (whole) { /* the directory itself is one checkpoint */
		rc = weigh_tree(add_checkpoint(&s, &p, ".", 1), &p, e);
		out->bytes = out->item[0].bytes;
	} else {
		rc = search(&s, &p);
	}
	close_place(&p);
	if (out->count > 0)
		qsort(out->item, out->count, sizeof *out->item, newest_first);
	for (i = 0; i < out->count; i++)
		out->item[i].named =
		    strlist_have(&s.named, fs_base(out->item[i].name));
	strlist_free(&s.named);
	free(s.top);
	if (rc == -1)
		checkpoints_free(out);
	return rc;
}

void
checkpoints_free(struct checkpoints *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		free(all->item[i].name);
		free(all->item[i].series);
		strlist_free(&all->item[i].files);
	}
	strlist_free(&all->links);
	free(all->other);
	free(all->item);
	memset(all, 0, sizeof *all);
}
