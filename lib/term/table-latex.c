/* A table as LaTeX has it, with no package but what every document has. */
#include <string.h>

#include "base/text.h"
#include "term/table-private.h"

/* Pictures are drawn in a terminal's characters, and stay there. */
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

static void
put_field(const struct table *t, const char *text)
{
	size_t length = strlen(text);
	char room[256];

	/* A blank stands for a star that others have. */
	if (length > 0 && length < sizeof room && text[length - 1] == ' ') {
		memcpy(room, text, length);
		while (length > 0 && room[length - 1] == ' ')
			length--;
		room[length] = '\0';
		text = room;
	}
	text_latex(t->out, text);
}

/* Row 0 is the head. */
static void
put_line(const struct table *t, uint64_t row)
{
	size_t i, shown = 0;
	const char *text;

	for (i = 0; i < t->columns; i++) {
		if (!is_shown(t, i))
			continue;
		if (shown++ > 0)
			fputs(" & ", t->out);
		text = row == 0 ? t->column[i].head
				: table_cell(t, row - 1, i)->text;
		if (text != NULL)
			put_field(t, text);
	}
	fputs(" \\\\\n", t->out);
}

void
table_latex(const struct table *t)
{
	uint64_t row;
	size_t i;

	fputs("\\begin{tabular}{", t->out);
	for (i = 0; i < t->columns; i++)
		if (is_shown(t, i))
			putc(t->column[i].right ? 'r' : 'l', t->out);
	fputs("}\n\\hline\n", t->out);
	put_line(t, 0);
	fputs("\\hline\n", t->out);
	for (row = 1; row <= t->rows; row++)
		put_line(t, row);
	fputs("\\hline\n\\end{tabular}\n", t->out);
}
