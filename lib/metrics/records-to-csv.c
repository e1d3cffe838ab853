#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "metrics/private.h"

struct cell {
	size_t row, column;
	size_t value; /* its offset in the texts */
};

struct record_sheet {
	struct strlist names;
	size_t last; /* the column found most recently */
	struct cell *cell;
	size_t cells, rows;
	struct record_texts texts; /* the values */

	/* State while a file is read. */
	enum record_format format;
	const char *prefix;
	size_t step, at; /* column and value of the step in the last row */
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
	free(s->texts.text);
	free(s);
}

/* Find the column of a name, or add it.  Returns -1 if there are too many. */
static ptrdiff_t
column_of(struct record_sheet *s, const char *name)
{
	ptrdiff_t i =
	    record_find_name(s->names.word, s->names.count, name, &s->last);

	if (i != -1 || s->names.count == RECORD_VALUES)
		return i;
	s->last = s->names.count;
	strlist_push(&s->names, name);
	return (ptrdiff_t)s->last;
}

/* Add a record; an event with the step of the last row goes into that row. */
static int
add_record(void *arg, const struct record *r, size_t taken)
{
	struct record_sheet *s = arg;
	char name[RECORD_NAME];
	ptrdiff_t column;
	size_t i;
	int same = s->has_step && s->format == RECORD_EVENTS &&
	    strcmp(s->names.word[s->step], r->name[0]) == 0 &&
	    strcmp(s->texts.text + s->at, r->value[0]) == 0;

	(void)taken;
	s->rows += !same;
	for (i = same ? 1 : 0; i < r->count; i++) {
		record_name(s->format, s->prefix, r, i, name, sizeof name);
		column = column_of(s, name);
		if (column == -1)
			continue;
		s->cell = xgrow(s->cell, s->cells, sizeof *s->cell);
		s->cell[s->cells] = (struct cell){s->rows - 1, (size_t)column,
		    record_keep(&s->texts, r->value[i], strlen(r->value[i]))};
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
	r->headed = 0;
	for (i = 0;
	     r->pattern != NULL && i < record_pattern_names(r->pattern)->count;
	     i++)
		column_of(s, record_pattern_names(r->pattern)->word[i]);
	record_read(r, bytes, length, add_record, s);
	return r->damaged;
}

uint64_t
record_sheet_rows(const struct record_sheet *s)
{
	return s->rows;
}

char *
record_sheet_csv(const struct record_sheet *s, size_t *length)
{
	size_t columns = s->names.count, i, k, row;
	const char **value = xcalloc(columns + 1, sizeof *value), *c;
	char *text = NULL;
	FILE *out = xmemopen(&text, length);

	for (k = 0; k < columns && s->rows > 0; k++) {
		fputs(k > 0 ? ",\"" : "\"", out);
		for (c = s->names.word[k]; *c != '\0'; c++)
			fprintf(out, *c == '"' ? "\"%c" : "%c", *c);
		putc('"', out);
	}
	if (s->rows > 0)
		putc('\n', out);
	for (i = 0; i < s->cells;) {
		memset(value, 0, columns * sizeof *value);
		row = s->cell[i].row;
		for (; i < s->cells && s->cell[i].row == row; i++)
			value[s->cell[i].column] =
			    s->texts.text + s->cell[i].value;
		for (k = 0; k < columns; k++)
			fprintf(out, "%s%s", k > 0 ? "," : "",
			    value[k] != NULL ? value[k] : "");
		putc('\n', out);
	}
	xmemclose(out);
	free(value);
	return text;
}
