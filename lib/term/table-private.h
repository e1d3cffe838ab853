/* Declarations shared by table.c and table-text.c. */
#ifndef STFM_TERM_TABLE_PRIVATE_H
#define STFM_TERM_TABLE_PRIVATE_H

#include "term/table.h"

enum table_kind {
	TABLE_NONE,
	TABLE_WORD,
	TABLE_VALUE,
	TABLE_NUMBER,
	TABLE_SECONDS
};

/* A cell.  text is for people or for programs; NULL if there is no value. */
struct table_cell {
	enum table_kind kind;
	enum table_color color;
	int bold;
	char *text;
	int64_t seconds;
};

struct table {
	FILE *out;
	const struct table_column *column;
	size_t columns;
	/* After table_choose, for each column of table_new. */
	size_t *place;               /* its place in column, or SIZE_MAX */
	struct table_column *chosen; /* the same as column */
	struct strlist heads;        /* heads of columns for programs */
	struct table_cell unused;    /* takes what is not printed */
	struct table_look look;
	struct table_cell *cell; /* all rows for people, else the current row */
	uint64_t rows;           /* number of rows so far */
	int is_terminal;         /* whether out is a terminal */
};

static inline struct table_cell *
table_cell(const struct table *t, uint64_t row, size_t column)
{
	return &t->cell[row * t->columns + column];
}

/* Write all rows for people; the texts of the cells may change. */
void table_lines(const struct table *);

#endif
