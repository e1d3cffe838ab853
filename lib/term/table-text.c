#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "term/table-private.h"

/* Columns that a head keeps if other columns need room. */
enum {
	HEAD = 5,
	TEXT = 4 /* columns that heads and texts keep in any case */
};

/* Which part of a value that is too wide is kept. */
enum front {
	WHOLE_FRONT, /* the front */
	WORD_BEGIN,  /* the end, and the start of the first word of a list */
	WORD_END,    /* the end, and the end of the first word of a list */
	FRONTS
};

/* The position of a column in the output. */
struct place {
	size_t width; /* 0: not shown */
	size_t full;  /* width without a limit */
	size_t value; /* width of the widest value */
	char *head;   /* allocated */
	int joined;   /* whether values of several columns are joined */
	enum front front;
};

struct layout {
	const struct table *table;
	struct place *place;
	size_t gap, limit;
};

/* ---- widths ---- */

static void
measure(const struct layout *l, size_t column)
{
	const struct table_column *c = &l->table->column[column];
	struct place *p = &l->place[column];
	const char *text;
	uint64_t row;
	size_t w;

	p->value = 1;
	for (row = 0; row < l->table->rows; row++) {
		text = table_cell(l->table, row, column)->text;
		w = text != NULL ? text_width(text) : 0;
		if (w > p->value)
			p->value = w;
	}
	w = text_width(p->head);
	p->full = w > p->value ? w : p->value;
	if (c->draw != NULL)
		p->full = c->most > 0 ? c->most : 1;
	p->width = p->full;
}

static void
layout_begin(struct layout *l, const struct table *t)
{
	const struct table_column *c = t->column;
	uint64_t row;
	size_t i;

	*l = (struct layout){
	    t, xcalloc(t->columns, sizeof *l->place), 2, t->look.width};
	for (i = 0; i < t->columns; i++) {
		row = 0;
		while (c[i].optional && row < t->rows &&
		    table_cell(t, row, i)->text == NULL)
			row++;
		if (c[i].head == NULL || (c[i].optional && row == t->rows))
			continue;
		l->place[i].head = xstrdup(c[i].head);
		measure(l, i);
	}
}

static size_t
shown(const struct layout *l)
{
	size_t i, n = 0;

	for (i = 0; i < l->table->columns; i++)
		n += l->place[i].width > 0;
	return n;
}

static size_t
total(const struct layout *l)
{
	size_t i, sum = 0, n = shown(l);

	for (i = 0; i < l->table->columns; i++)
		sum += l->place[i].width;
	return n > 1 ? sum + (n - 1) * l->gap : sum;
}

static size_t
excess(const struct layout *l)
{
	size_t sum = total(l);

	return l->limit > 0 && sum > l->limit ? sum - l->limit : 0;
}

/* ---- narrowing ---- */

static void
shrink(struct place *p, size_t least, size_t by)
{
	size_t room = p->width > least ? p->width - least : 0;

	p->width -= by < room ? by : room;
}

/*
 * Narrow a column to head columns, or to its brief head, but not below its
 * values.
 */
static void
shrink_head(struct layout *l, size_t column, size_t head)
{
	const char *brief = l->table->column[column].brief;
	struct place *p = &l->place[column];
	size_t by = excess(l);

	if (by == 0)
		return;
	if (brief != NULL) {
		head = text_width(brief);
		by = p->width;
	}
	shrink(p, p->value > head ? p->value : head, by);
}

/* Return a head cut to the width of its values; to free. */
static char *
short_head(const struct place *p)
{
	size_t width = p->value > HEAD ? p->value : HEAD, length;
	char *text = NULL;
	FILE *f;

	if (p->joined || text_width(p->head) <= width)
		return xstrdup(p->head);
	f = xmemopen(&text, &length);
	text_cell(f, p->head, width, 0);
	xmemclose(f);
	return text;
}

/* Join the second column with the first one. */
static void
join(struct layout *l, size_t first, size_t second)
{
	struct place *p = &l->place[first], *q = &l->place[second];
	char *both, *a = short_head(p), *b = short_head(q);
	struct table_cell *c;
	const char *text;
	uint64_t row;

	for (row = 0; row < l->table->rows; row++) {
		c = table_cell(l->table, row, first);
		text = table_cell(l->table, row, second)->text;
		both = xasprintf("%s,%s", c->text != NULL ? c->text : "-",
		    text != NULL ? text : "-");
		free(c->text);
		c->text = both;
	}
	free(p->head);
	p->head = xasprintf("%s,%s", a, b);
	p->joined = 1;
	q->width = 0;
	free(a);
	free(b);
}

/* Join the columns that merge at this step. */
static void
merge(struct layout *l, int step)
{
	size_t i, first = SIZE_MAX;

	for (i = 0; i < l->table->columns; i++) {
		if (l->table->column[i].merge != step || l->place[i].width == 0)
			continue;
		if (first == SIZE_MAX)
			first = i;
		else
			join(l, first, i);
	}
	if (first != SIZE_MAX && l->place[first].joined)
		measure(l, first);
}

/* Take the steps in order until the table fits. */
static void
take_steps(struct layout *l)
{
	const struct table_column *c = l->table->column;
	size_t i, columns = l->table->columns;
	struct place *p = l->place;
	int step;

	for (step = 1; step <= TABLE_STEPS && excess(l) > 0; step++) {
		for (i = 0; i < columns; i++)
			if (c[i].narrow == step)
				shrink_head(l, i, HEAD);
		if (excess(l) > 0)
			merge(l, step);
		for (i = 0; i < columns; i++)
			if (c[i].cut == step)
				shrink(&p[i], c[i].least ? c[i].least : 1,
				    excess(l));
		for (i = columns; i > 0 && excess(l) > 0; i--)
			if (c[i - 1].drop == step)
				p[i - 1].width = 0;
	}
}

/*
 * Narrow a table that is still too wide after all steps: cut heads, then texts,
 * then leave out columns, starting with the last.  Numbers are never cut.
 */
static void
squeeze(struct layout *l)
{
	const struct table_column *c = l->table->column;
	struct place *p = l->place;
	size_t i, widest;

	for (i = 0; i < l->table->columns; i++)
		if (c[i].right && c[i].draw == NULL)
			shrink_head(l, i, TEXT);
	for (i = 0; i < l->table->columns; i++)
		if (!c[i].right && c[i].draw == NULL)
			shrink(&p[i], TEXT, excess(l));
	for (i = l->table->columns; i > 0 && excess(l) > 0; i--)
		if (shown(l) > 1)
			p[i - 1].width = 0;
	while (excess(l) > 0) {
		widest = 0;
		for (i = 0; i < l->table->columns; i++)
			if (l->place[i].width >= l->place[widest].width)
				widest = i;
		l->place[widest].width--;
	}
}

/* Give the remaining room to columns that need more. */
static void
grow(struct layout *l)
{
	size_t i, n = total(l), room = l->limit > n ? l->limit - n : 0;
	struct place *p;

	for (i = 0; i < l->table->columns; i++) {
		p = &l->place[i];
		if (p->width == 0 || p->width >= p->full)
			continue;
		n = p->full - p->width;
		if (n > room && l->table->column[i].brief != NULL)
			continue; /* a cut head is no better than a brief one */
		n = n < room ? n : room;
		p->width += n;
		room -= n;
	}
	if (l->gap == 1 && room + 1 >= shown(l))
		l->gap = 2;
}

static void
fit(struct layout *l)
{
	const struct table_column *c = l->table->column;
	size_t i;

	if (excess(l) == 0)
		return;
	l->gap = 1;
	for (i = 0; i < l->table->columns; i++)
		if (c[i].draw != NULL)
			shrink(&l->place[i], c[i].least, excess(l));
	take_steps(l);
	squeeze(l);
	grow(l);
}

/* ---- cutting cells ---- */

static int
is_number(const char *text)
{
	text += strspn(text, "+-.");
	return *text >= '0' && *text <= '9';
}

/*
 * Cut a list after the parts that fit, and a number to "~": a part of a number
 * would be another number.  Returns the text, to free, or NULL if the text may
 * be cut anywhere.
 */
static char *
cut_number(const char *text, size_t width)
{
	const char *at = text, *comma;
	char *part;

	for (; (comma = strchr(at, ',')) != NULL; at = comma + 1)
		if ((size_t)(comma - text) + 2 > width)
			break;
	if (at > text) {
		part = xasprintf("%.*s~", (int)(at - text), text);
		if (text_width(part) <= width)
			return part;
		free(part);
	}
	return is_number(text) ? xstrdup("~") : NULL;
}

/*
 * Cut a list to its end, with as much of the first word as fits before it; to
 * free.
 */
static char *
cut_parts(const char *text, const char *end, size_t width)
{
	char *first = xstrndup(text, strcspn(text, ",")), *cut;
	size_t room = width - text_width(end), length;
	FILE *f = xmemopen(&cut, &length);

	if (room > 2 && *first != '\0' && !is_number(first)) {
		if (room - 2 < text_width(first))
			text_cell(f, text, room - 1, 0);
		else
			fprintf(f, "%s~", first);
		putc(',', f);
	} else {
		putc('~', f);
	}
	fputs(end, f);
	xmemclose(f);
	free(first);
	return cut;
}

/*
 * Cut a text to its end, or a list to its last parts.  Returns as cut_number
 * does.
 */
static char *
cut_front(const char *text, size_t width, int right, enum front front)
{
	int parts = right && (strchr(text, ',') != NULL || is_number(text));
	size_t word = !parts                        ? strlen(text)
	    : front == WORD_END && !is_number(text) ? strcspn(text, ",")
						    : 0;
	const char *at;

	for (at = text; *at != '\0'; at++) {
		if ((*at & 0xc0) == 0x80 || text_width(at) + 1 > width)
			continue;
		if ((size_t)(at - text) < word)
			return xasprintf("~%s", at);
		if (at > text && at[-1] == ',')
			return cut_parts(text, at, width);
	}
	return NULL;
}

/* Return the text of a cell, cut to its column; to free. */
static char *
cut_cell(const struct layout *l, uint64_t row, size_t i, enum front front)
{
	const char *text = table_cell(l->table, row, i)->text;
	size_t width = l->place[i].width, length;
	int right = l->table->column[i].right;
	char *cut = NULL;
	FILE *f;

	if (text == NULL || text_width(text) <= width)
		return xstrdup(text != NULL ? text : "");
	if (front != WHOLE_FRONT)
		cut = cut_front(text, width, right, front);
	if (cut == NULL && right)
		cut = cut_number(text, width);
	if (cut == NULL) {
		f = xmemopen(&cut, &length);
		text_cell(f, text, width, 0);
		xmemclose(f);
	}
	return cut;
}

struct seen {
	char *cut;
	const char *whole;
};

static int
by_cut(const void *a, const void *b)
{
	const struct seen *s = a, *t = b;
	int order = strcmp(s->cut, t->cut);

	return order != 0 ? order : strcmp(s->whole, t->whole);
}

/* Count the different values that are equal after cutting. */
static uint64_t
count_alike(const struct layout *l, size_t column, enum front front)
{
	struct seen *seen = xcalloc(l->table->rows + 1, sizeof *seen);
	uint64_t row, n = 0;

	for (row = 0; row < l->table->rows; row++) {
		seen[row].cut = cut_cell(l, row, column, front);
		seen[row].whole = table_cell(l->table, row, column)->text;
		if (seen[row].whole == NULL)
			seen[row].whole = "";
	}
	qsort(seen, l->table->rows, sizeof *seen, by_cut);
	for (row = 1; row < l->table->rows; row++)
		n += strcmp(seen[row].cut, seen[row - 1].cut) == 0 &&
		    strcmp(seen[row].whole, seen[row - 1].whole) != 0;
	for (row = 0; row < l->table->rows; row++)
		free(seen[row].cut);
	free(seen);
	return n;
}

/* Choose where to cut values, so that different values stay different. */
static void
choose_ends(struct layout *l)
{
	const struct table_column *c = l->table->column;
	struct place *p = l->place;
	uint64_t alike, least;
	size_t i;
	int front;

	for (i = 0; i < l->table->columns; i++) {
		if (p[i].width == 0 || p[i].width >= p[i].value ||
		    c[i].draw != NULL)
			continue;
		least = count_alike(l, i, WHOLE_FRONT);
		for (front = WORD_BEGIN; front < FRONTS && least > 0; front++) {
			alike = count_alike(l, i, (enum front)front);
			if (alike < least) {
				p[i].front = (enum front)front;
				least = alike;
			}
		}
	}
}

/* ---- lines of output ---- */

/*
 * A line.  Blanks are written only before a text, so that no line ends in a
 * blank.
 */
struct line {
	FILE *out;
	size_t blanks;
};

static void
put_blanks(struct line *line)
{
	fprintf(line->out, "%*s", (int)line->blanks, "");
	line->blanks = 0;
}

/* Write a text in a column.  Its last blanks become blanks of the line. */
static void
put_text(struct line *line, const char *text, size_t width, int right,
    enum table_color color)
{
	size_t w = text_width(text), room = w < width ? width - w : 0, length;
	char *cut;
	FILE *f;

	if (right)
		line->blanks += room;
	if (w > 0) {
		put_blanks(line);
		if (color != TABLE_PLAIN)
			fprintf(line->out, "\033[%dm", (int)color);
		f = xmemopen(&cut, &length);
		text_cell(f, text, width - room, 0);
		xmemclose(f);
		for (; length > 0 && cut[length - 1] == ' '; length--)
			line->blanks++;
		fwrite(cut, 1, length, line->out);
		free(cut);
		if (color != TABLE_PLAIN)
			fputs("\033[0m", line->out);
	}
	if (!right)
		line->blanks += room;
}

static void
put_cell(struct line *line, const struct layout *l, uint64_t row, size_t i)
{
	const struct table_cell *c = table_cell(l->table, row, i);
	const struct table_column *column = &l->table->column[i];
	const struct place *p = &l->place[i];
	size_t used, length;
	char *text = NULL;
	FILE *f;

	if (column->draw == NULL || c->text == NULL) {
		text = cut_cell(l, row, i, p->front);
		put_text(line, text, p->width, column->right && !p->joined,
		    l->table->look.colors ? c->color : TABLE_PLAIN);
		free(text);
		return;
	}
	f = xmemopen(&text, &length);
	used = column->draw(f, l->table->look.arg, row, p->width);
	xmemclose(f);
	if (used > 0) {
		put_blanks(line);
		fwrite(text, 1, length, line->out);
	}
	line->blanks += p->width > used ? p->width - used : 0;
	free(text);
}

/* Write row 0, the heads, or a row of cells. */
static void
put_line(const struct layout *l, uint64_t row)
{
	struct line line = {l->table->out, 0};
	const struct table_column *c;
	const struct place *p;
	const char *head;
	size_t i;

	for (i = 0; i < l->table->columns; i++) {
		p = &l->place[i];
		c = &l->table->column[i];
		if (p->width == 0)
			continue;
		if (row > 0) {
			put_cell(&line, l, row - 1, i);
		} else {
			head = p->head;
			if (c->brief != NULL && !p->joined &&
			    text_width(head) > p->width)
				head = c->brief;
			put_text(&line, head, p->width, c->right && !p->joined,
			    TABLE_PLAIN);
		}
		line.blanks += l->gap;
	}
	putc('\n', l->table->out);
}

void
table_lines(const struct table *t)
{
	struct layout l;
	uint64_t row;
	size_t i;

	layout_begin(&l, t);
	fit(&l);
	choose_ends(&l);
	for (row = 0; row <= t->rows; row++)
		put_line(&l, row);
	for (i = 0; i < t->columns; i++)
		free(l.place[i].head);
	free(l.place);
}
