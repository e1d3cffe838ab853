#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "metrics/reader-private.h"

struct cell {
	size_t row, column;
	size_t value; /* where it begins in the texts */
};

struct record_sheet {
	struct strlist names;
	size_t last; /* the column that was met last */
	struct cell *cell;
	size_t cells, rows;
	char *text;
	size_t used, size;

	/* While a file is read. */
	enum record_format format;
	const char *prefix;
	size_t step, at; /* of the row before: its column and value */
	int has_step;
};

struct record_sheet *
record_sheet_new(void)
{
	return xcalloc(1, sizeof(struct record_sheet));
}

void
record_sheet_free(struct record_sheet *s)
{
	if (s == NULL)
		return;
	strlist_free(&s->names);
	free(s->cell);
	free(s->text);
	free(s);
}

/* The column of that name, a new one where there is none; or -1. */
static ptrdiff_t
column_of(struct record_sheet *s, const char *name)
{
	size_t i, k;

	/* Records have their names in the same order, as a rule. */
	for (k = 1; k <= s->names.count; k++) {
		i = (s->last + k) % s->names.count;
		if (strcmp(s->names.word[i], name) == 0) {
			s->last = i;
			return (ptrdiff_t)i;
		}
	}
	if (s->names.count == RECORD_VALUES)
		return -1;
	strlist_push(&s->names, name);
	s->last = s->names.count - 1;
	return (ptrdiff_t)s->last;
}

static size_t
keep(struct record_sheet *s, const char *text)
{
	size_t length = strlen(text) + 1, at = s->used;

	if (at + length > s->size) {
		s->size = 2 * (at + length);
		s->text = xrealloc(s->text, s->size);
	}
	memcpy(s->text + at, text, length);
	s->used += length;
	return at;
}

/* Whether an event has the step of the one before, and so its row. */
static int
is_same_row(const struct record_sheet *s, const struct record *r)
{
	return s->has_step && s->format == RECORD_EVENTS &&
	    strcmp(s->names.word[s->step], r->name[0]) == 0 &&
	    strcmp(s->text + s->at, r->value[0]) == 0;
}

static int
add_record(void *arg, const struct record *r, size_t taken)
{
	struct record_sheet *s = arg;
	char name[RECORD_NAME];
	ptrdiff_t column;
	size_t i;
	int same = is_same_row(s, r);

	(void)taken;
	s->rows += !same;
	for (i = same ? 1 : 0; i < r->count; i++) {
		record_name(s->format, s->prefix, r, i, name, sizeof name);
		column = column_of(s, name);
		if (column == -1)
			continue;
		s->cell = xgrow(s->cell, s->cells, sizeof *s->cell);
		s->cell[s->cells] = (struct cell){
		    s->rows - 1, (size_t)column, keep(s, r->value[i])};
		if (i == 0) {
			s->step = (size_t)column;
			s->at = s->cell[s->cells].value;
			s->has_step = 1;
		}
		s->cells++;
	}
	return 0;
}

uint64_t
record_sheet_add(struct record_sheet *s, struct record_reader *r,
    const char *prefix, const char *bytes, size_t length)
{
	size_t i;

	s->format = r->format;
	s->prefix = prefix;
	s->has_step = 0;
	for (i = 0; r->pattern != NULL && i < record_pattern_count(r->pattern);
	     i++)
		column_of(s, record_pattern_name(r->pattern, i));
	record_read(r, bytes, length, add_record, s);
	return r->damaged;
}

static void
put_name(FILE *out, const char *name)
{
	putc('"', out);
	for (; *name != '\0'; name++) {
		if (*name == '"')
			putc('"', out);
		putc(*name, out);
	}
	putc('"', out);
}

/* Write one row, whose cells begin at i; returns where the next begins. */
static size_t
put_row(FILE *out, const struct record_sheet *s, size_t i, const char **value)
{
	size_t row = s->cell[i].row, column;

	memset(value, 0, s->names.count * sizeof *value);
	for (; i < s->cells && s->cell[i].row == row; i++)
		value[s->cell[i].column] = s->text + s->cell[i].value;
	for (column = 0; column < s->names.count; column++)
		fprintf(out, "%s%s", column > 0 ? "," : "",
		    value[column] != NULL ? value[column] : "");
	putc('\n', out);
	return i;
}

char *
record_sheet_csv(const struct record_sheet *s, size_t *length)
{
	const char **value = xcalloc(s->names.count + 1, sizeof *value);
	char *text = NULL;
	FILE *out = xmemopen(&text, length);
	size_t i;

	for (i = 0; i < s->names.count && s->rows > 0; i++) {
		fputs(i > 0 ? "," : "", out);
		put_name(out, s->names.word[i]);
	}
	if (s->rows > 0)
		putc('\n', out);
	for (i = 0; i < s->cells;)
		i = put_row(out, s, i, value);
	xmemclose(out);
	free(value);
	return text;
}
