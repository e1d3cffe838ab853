#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "term/flow.h"

/*
 * Go to the start of a word of this width: in this line, or after end in the
 * next line.
 */
static void
make_room(struct flow *f, size_t gap, size_t width, const char *end)
{
	/* After a broken path, a line begins left of the indent. */
	if (f->width > 0 && f->at > 0 && f->at != f->indent &&
	    f->at + gap + width > f->width) {
		fprintf(f->out, "%s\n%*s", end, (int)f->indent, "");
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
	make_room(f, gap, width, "");
	if (f->width > 0 && f->at < f->width && f->at + width > f->width)
		width = f->width - f->at;
	text_cell(f->out, word, width, 0);
	f->at += width;
}

/*
 * Return whether a quotation of text_shell is open after the first length
 * bytes.
 */
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
 * Write a path that is too wide for a line.  Its lines end in a backslash and
 * start at the left margin, so that a shell takes a copy as one word.  An open
 * quotation is closed at the end of a line and opened again in the next line.
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
		n = text_fit(path + at, room);
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

	make_room(f, gap, width, "");
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

/* ---- lines with tabs ---- */

static void
blank_tabs(char *row)
{
	for (; (row = strchr(row, '\t')) != NULL; row++)
		*row = ' ';
}

/* Return the width of a line with tabs. */
static size_t
row_width(const char *row)
{
	enum { TAB = 8 };
	size_t at = 0, n;
	char *part;

	for (;; row += n + 1) {
		n = strcspn(row, "\t");
		part = xstrndup(row, n);
		at += text_width(part);
		free(part);
		if (row[n] == '\0')
			return at;
		at += TAB - at % TAB;
	}
}

void
flow_rows(FILE *out, const char *rows, size_t width)
{
	size_t length;
	char *row;

	for (; *rows != '\0'; rows += length + (rows[length] == '\n')) {
		length = strcspn(rows, "\n");
		row = xstrndup(rows, length);
		if (width == 0 || row_width(row) <= width) {
			text_page(out, row);
		} else {
			blank_tabs(row);
			text_wrap(out, row, 0, width);
		}
		putc('\n', out);
		free(row);
	}
}

/* ---- commands ---- */

/* Count the bytes of the first word of a command, with its quotations. */
static size_t
shell_word(const char *s)
{
	int open = 0;
	size_t n;

	for (n = 0; s[n] != '\0' && (open || strchr(" \n", s[n]) == NULL); n++)
		if (s[n] == '\'')
			open = !open;
		else if (s[n] == '\\' && !open && s[n + 1] != '\0')
			n++;
	return n;
}

/*
 * Write the first line of a text as a command, whose words may contain
 * newlines. Returns the rest of the text.
 */
const char *
flow_command(struct flow *f, const char *s)
{
	size_t length, width, more, first = 1, gap = strspn(s, " ");
	char *word, *end;

	fprintf(f->out, "%*s", (int)gap, "");
	f->at += gap;
	for (s += gap; *s != '\0' && *s != '\n'; s += gap) {
		length = shell_word(s);
		word = xstrndup(s, length);
		s += length;
		width = text_width(word);
		more = *s == ' ' ? 2 : 0; /* columns of the backslash */
		if (!first)
			make_room(f, gap, width + more, " \\");
		if (strpbrk(word, "\n\t") != NULL) {
			end = strrchr(word, '\n');
			text_page(f->out, word);
			f->at = row_width(end != NULL ? end + 1 : word);
		} else if (f->width > 0 && f->at + width + more > f->width) {
			f->width -= more;
			broken_path(f, word);
			f->width += more;
		} else {
			text_plain(f->out, word);
			f->at += width;
		}
		free(word);
		first = 0;
		gap = strspn(s, " ");
	}
	return s;
}

/*
 * Write the comment at the start of a text, as several comments if it is too
 * wide. Returns the rest of the text.
 */
static const char *
put_comment(struct flow *f, const char *s)
{
	size_t length = strcspn(s, "\n"), rows_length;
	char *line = xstrndup(s, length), *rows, *row, *save;
	FILE *m;

	/* Programs read these lines and would not understand a second line. */
	if (text_begins(line, "#!") || text_begins(line, "#SBATCH") ||
	    row_width(line) <= f->width) {
		text_page(f->out, line);
	} else {
		blank_tabs(line);
		m = xmemopen(&rows, &rows_length);
		text_wrap(m, line, 0, f->width > 2 ? f->width - 2 : f->width);
		xmemclose(m);
		for (row = strtok_r(rows, "\n", &save); row != NULL;
		     row = strtok_r(NULL, "\n", &save))
			fprintf(f->out, "%s%s", row == rows ? "" : "\n# ", row);
		free(rows);
	}
	free(line);
	return s + length;
}

void
flow_script(FILE *out, const char *script, size_t width)
{
	struct flow f = {out, width, 4, 0};

	if (width == 0) {
		text_page(out, script);
		return;
	}
	while (*script != '\0') {
		script = *script == '#' ? put_comment(&f, script)
					: flow_command(&f, script);
		script += *script == '\n';
		flow_end(&f);
	}
}

void
flow_words(FILE *out, const struct strlist *words, size_t width)
{
	char *line = NULL;
	size_t length;
	FILE *f = xmemopen(&line, &length);

	text_shell_words(f, words);
	putc('\n', f);
	xmemclose(f);
	flow_script(out, line, width);
	free(line);
}
