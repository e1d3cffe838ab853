#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/ascii.h"
#include "base/text.h"
#include "base/xalloc.h"

void
text_shell(FILE *out, const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789@%+=:,./_-";

	/* zsh replaces a word with a leading "=" by the path of a command. */
	if (*s != '\0' && *s != '=' && strspn(s, safe) == strlen(s)) {
		fputs(s, out);
		return;
	}
	putc('\'', out);
	for (; *s != '\0'; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else
			putc(*s, out);
	}
	putc('\'', out);
}

void
text_shell_words(FILE *out, const struct strlist *words)
{
	size_t i;

	for (i = 0; i < words->count; i++) {
		if (i > 0)
			putc(' ', out);
		text_shell(out, words->word[i]);
	}
}

void
text_tsv(FILE *out, const char *s)
{
	static const char special[] = "\t\n\r\\";
	static const char letter[] = "tnr\\";
	const char *at;

	for (; *s != '\0'; s++) {
		at = strchr(special, *s);
		if (at == NULL)
			putc(*s, out);
		else
			fprintf(out, "\\%c", letter[at - special]);
	}
}

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

void
text_csv(FILE *out, const char *s)
{
	if (*s == '\0' ||
	    (s[strcspn(s, ",\"\r\n")] == '\0' && !is_blank(*s) &&
		!is_blank(s[strlen(s) - 1]))) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	for (; *s != '\0'; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
	putc('"', out);
}

/* Return whether c controls a terminal or rearranges the text around it. */
static int
is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	    c == 0x200e || c == 0x200f || c == 0x061c;
}

void
text_latex(FILE *out, const char *s)
{
	static const struct {
		char c;
		const char *text;
	} table[] = {{'\\', "\\textbackslash{}"}, {'~', "\\textasciitilde{}"},
	    {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
	    {'>', "\\textgreater{}"}, {'|', "\\textbar{}"}, {'"', "''"},
	    {'&', "\\&"}, {'%', "\\%"}, {'$', "\\$"}, {'#', "\\#"},
	    {'_', "\\_"}, {'{', "\\{"}, {'}', "\\}"}, {'[', "{[}"},
	    {']', "{]}"}};
	enum { PLUS_MINUS = 0xb1 };
	size_t length = strlen(s), n, i;
	const char *special;
	uint32_t c;

	for (; length > 0; s += n, length -= n) {
		n = text_utf8(s, length, &c);
		special = n == 0 ? "?" : is_control(c) ? " " : NULL;
		if (n > 0 && c == PLUS_MINUS)
			special = "$\\pm$";
		for (i = 0; i < sizeof table / sizeof *table; i++)
			if (table[i].c == *s)
				special = table[i].text;
		n = n > 0 ? n : 1;
		if (special != NULL)
			fputs(special, out);
		else
			fwrite(s, 1, n, out);
	}
}

void
text_markdown(FILE *out, const char *s)
{
	size_t length = strlen(s), n;
	uint32_t c;

	for (; length > 0; s += n, length -= n) {
		n = text_utf8(s, length, &c);
		if (n == 0) {
			putc('?', out);
			n = 1;
		} else if (is_control(c)) {
			putc(' ', out);
		} else {
			if (strchr("\\`*_|<>[]#~&", *s) != NULL)
				putc('\\', out);
			fwrite(s, 1, n, out);
		}
	}
}

size_t
text_utf8(const char *s, size_t length, uint32_t *out)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s;
	size_t bytes, i;
	uint32_t c;

	if (p[0] < 0x80) {
		*out = p[0];
		return 1;
	}
	bytes = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (bytes == 0 || bytes > length || p[0] > 0xf4)
		return 0;
	c = p[0] & (0xff >> (bytes + 1));
	for (i = 1; i < bytes; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[bytes] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return bytes;
}

int
text_same(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

int
text_ends(const char *text, const char *with)
{
	size_t length = strlen(text), tail = strlen(with);

	return length > tail && strcmp(text + length - tail, with) == 0;
}

int
text_lists(const char *list, const char *word)
{
	size_t length = strlen(word), part;

	for (; *list != '\0'; list += part + (list[part] == ',')) {
		part = strcspn(list, ",");
		if (part == length && strncmp(list, word, length) == 0)
			return 1;
	}
	return 0;
}

int
text_among(const char *word, const char *const *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i] != NULL && strcmp(word, words[i]) == 0)
			return (int)i;
	return -1;
}

int
text_has(const char *text, const char *const *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strstr(text, words[i]) != NULL)
			return 1;
	return 0;
}

int
text_is_utf8(const char *s)
{
	size_t left = strlen(s), bytes;
	uint32_t c;

	for (; left > 0; s += bytes, left -= bytes) {
		bytes = text_utf8(s, left, &c);
		if (bytes == 0)
			return 0;
	}
	return 1;
}

void
text_json(FILE *out, const char *s)
{
	static const char special[] = "\"\\\n\t\r", letter[] = "\"\\ntr";
	size_t left = strlen(s), bytes;
	const char *at;
	uint32_t c;

	putc('"', out);
	for (; left > 0; s += bytes, left -= bytes) {
		bytes = text_utf8(s, left, &c);
		at = strchr(special, *s);
		if (bytes == 0)
			fputs("\xef\xbf\xbd", out);
		else if (at != NULL)
			fprintf(out, "\\%c", letter[at - special]);
		else if (is_control(c))
			fprintf(out, "\\u%04x", (unsigned)c);
		else
			fwrite(s, 1, bytes, out);
		bytes = bytes > 0 ? bytes : 1;
	}
	putc('"', out);
}

/* Blanks between tokens aside, only strings can have control characters. */
void
text_json_source(FILE *out, const char *s)
{
	size_t left = strlen(s), bytes;
	uint32_t c;

	for (; left > 0; s += bytes, left -= bytes) {
		bytes = text_utf8(s, left, &c);
		if (bytes > 0 && is_control(c))
			fprintf(out, "\\u%04x", (unsigned)c);
		else
			fwrite(s, 1, bytes > 0 ? bytes : 1, out);
		bytes = bytes > 0 ? bytes : 1;
	}
}

/*
 * Measure the next piece of text_plain's output.  Returns how many bytes of s
 * it stands for.  Sets *width to its columns, and *escaped to whether each byte
 * is written as \x1b.
 */
static size_t
next_piece(const char *s, size_t left, size_t *width, int *escaped)
{
	size_t bytes;
	uint32_t c;
	int columns;

	bytes = text_utf8(s, left, &c);
	*escaped = bytes == 0 || is_control(c);
	if (*escaped) {
		bytes = bytes ? bytes : 1;
		*width = 4 * bytes;
		return bytes;
	}
	columns = c < 0x80 ? 1 : wcwidth((wchar_t)c);
	*width = columns < 0 ? 1 : (size_t)columns;
	return bytes;
}

static void
put_piece(FILE *out, const char *s, size_t bytes, int escaped)
{
	size_t i;

	if (!escaped) {
		fwrite(s, 1, bytes, out);
		return;
	}
	for (i = 0; i < bytes; i++)
		fprintf(out, "\\x%02x", (unsigned)(unsigned char)s[i]);
}

void
text_plain(FILE *out, const char *s)
{
	size_t left = strlen(s), bytes, width;
	int escaped;

	for (; left > 0; s += bytes, left -= bytes) {
		escaped = 0;
		for (bytes = 0; s[bytes] >= ' ' && s[bytes] <= '~';)
			bytes++;
		if (bytes == 0)
			bytes = next_piece(s, left, &width, &escaped);
		put_piece(out, s, bytes, escaped);
	}
}

void
text_xml(FILE *out, const char *s)
{
	static const char special[] = "&<>\"'";
	static const char *const name[] = {"amp", "lt", "gt", "quot", "#39"};
	size_t left = strlen(s), bytes, width;
	const char *at;
	int escaped;

	for (; left > 0; s += bytes, left -= bytes) {
		at = strchr(special, *s);
		bytes = next_piece(s, left, &width, &escaped);
		if (at != NULL)
			fprintf(out, "&%s;", name[at - special]);
		else /* XML has no U+FFFE and U+FFFF, even escaped */
			put_piece(out, s, bytes,
			    escaped || memcmp(s, "\xef\xbf\xbe", bytes) == 0 ||
				memcmp(s, "\xef\xbf\xbf", bytes) == 0);
	}
}

void
text_page(FILE *out, const char *s)
{
	size_t length;
	char *part;

	for (; *s != '\0'; s += length) {
		length = strcspn(s, "\t\n");
		part = xstrndup(s, length);
		text_plain(out, part);
		free(part);
		for (; *(s + length) == '\t' || *(s + length) == '\n'; length++)
			putc(s[length], out);
	}
}

size_t
text_width(const char *s)
{
	size_t left = strlen(s), bytes, width, sum = 0;
	int escaped;

	for (; left > 0; s += bytes, left -= bytes) {
		bytes = next_piece(s, left, &width, &escaped);
		sum += width;
	}
	return sum;
}

void
text_cell(FILE *out, const char *s, size_t width, int right)
{
	size_t full = text_width(s), left = strlen(s), used = 0, bytes, w;
	size_t room = full > width && width > 0 ? width - 1 : width;
	int escaped;

	if (right && full < width) {
		used = width - full;
		fprintf(out, "%*s", (int)used, "");
	}
	for (; left > 0; s += bytes, left -= bytes) {
		bytes = next_piece(s, left, &w, &escaped);
		if (used + w > room)
			break;
		put_piece(out, s, bytes, escaped);
		used += w;
	}
	if (full > width && width > 0) {
		putc('~', out);
		used++;
	}
	if (used < width)
		fprintf(out, "%*s", (int)(width - used), "");
}

size_t
text_fit(const char *s, size_t width)
{
	size_t left = strlen(s), bytes, wide, used = 0, at = 0, part = 0;
	int escaped;

	for (; left > 0; at += bytes, left -= bytes) {
		bytes = next_piece(s + at, left, &wide, &escaped);
		used += wide;
		if (used > width && at > 0)
			return part > 0 ? part : at;
		if (strchr("/:,", s[at]) != NULL)
			part = at + bytes;
	}
	return at;
}

enum { ROW_INDENT = 2 };

static size_t
next_row(FILE *out)
{
	fprintf(out, "\n%*s", ROW_INDENT, "");
	return ROW_INDENT;
}

/*
 * Write a word after used columns, in as many rows as needed.  Returns the
 * columns used in the last row.
 */
static size_t
wrap_word(FILE *out, const char *word, size_t used, size_t width)
{
	size_t room, n;
	char *part;

	while (width > 0 && used + text_width(word) > width) {
		room = width > used ? width - used : 0;
		n = text_fit(word, room);
		part = xstrndup(word, n);
		if (text_width(part) > room && used > ROW_INDENT)
			n = 0; /* the next row has more room */
		else
			text_plain(out, part);
		free(part);
		word += n;
		if (*word == '\0')
			return width;
		used = next_row(out);
	}
	text_plain(out, word);
	return used + text_width(word);
}

void
text_wrap(FILE *out, const char *s, size_t used, size_t width)
{
	size_t length, wide;
	char *word;

	for (; *s != '\0'; s += length) {
		length = strcspn(s + 1, " ") + 1;
		word = xstrndup(s, length);
		wide = text_width(word);
		/*
		 * If a word must be broken, begin it in this row unless the row
		 * is already half full.
		 */
		if (width > 0 && *word == ' ' && used + wide > width &&
		    (used >= width / 2 || wide + 1 <= width))
			used = wrap_word(out, word + 1, next_row(out), width);
		else
			used = wrap_word(out, word, used, width);
		free(word);
	}
}

static int
same_letter(char a, char b)
{
	return ascii_lower((unsigned char)a) == ascii_lower((unsigned char)b);
}

/*
 * Return how many letters must be changed, added, removed or swapped with their
 * neighbour to turn a into b; any result over limit means "too many".
 */
static size_t
distance(const char *a, const char *b, size_t limit)
{
	enum { MOST = 256 };
	size_t la = strlen(a), lb = strlen(b), i, j, best;
	size_t space[3][MOST + 1], *row = space[0], *up = space[1],
				   *above = space[2], *spare;

	if (la > lb + limit || lb > la + limit || lb > MOST)
		return limit + 1;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		spare = above;
		above = up;
		up = row;
		row = spare;
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			best = up[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			best = up[j] + 1 < best ? up[j] + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]) &&
			    above[j - 2] + 1 < best)
				best = above[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *
text_nearest(const char *word, const char *const *candidates, size_t count)
{
	enum { LEAST = 3 };
	size_t length = strlen(word), limit = length > 3 ? 2 : 1, i, d;
	const char *found = NULL;

	for (i = 0; i < count; i++) {
		if (candidates[i] == NULL)
			continue;
		d = distance(word, candidates[i], limit);
		if (d <= limit && (found == NULL || d < limit)) {
			found = candidates[i];
			limit = d;
		}
	}
	if (found != NULL || length < LEAST)
		return found;
	for (i = 0; i < count; i++) {
		if (candidates[i] == NULL ||
		    ascii_ncasecmp(candidates[i], word, length) != 0)
			continue;
		if (found != NULL && strcmp(found, candidates[i]) != 0)
			/* Several candidates begin with the word. */
			return NULL;
		found = candidates[i];
	}
	return found;
}

const char *
text_hint_of(const char *before, const char *near, const char *after,
    const char *otherwise, char out[TEXT_HINT])
{
	int room = TEXT_HINT - 32;

	if (near != NULL)
		snprintf(out, TEXT_HINT, "did you mean %s%.*s%s?", before, room,
		    near, after);
	else
		snprintf(out, TEXT_HINT, "%s", otherwise);
	return out;
}
