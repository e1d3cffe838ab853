#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/lex.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "term/table-private.h"

int
table_format(const char *name, enum table_format *out, struct error *e)
{
	static const char *const names[] = {
	    "text", "tsv", "csv", "json", "jsonl", "latex", "markdown"};
	static const char *const pictures[] = {"png", "svg", "pdf"};
	int i = text_among(name, names, sizeof names / sizeof *names);

	if (i == -1)
		return error_set(e,
		    "%s: no such format (text, tsv, csv, json, jsonl, latex or "
		    "markdown)%s",
		    name,
		    text_among(name, pictures, 3) != -1
			? ": stfm-plot -o png or -o svg draws pictures"
			: "");
	*out = (enum table_format)i;
	return 0;
}

char *
table_iso_time(int64_t seconds, char out[TABLE_TIME])
{
	time_t t = (time_t)seconds;
	struct tm tm;
	size_t n;

	if (localtime_r(&t, &tm) == NULL) {
		snprintf(out, TABLE_TIME, "%" PRId64, seconds);
		return out;
	}
	n = strftime(out, TABLE_TIME, "%Y-%m-%dT%H:%M:%S%z", &tm);
	/* strftime writes +0100, but ISO 8601 with colons requires +01:00. */
	if (n >= 2 && n + 1 < TABLE_TIME) {
		memmove(out + n - 1, out + n - 2, 3);
		out[n - 2] = ':';
	}
	return out;
}

/* Return whether all rows are kept until the end. */
static int
is_kept(const struct table *t)
{
	return t->look.format == TABLE_TEXT || table_is_paper(t->look.format);
}

struct table *
table_new(FILE *out, const struct table_column *column, size_t count,
    const struct table_look *look)
{
	struct table *t = xcalloc(1, sizeof *t);

	t->out = out;
	t->column = column;
	t->columns = count;
	t->look = *look;
	t->is_terminal = fileno(out) != -1 && isatty(fileno(out));
	if (!is_kept(t))
		t->cell = xcalloc(count, sizeof *t->cell);
	return t;
}

/* ---- choosing columns ---- */

static void
empty_cells(struct table_cell *cell, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(cell[i].text);
		cell[i] = (struct table_cell){0};
	}
}

static void
free_table(struct table *t)
{
	empty_cells(&t->unused, 1);
	free(t->cell);
	free(t->place);
	free(t->chosen);
	strlist_free(&t->heads);
	free(t);
}

static int
find_column(const struct table *t, const char *name, struct error *e)
{
	struct strlist names = {0};
	char hint[TEXT_HINT];
	size_t i;
	int found = -1;

	for (i = 0; i < t->columns && found == -1; i++)
		if (t->column[i].name == NULL)
			continue;
		else if (strcmp(t->column[i].name, name) == 0)
			found = (int)i;
		else
			strlist_push(&names, t->column[i].name);
	if (found == -1)
		error_set(e, "%s: no such column (%s)", name,
		    text_hint(name, (const char *const *)names.word,
			names.count, "the first line of -o tsv has them all",
			hint));
	strlist_free(&names);
	return found;
}

/* Return the name of a column in upper case, to free. */
static char *
head_of(const char *name)
{
	char *head = xstrdup(name), *c;

	for (c = head; *c != '\0'; c++)
		*c = (char)ascii_upper((unsigned char)*c);
	return head;
}

int
table_choose(struct table *t, const struct strlist *names, struct error *e)
{
	size_t i;
	int found;

	t->place = xcalloc(t->columns, sizeof *t->place);
	t->chosen = xcalloc(names->count, sizeof *t->chosen);
	for (i = 0; i < t->columns; i++)
		t->place[i] = SIZE_MAX;
	for (i = 0; i < names->count; i++) {
		found = find_column(t, names->word[i], e);
		if (found != -1 && table_is_paper(t->look.format) &&
		    t->column[found].draw != NULL)
			found = error_set(e,
			    "%s: a picture, which latex and markdown cannot "
			    "show",
			    names->word[i]);
		if (found != -1 && t->place[found] != SIZE_MAX)
			found = error_set(e, "%s: named twice", names->word[i]);
		if (found == -1) {
			free_table(t);
			return -1;
		}
		t->place[found] = i;
		t->chosen[i] = t->column[found];
		t->chosen[i].optional = 0;
		if (t->chosen[i].head == NULL || *t->chosen[i].head == '\0') {
			strlist_take(&t->heads, head_of(names->word[i]));
			t->chosen[i].head = t->heads.word[t->heads.count - 1];
		}
	}
	t->column = t->chosen;
	t->columns = names->count;
	return 0;
}

int
table_has(const struct table *t, size_t column)
{
	return t->place == NULL || t->place[column] != SIZE_MAX;
}

/* ---- cells ---- */

static struct table_cell *
current(struct table *t, size_t column)
{
	if (!table_has(t, column))
		return &t->unused;
	if (t->place != NULL)
		column = t->place[column];
	return table_cell(t, is_kept(t) ? t->rows - 1 : 0, column);
}

static void
put(struct table *t, size_t column, enum table_kind kind, const char *text)
{
	struct table_cell *c = current(t, column);
	char *copy = xcopy(text);

	free(c->text);
	c->text = copy;
	c->kind = copy != NULL ? kind : TABLE_NONE;
}

void
table_text(struct table *t, size_t column, const char *text)
{
	put(t, column, TABLE_WORD, text);
}

void
table_int(struct table *t, size_t column, int64_t value)
{
	char text[NUM_TEXT];

	snprintf(text, sizeof text, "%" PRId64, value);
	put(t, column, TABLE_NUMBER, text);
}

void
table_real(struct table *t, size_t column, double value)
{
	char text[NUM_TEXT];

	put(t, column, isfinite(value) ? TABLE_NUMBER : TABLE_WORD,
	    num_exact(value, text));
}

void
table_value(struct table *t, size_t column, const char *text)
{
	put(t, column, TABLE_VALUE, text);
}

void
table_time(struct table *t, size_t column, int64_t seconds)
{
	char text[TABLE_TIME];

	put(t, column, TABLE_SECONDS,
	    seconds != -1 ? table_iso_time(seconds, text) : NULL);
	current(t, column)->seconds = seconds;
}

void
table_show(struct table *t, size_t column, const char *text)
{
	if (is_kept(t))
		put(t, column, TABLE_WORD, text);
}

void
table_best(struct table *t, size_t column)
{
	struct table_cell *c = current(t, column);
	size_t length = c->text != NULL ? strlen(c->text) : 0;

	if (table_is_paper(t->look.format))
		c->bold = 1;
	else if (length > 0 && c->text[length - 1] == ' ')
		c->text[length - 1] = '*';
}

void
table_paint(struct table *t, size_t column, enum table_color color)
{
	current(t, column)->color = color;
}

/* ---- output for programs ---- */

/*
 * Write a field.  Programs get every byte; a terminal would interpret some of
 * them.
 */
static void
put_field(const struct table *t, const char *text)
{
	void (*escape)(FILE *, const char *) =
	    t->look.format == TABLE_TSV ? text_tsv : text_csv;
	char *exact;
	size_t length;
	FILE *f;

	if (!t->is_terminal) {
		escape(t->out, text);
		return;
	}
	f = xmemopen(&exact, &length);
	escape(f, text);
	xmemclose(f);
	text_page(t->out, exact);
	free(exact);
}

/* Write the names of the columns, or the cells of a row. */
static void
put_line(const struct table *t, int names)
{
	const char *text;
	char mark = t->look.format == TABLE_TSV ? '\t' : ',';
	size_t i, shown = 0;

	for (i = 0; i < t->columns; i++) {
		if (t->column[i].name == NULL)
			continue;
		if (shown++ > 0)
			putc(mark, t->out);
		text = names ? t->column[i].name : t->cell[i].text;
		if (text != NULL)
			put_field(t, text);
	}
	putc('\n', t->out);
}

static void
put_member(FILE *out, const struct table_cell *c)
{
	switch (c->kind) {
	case TABLE_NONE:
		fputs("null", out);
		break;
	case TABLE_WORD:
		text_json(out, c->text);
		break;
	case TABLE_VALUE:
		lex_write(out, c->text);
		break;
	case TABLE_NUMBER:
		fputs(c->text, out);
		break;
	case TABLE_SECONDS:
		fprintf(out, "%" PRId64, c->seconds);
		break;
	}
}

static void
put_object(const struct table *t)
{
	size_t i, shown = 0;

	putc('{', t->out);
	for (i = 0; i < t->columns; i++) {
		if (t->column[i].name == NULL)
			continue;
		if (shown++ > 0)
			fputs(", ", t->out);
		text_json(t->out, t->column[i].name);
		fputs(": ", t->out);
		put_member(t->out, &t->cell[i]);
	}
	putc('}', t->out);
}

/* Write the current row, or the start of the output if there is no row yet. */
static void
put_row(struct table *t)
{
	enum table_format format = t->look.format;
	int is_json = format == TABLE_JSON || format == TABLE_JSONL;

	if (t->rows == 0) {
		if (format == TABLE_JSON)
			putc('[', t->out);
		if (!is_json)
			put_line(t, 1);
		return;
	}
	if (format == TABLE_JSON)
		fputs(t->rows > 1 ? ",\n " : "\n ", t->out);
	if (is_json)
		put_object(t);
	else
		put_line(t, 0);
	if (format == TABLE_JSONL)
		putc('\n', t->out);
	empty_cells(t->cell, t->columns);
}

/* ---- output for papers ---- */

/* Return whether a column is printed; drawings need a terminal's characters. */
static int
is_shown(const struct table *t, size_t column)
{
	const struct table_column *c = &t->column[column];
	uint64_t row;

	if (c->head == NULL || c->draw != NULL)
		return 0;
	for (row = 0; row < t->rows && c->optional; row++)
		if (table_cell(t, row, column)->text != NULL)
			return 1;
	return !c->optional;
}

/* Write a text in one of the formats for papers. */
static void
put_escaped(const struct table *t, const char *text)
{
	if (t->look.format == TABLE_LATEX)
		text_latex(t->out, text);
	else
		text_markdown(t->out, text);
}

/*
 * Write the text of a head or a cell, if it has one.  Blanks at the end keep
 * room for a star, and are left out.
 */
static void
put_paper_cell(const struct table *t, const char *text, int bold)
{
	int is_latex = t->look.format == TABLE_LATEX;
	size_t length = text != NULL ? strlen(text) : 0;
	char *copy;

	while (length > 0 && text[length - 1] == ' ')
		length--;
	copy = xstrndup(text != NULL ? text : "", length);
	if (bold)
		fputs(is_latex ? "\\textbf{" : "**", t->out);
	put_escaped(t, copy);
	if (bold)
		fputs(is_latex ? "}" : "**", t->out);
	free(copy);
}

/* Write row 0, the heads, or a row of cells. */
static void
put_paper_line(const struct table *t, uint64_t row)
{
	int is_latex = t->look.format == TABLE_LATEX;
	const struct table_cell *cell;
	size_t i, shown = 0;

	for (i = 0; i < t->columns; i++) {
		if (!is_shown(t, i))
			continue;
		if (!is_latex)
			fputs("| ", t->out);
		else if (shown++ > 0)
			fputs(" & ", t->out);
		cell = row > 0 ? table_cell(t, row - 1, i) : NULL;
		put_paper_cell(t, cell != NULL ? cell->text : t->column[i].head,
		    cell != NULL && cell->bold);
		if (!is_latex)
			putc(' ', t->out);
	}
	fputs(is_latex ? " \\\\\n" : "|\n", t->out);
}

static void
table_latex(const struct table *t)
{
	uint64_t row;
	size_t i;

	fputs("% needs \\usepackage{booktabs}\n\\begin{tabular}{", t->out);
	for (i = 0; i < t->columns; i++)
		if (is_shown(t, i))
			putc(t->column[i].right ? 'r' : 'l', t->out);
	fputs("}\n\\toprule\n", t->out);
	put_paper_line(t, 0);
	fputs("\\midrule\n", t->out);
	for (row = 1; row <= t->rows; row++)
		put_paper_line(t, row);
	fputs("\\bottomrule\n\\end{tabular}\n", t->out);
}

static void
table_markdown(const struct table *t)
{
	uint64_t row;
	size_t i;

	put_paper_line(t, 0);
	for (i = 0; i < t->columns; i++)
		if (is_shown(t, i))
			fputs(t->column[i].right ? "|--:" : "|---", t->out);
	fputs("|\n", t->out);
	for (row = 1; row <= t->rows; row++)
		put_paper_line(t, row);
}

/* ---- rows ---- */

void
table_row(struct table *t)
{
	size_t i;

	if (is_kept(t))
		t->cell = xgrow(t->cell, t->rows, t->columns * sizeof *t->cell);
	else
		put_row(t);
	t->rows++;
	for (i = 0; i < t->columns && is_kept(t); i++)
		*table_cell(t, t->rows - 1, i) = (struct table_cell){0};
}

void
table_end(struct table *t)
{
	if (is_kept(t)) {
		if (t->look.format == TABLE_LATEX)
			table_latex(t);
		else if (t->look.format == TABLE_MARKDOWN)
			table_markdown(t);
		else
			table_lines(t);
		empty_cells(t->cell, t->rows * t->columns);
	} else {
		put_row(t);
		if (t->look.format == TABLE_JSON)
			fputs(t->rows > 0 ? "\n]\n" : "]\n", t->out);
	}
	free_table(t);
}
