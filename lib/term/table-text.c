#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "term/table-private.h"

/* What is left of a head for the sake of other columns. */
enum {
	HEAD = 5,
	TEXT = 4 /* and of it, and of texts, where nothing else helps */
};

/* What is left of the front of values that are too wide. */
enum front {
	WHOLE_FRONT, /* all; they lose their ends */
	WORD_BEGIN,  /* of a list the beginning of its first word, else nothing
		      */
	WORD_END,    /* of a list the end of its first word */
	FRONTS
};

/* How a column lies. */
struct place {
	size_t width; /* 0: it is not shown */
	size_t full;  /* its width without a limit */
	size_t value; /* the width of its widest value */
	char *head;   /* its own */
	int joined;   /* it holds the values of several columns */
	enum front front;
};

struct layout {
	const struct table *table;
	struct place *place;
	size_t gap, limit;
};

/* ---- widths ---- */

static int
has_values(const struct table *t, size_t column)
{
	uint64_t row;

	for (row = 0; row < t->rows; row++)
		if (table_cell(t, row, column)->text != NULL)
			return 1;
	return 0;
}

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
	struct place *p;
	size_t i;

	*l = (struct layout){
	    t, xcalloc(t->columns, sizeof *l->place), 2, t->look.width};
	for (i = 0; i < t->columns; i++) {
		if (c[i].head == NULL || (c[i].optional && !has_values(t, i)))
			continue;
		p = &l->place[i];
		p->head = xstrdup(c[i].head);
		measure(l, i);
	}
}

static void
layout_end(struct layout *l)
{
	size_t i;

	for (i = 0; i < l->table->columns; i++)
		free(l->place[i].head);
	free(l->place);
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

/* ---- giving way ---- */

static void
shrink(struct place *p, size_t least, size_t by)
{
	size_t room = p->width > least ? p->width - least : 0;

	p->width -= by < room ? by : room;
}

/*
 * Leave a head so many columns, where its values do not need more; a brief one
 * needs no more than it has.
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

/* A head that leaves room for others, as wide as its values; to free. */
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

static void
join_heads(struct place *first, const struct place *second)
{
	char *a = short_head(first), *b = short_head(second);

	free(first->head);
	first->head = xasprintf("%s,%s", a, b);
	first->joined = 1;
	free(a);
	free(b);
}

/* Put the values of the second column behind those of the first. */
static void
join(struct layout *l, size_t first, size_t second)
{
	struct place *p = l->place;
	struct table_cell *c;
	const char *text;
	uint64_t row;
	char *both;

	for (row = 0; row < l->table->rows; row++) {
		c = table_cell(l->table, row, first);
		text = table_cell(l->table, row, second)->text;
		both = xasprintf("%s,%s", c->text != NULL ? c->text : "-",
		    text != NULL ? text : "-");
		free(c->text);
		c->text = both;
	}
	join_heads(&p[first], &p[second]);
	p[second].width = 0;
}

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

static void
give_way(struct layout *l, int step)
{
	const struct table_column *c = l->table->column;
	struct place *p = l->place;
	size_t i;

	for (i = 0; i < l->table->columns; i++)
		if (c[i].narrow == step)
			shrink_head(l, i, HEAD);
	if (excess(l) > 0)
		merge(l, step);
	for (i = 0; i < l->table->columns; i++)
		if (c[i].cut == step)
			shrink(&p[i], c[i].least ? c[i].least : 1, excess(l));
	for (i = l->table->columns; i > 0 && excess(l) > 0; i--)
		if (c[i - 1].drop == step)
			p[i - 1].width = 0;
}

/*
 * Nothing more may be cut, and still it is too wide: heads go, then texts, then
 * columns from the last on; but no number is cut.
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

/* Give what is left over to the columns that would take more. */
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
			continue; /* half a head is no better than a brief one
				   */
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
	int step;

	if (excess(l) == 0)
		return;
	l->gap = 1;
	for (i = 0; i < l->table->columns; i++)
		if (c[i].draw != NULL)
			shrink(&l->place[i], c[i].least, excess(l));
	for (step = 1; step <= TABLE_STEPS && excess(l) > 0; step++)
		give_way(l, step);
	squeeze(l);
	grow(l);
}

/* ---- cutting ---- */

static int
is_number(const char *text)
{
	text += strspn(text, "+-.");
	return *text >= '0' && *text <= '9';
}

/*
 * Of a list that is too wide the parts that fit, and of a number nothing: a
 * part of it would be another number.  To free, or NULL: cut it anywhere.
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

/* The last parts of a list, behind what there is room for of a first word. */
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

/* The end of a text, or the last parts of a list; as cut_number. */
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

/* A cell as its column has room for it; to free. */
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

/* How many values that differ read the same when they are cut so. */
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

/* Cut what values have in common rather than what tells them apart. */
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

/* ---- lines ---- */

/* Blanks are held back until something follows them: no line ends in one. */
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

/* The blanks that a text ends with follow it only if something else does. */
static void
put_cut(struct line *line, const char *text, size_t width)
{
	size_t length;
	char *cut;
	FILE *f = xmemopen(&cut, &length);

	text_cell(f, text, width, 0);
	xmemclose(f);
	while (length > 0 && cut[length - 1] == ' ') {
		length--;
		line->blanks++;
	}
	fwrite(cut, 1, length, line->out);
	free(cut);
}

static void
put_text(struct line *line, const char *text, size_t width, int right,
    enum table_color color)
{
	size_t w = text_width(text), room = w < width ? width - w : 0;

	if (right)
		line->blanks += room;
	if (w > 0) {
		put_blanks(line);
		if (color != TABLE_PLAIN)
			fprintf(line->out, "\033[%dm", (int)color);
		put_cut(line, text, width - room);
		if (color != TABLE_PLAIN)
			fputs("\033[0m", line->out);
	}
	if (!right)
		line->blanks += room;
}

static void
put_drawing(struct line *line, const struct layout *l, uint64_t row, size_t i)
{
	const struct table *t = l->table;
	size_t length, used, width = l->place[i].width;
	char *text = NULL;
	FILE *f = xmemopen(&text, &length);

	used = t->column[i].draw(f, t->look.arg, row, width);
	xmemclose(f);
	if (used > 0) {
		put_blanks(line);
		fwrite(text, 1, length, line->out);
	}
	line->blanks += width > used ? width - used : 0;
	free(text);
}

static void
put_cell(struct line *line, const struct layout *l, uint64_t row, size_t i)
{
	const struct table_cell *c = table_cell(l->table, row, i);
	const struct table_column *column = &l->table->column[i];
	const struct place *p = &l->place[i];
	char *cut;

	if (column->draw != NULL && c->text != NULL) {
		put_drawing(line, l, row, i);
		return;
	}
	cut = cut_cell(l, row, i, p->front);
	put_text(line, cut, p->width, column->right && !p->joined,
	    l->table->look.colors ? c->color : TABLE_PLAIN);
	free(cut);
}

static void
put_head(struct line *line, const struct layout *l, size_t i)
{
	const struct table_column *c = &l->table->column[i];
	const struct place *p = &l->place[i];
	const char *text = p->head;

	if (c->brief != NULL && !p->joined && text_width(text) > p->width)
		text = c->brief;
	put_text(line, text, p->width, c->right && !p->joined, TABLE_PLAIN);
}

/* Row 0 is the heads. */
static void
put_line(const struct layout *l, uint64_t row)
{
	struct line line = {l->table->out, 0};
	size_t i;

	for (i = 0; i < l->table->columns; i++) {
		if (l->place[i].width == 0)
			continue;
		if (row == 0)
			put_head(&line, l, i);
		else
			put_cell(&line, l, row - 1, i);
		line.blanks += l->gap;
	}
	putc('\n', l->table->out);
}

void
table_lines(const struct table *t)
{
	struct layout l;
	uint64_t row;

	layout_begin(&l, t);
	fit(&l);
	choose_ends(&l);
	for (row = 0; row <= t->rows; row++)
		put_line(&l, row);
	layout_end(&l);
}
