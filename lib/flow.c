#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "text.h"
#include "xalloc.h"

/* Go to where a word of this width begins: in this line or the next. */
static void
make_room(struct flow *f, size_t gap, size_t width)
{
	if (f->width > 0 && f->at > f->indent &&
	    f->at + gap + width > f->width) {
		fprintf(f->out, "\n%*s", (int)f->indent, "");
		f->at = f->indent;
	} else if (f->at > 0) {
		fprintf(f->out, "%*s", (int)gap, "");
		f->at += gap;
	}
}

void
flow_word(struct flow *f, size_t gap, const char *word)
{
	size_t width = text_width(word);

	if (f->width > 0 && f->indent + width > f->width &&
	    strchr(word, ' ') != NULL) {
		flow_text(f, gap, word);
		return;
	}
	make_room(f, gap, width);
	if (f->width > 0 && f->at < f->width && f->at + width > f->width)
		width = f->width - f->at;
	text_cell(f->out, word, width, 0);
	f->at += width;
}

/* The bytes of a path that a line has room for: whole names if it can be. */
static size_t
path_part(const char *path, size_t width)
{
	size_t length = strlen(path), i, n, used = 0, named = 0;
	uint32_t c;
	char *one;

	for (i = 0; i < length; i += n) {
		n = text_utf8(path + i, length - i, &c);
		n = n > 0 ? n : 1;
		one = xstrndup(path + i, n);
		used += text_width(one);
		free(one);
		if (used > width && i > 0)
			break;
		if (strchr("/:,", path[i]) != NULL)
			named = i + n;
	}
	return named > 0 && i < length ? named : i;
}

/* Whether a quotation of text_shell is open behind so many bytes of it. */
static int
is_open(const char *word, size_t length)
{
	int open = 0;
	size_t i;

	for (i = 0; i < length && *word == '\''; i++)
		if (word[i] == '\'')
			open = !open;
		else if (word[i] == '\\' && !open)
			i++;
	return open;
}

/*
 * A path that no line has room for.  Its lines end in a backslash and begin at
 * the left, so that a shell takes what is copied as one word again; where a
 * quotation is open it is closed before and opened behind.
 */
static void
broken_path(struct flow *f, const char *path)
{
	size_t at = 0, n, room;
	int open = 0;
	char *part;

	while (f->at + (size_t)open + text_width(path + at) > f->width) {
		room = f->at + 2 + (size_t)open;
		room = f->width > room ? f->width - room : 1;
		n = path_part(path + at, room);
		if (n > 1 && path[at + n - 1] == '\\')
			n--;
		part = xstrndup(path + at, n);
		fputs(open ? "'" : "", f->out);
		text_plain(f->out, part);
		free(part);
		at += n;
		open = is_open(path, at);
		fputs(open ? "'\\\n" : "\\\n", f->out);
		f->at = 0;
	}
	part = xasprintf("%s%s", open ? "'" : "", path + at);
	text_plain(f->out, part);
	f->at = text_width(part);
	free(part);
}

void
flow_path(struct flow *f, size_t gap, const char *path)
{
	size_t width = text_width(path);

	make_room(f, gap, width);
	if (f->width > 0 && f->at + width > f->width) {
		broken_path(f, path);
		return;
	}
	text_plain(f->out, path);
	f->at += width;
}

void
flow_text(struct flow *f, size_t gap, const char *text)
{
	char *copy = xstrdup(text), *word, *save;

	for (word = strtok_r(copy, " \t\r\n", &save); word != NULL;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		flow_word(f, gap, word);
		gap = 1;
	}
	free(copy);
}

size_t
flow_list(struct flow *f, size_t gap, const char *list, size_t most)
{
	size_t length, pieces = 0;
	char *piece;

	for (; *list != '\0' && pieces < most; pieces++) {
		length = strcspn(list, ",");
		length += list[length] == ',';
		piece = xstrndup(list, length);
		flow_word(f, gap, piece);
		free(piece);
		list += length;
		gap = 0;
	}
	if (*list != '\0')
		flow_word(f, 1, "...");
	return pieces;
}

void
flow_end(struct flow *f)
{
	putc('\n', f->out);
	f->at = 0;
}
