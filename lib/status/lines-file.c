#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "status/lines-file.h"
#include "sys/fs.h"

enum { PIECE = 1 << 18 };

void
lines_file_free(struct lines_file *f)
{
	lines_free(&f->lines);
	memset(f, 0, sizeof *f);
}

/* ---- finding the last lines ---- */

static int
size_of(const char *path, uint64_t *size, struct error *e)
{
	struct stat st;
	size_t length;
	char *bytes;

	if (fs_read_from(path, 0, 0, &bytes, &length, &st, e) == -1)
		return -1;
	free(bytes);
	*size = (uint64_t)st.st_size;
	return 0;
}

/*
 * Search back over *count line ends in bytes.  Returns the start of the line
 * after them, or NULL if bytes has too few. *count becomes the number of line
 * ends that remain.
 */
static const char *
go_back(const char *bytes, size_t length, uint64_t *count)
{
	const char *at;

	while ((at = memrchr(bytes, '\n', length)) != NULL) {
		if ((*count)-- == 0)
			return at + 1;
		length = (size_t)(at - bytes);
	}
	return NULL;
}

int
lines_file_last(struct lines_file *f, uint64_t count, struct error *e)
{
	uint64_t size, at, from;
	const char *begin = NULL;
	struct stat st;
	size_t length;
	char *bytes;

	if (size_of(f->path, &size, e) == -1)
		return -1;
	for (at = size; at > 0 && begin == NULL; at = from) {
		from = at > PIECE ? at - PIECE : 0;
		if (fs_read_from(f->path, from, (size_t)(at - from), &bytes,
			&length, &st, e) == -1)
			return -1;
		if (at == size && (length == 0 || bytes[length - 1] != '\n') &&
		    count > 0)
			count--; /* for a last line without a newline */
		begin = go_back(bytes, length, &count);
		f->offset =
		    begin != NULL ? from + (uint64_t)(begin - bytes) : from;
		free(bytes);
	}
	return 0;
}

/* ---- reading new bytes ---- */

/* Return whether a file still has the content read earlier. */
static int
continues(const struct lines_file *f, const char *bytes, size_t length,
    const struct stat *st)
{
	if ((uint64_t)st->st_size < f->offset)
		return 0;
	return !f->known ||
	    (f->device == st->st_dev && f->inode == st->st_ino &&
		length >= f->checked &&
		memcmp(bytes, f->before, f->checked) == 0);
}

/* Read a piece.  Returns 1 if there were new bytes, 0, or -1. */
static int
read_piece(struct lines_file *f, lines_put *put, lines_put *ended, void *arg,
    struct error *e)
{
	uint64_t from = f->offset - f->checked;
	struct stat st;
	size_t length, got;
	char *bytes;
	int rc = 0;

	if (fs_read_from(f->path, from, f->checked + PIECE, &bytes, &length,
		&st, e) == -1)
		return -1;
	if (!continues(f, bytes, length, &st)) {
		free(bytes);
		f->offset = f->checked = 0;
		f->known = 0;
		return ended(arg, NULL, 0) == -1 ? -1 : 1;
	}
	got = length - f->checked;
	if (got > 0)
		rc = put(arg, bytes + f->checked, got);
	f->offset += got;
	f->known = 1;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	f->checked = length < LINES_CHECKED ? length : LINES_CHECKED;
	if (f->checked > 0)
		memcpy(f->before, bytes + length - f->checked, f->checked);
	free(bytes);
	return rc == -1 ? -1 : got > 0;
}

static int
read_all(struct lines_file *f, lines_put *put, lines_put *ended, void *arg,
    struct error *e)
{
	int got, any = 0;

	while ((got = read_piece(f, put, ended, arg, e)) > 0)
		any = 1;
	return got == -1 ? -1 : any;
}

/* The function that takes lines, and its arguments. */
struct taker {
	struct lines *lines;
	lines_take *take;
	void *arg;
};

static int
feed(void *arg, const char *bytes, size_t length)
{
	const struct taker *t = arg;

	lines_feed(t->lines, bytes, length, t->take, t->arg);
	return 0;
}

static int
end(void *arg, const char *bytes, size_t length)
{
	const struct taker *t = arg;

	(void)bytes;
	(void)length;
	lines_end(t->lines, t->take, t->arg);
	return 0;
}

int
lines_file_read(
    struct lines_file *f, lines_take *take, void *arg, struct error *e)
{
	struct taker t = {&f->lines, take, arg};
	int rc = read_all(f, feed, end, &t, e);

	if (rc == 0)
		lines_rest(&f->lines, take, arg);
	return rc;
}

static int
nothing(void *arg, const char *bytes, size_t length)
{
	(void)arg;
	(void)bytes;
	(void)length;
	return 0;
}

int
lines_file_copy(
    struct lines_file *f, lines_put *put, void *arg, struct error *e)
{
	return read_all(f, put, nothing, arg, e);
}

/* ---- the last lines, as a list ---- */

struct few {
	struct strlist all;
	size_t lines; /* including empty ones */
	int first;    /* the first line is in all */
};

static void
keep(void *arg, const char *line)
{
	struct few *few = arg;
	char *copy, *tab;

	few->lines++;
	if (line[strspn(line, " \t")] == '\0')
		return;
	copy = xstrdup(line);
	while ((tab = strchr(copy, '\t')) != NULL)
		*tab = ' ';
	strlist_take(&few->all, copy);
	few->first |= few->lines == 1;
}

void
lines_file_end(
    const char *path, size_t count, size_t bytes, struct strlist *out)
{
	struct lines_file f = {.path = path};
	struct few few = {{0}};
	uint64_t size;
	size_t i;

	memset(out, 0, sizeof *out);
	if (size_of(path, &size, NULL) == -1)
		return;
	f.offset = size > bytes ? size - bytes : 0;
	if (lines_file_read(&f, keep, &few, NULL) != -1)
		lines_end(&f.lines, keep, &few);
	/* The text before the first line end may be part of a line. */
	i = size > bytes && few.first && few.all.count > 1 ? 1 : 0;
	if (few.all.count > count && few.all.count - count > i)
		i = few.all.count - count;
	for (; i < few.all.count; i++)
		strlist_push(out, few.all.word[i]);
	strlist_free(&few.all);
	lines_file_free(&f);
}
