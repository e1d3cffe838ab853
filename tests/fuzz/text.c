/*
 * Text on its way out: for terminals (p, c), shells (s), JSON (j), TSV (t), CSV
 * (v), and tables (T).  Whatever comes in: no control character and no broken
 * UTF-8 gets out to a terminal, and a reader gets back what was written.  And
 * the lines of logs (l), which are the same however their bytes come.
 */
#include <string.h>
#include <wchar.h>

#include "fuzz.h"
#include "base/lex.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "sys/csv.h"
#include "sys/lines.h"
#include "term/table.h"

struct memory {
	FILE *out;
	char *text;
	size_t length;
};

static void
memory_open(struct memory *m)
{
	m->out = open_memstream(&m->text, &m->length);
}

/* The text written by one of the writers; to free. */
static char *
written(void (*put)(FILE *, const char *), const char *text)
{
	struct memory m;

	memory_open(&m);
	put(m.out, text);
	fclose(m.out);
	must(strlen(m.text) == m.length);
	return m.text;
}

static int
is_bidi(uint32_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	    c == 0x200e || c == 0x200f || c == 0x61c;
}

/* What a terminal can be shown; lines allows for line ends. */
static void
must_be_plain(const char *text, int lines)
{
	size_t left = strlen(text), n;
	uint32_t c;

	for (; left > 0; text += n, left -= n) {
		n = text_utf8(text, left, &c);
		must(n > 0);
		must(c >= 0x20 || (lines && c == '\n'));
		must(c < 0x7f || c > 0x9f);
		must(!is_bidi(c));
	}
}

static void
plain(const char *text)
{
	char *shown = written(text_plain, text), *again;

	must_be_plain(shown, 0);
	must(text_width(shown) == text_width(text));
	again = written(text_plain, shown);
	must(strcmp(shown, again) == 0);
	free(shown);
	free(again);
}

static void
cell(struct fuzz *f)
{
	size_t width = fuzz_byte(f) % 40;
	int right = fuzz_byte(f) % 2;
	char *text = fuzz_text(f);
	struct memory m;

	memory_open(&m);
	text_cell(m.out, text, width, right);
	fclose(m.out);
	must_be_plain(m.text, 0);
	must(text_width(m.text) == width);
	free(m.text);
	free(text);
}

/* One word as POSIX has it: what a shell makes of text; to free. */
static char *
unquote(const char *text)
{
	char *out = xmalloc(strlen(text) + 1), *to = out;
	int quoted = 0;

	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			quoted = !quoted;
		} else if (!quoted && *text == '\\') {
			must(text[1] != '\0');
			*to++ = *++text;
		} else {
			must(quoted ||
			    strchr(" \t\n|&;<>()$`\"*?[#~!{}\r", *text) ==
				NULL);
			*to++ = *text;
		}
	}
	must(!quoted);
	*to = '\0';
	return out;
}

static void
shell(const char *text)
{
	char *word = written(text_shell, text), *again;

	must(*word != '\0' && *word != '=');
	again = unquote(word);
	must(strcmp(text, again) == 0);
	free(word);
	free(again);
}

static void
json(const char *text)
{
	char *string = written(text_json, text), *again;
	struct lex lex;

	must(lex_parse(string, strlen(string), 0, &lex, NULL) == 0);
	must(lex.kind == LEX_STRING);
	again = lex_string(&lex);
	must(!text_is_utf8(text) || strcmp(text, again) == 0);
	free(string);
	free(again);
}

struct expected {
	char **field;
	size_t count, rows;
};

static int
compare_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct expected *x = arg;
	size_t i;

	(void)end;
	must(count == x->count);
	for (i = 0; i < count; i++)
		must(strcmp(field[i], x->field[i]) == 0);
	x->rows++;
	return 0;
}

/* Fields written as one row are read as the same. */
static void
row(struct fuzz *f, char delimiter, void (*put)(FILE *, const char *))
{
	struct expected x = {fuzz_lines(f, 8), 0, 0};
	struct rows *r = rows_new(delimiter);
	struct memory m;

	memory_open(&m);
	for (; x.field[x.count] != NULL; x.count++) {
		if (x.count > 0)
			putc(delimiter, m.out);
		put(m.out, x.field[x.count]);
	}
	putc('\n', m.out);
	fclose(m.out);
	/* A line with nothing in it is no record, a byte order mark no text. */
	if (m.length > 1 && strncmp(m.text, "\xef\xbb\xbf", 3) != 0) {
		must(
		    rows_feed(r, m.text, m.length, compare_row, &x, NULL) == 0);
		must(rows_finish(r, compare_row, &x, NULL) == 0);
		must(x.rows == 1);
	}
	rows_free(r);
	free(m.text);
	fuzz_lines_free(x.field);
}

enum { COLUMNS = 5 };

static void
fill_table(struct table *t, char **line)
{
	size_t i;

	for (i = 0; line[i] != NULL; i++) {
		if (i % COLUMNS == 0)
			table_row(t);
		if (*line[i] == '#')
			table_int(t, i % COLUMNS, (int64_t)strlen(line[i]));
		else
			table_text(t, i % COLUMNS, line[i]);
	}
}

static void
table_fits(char *text, size_t width)
{
	char *line, *rest;

	must_be_plain(text, 1);
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		must(width == 0 || text_width(line) <= width);
}

static void
table(struct fuzz *f)
{
	struct table_column column[COLUMNS] = {
	    {.name = "task", .head = "TASK", .right = 1},
	    {.name = "lr", .head = "lr", .narrow = 1, .merge = 2},
	    {.name = "bs", .head = "bs", .narrow = 1, .merge = 2},
	    {.name = "cause",
		.head = "CAUSE",
		.optional = 1,
		.cut = 3,
		.least = 4},
	    {.name = "node", .head = "NODE", .drop = 4, .right = 1}};
	struct table_look look = {.format = fuzz_byte(f) % 5};
	unsigned char width = fuzz_byte(f);
	char **line = fuzz_lines(f, 40);
	struct memory m;
	struct table *t;

	look.width = width == 0 ? 0 : 1 + width % 100;
	memory_open(&m);
	t = table_new(m.out, column, COLUMNS, &look);
	fill_table(t, line);
	table_end(t);
	fclose(m.out);
	if (look.format == TABLE_TEXT)
		table_fits(m.text, look.width);
	free(m.text);
	fuzz_lines_free(line);
}

/* Each line with its end. */
static void
add_line(void *arg, const char *line)
{
	struct memory *m = arg;

	must(strlen(line) < LINES_LONGEST + 64);
	must(strpbrk(line, "\n\r") == NULL);
	fprintf(m->out, "%s\n", line);
}

/* The lines of some bytes that come in pieces of this size; to free. */
static char *
lines_of(const char *bytes, size_t length, size_t piece)
{
	struct lines l = {0};
	struct memory m;
	size_t at, n;

	memory_open(&m);
	for (at = 0; at < length; at += n) {
		n = length - at < piece ? length - at : piece;
		lines_feed(&l, bytes + at, n, add_line, &m);
		must(strlen(lines_unfinished(&l)) < LINES_LONGEST + 64);
	}
	lines_end(&l, add_line, &m);
	fclose(m.out);
	lines_free(&l);
	return m.text;
}

/* However they come, the lines are the same, and as many: or fewer, where the
 * cursor goes up; one that has no end and shows nothing is none. */
static void
log_lines(struct fuzz *f)
{
	char *whole = lines_of(f->at, f->left, f->left + 1), *text, *at;
	int up = memchr(f->at, '\033', f->left) != NULL;
	size_t ends = 0, rest, lines = 0, i, piece;

	for (i = 0; i < f->left; i++)
		ends += f->at[i] == '\n';
	rest = f->left > 0 && f->at[f->left - 1] != '\n';
	for (at = whole; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	must(lines <= ends + rest);
	must(up || lines >= ends);
	for (piece = 1; piece < 4; piece++) {
		text = lines_of(f->at, f->left, piece);
		must(strcmp(text, whole) == 0);
		free(text);
	}
	free(whole);
}

static void
one_text(struct fuzz *f, void (*check)(const char *))
{
	char *text = fuzz_text(f);

	check(text);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz f = fuzz_input(bytes, length);

	switch (fuzz_byte(&f)) {
	case 'p':
		one_text(&f, plain);
		break;
	case 'c':
		cell(&f);
		break;
	case 's':
		one_text(&f, shell);
		break;
	case 'j':
		one_text(&f, json);
		break;
	case 't':
		row(&f, '\t', text_tsv);
		break;
	case 'v':
		row(&f, ',', text_csv);
		break;
	case 'T':
		table(&f);
		break;
	case 'l':
		log_lines(&f);
		break;
	}
	return 0;
}
