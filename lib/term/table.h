/*
 * A table: rows of cells in named columns, written for people (aligned and
 * fitted to a width) or for programs (every value in full).
 *
 * The same cells serve both.  For programs a row is written when the next row
 * begins.  For people all rows are kept until table_end, because they determine
 * the widths.  Nothing here asks about the terminal.
 */
#ifndef STFM_TERM_TABLE_H
#define STFM_TERM_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/strlist.h"

enum table_format {
	TABLE_TEXT,
	TABLE_TSV,
	TABLE_CSV,
	TABLE_JSON,
	TABLE_JSONL,
	/* With the cells for people: */
	TABLE_LATEX,   /* a tabular with the rules of booktabs */
	TABLE_MARKDOWN /* a table as GitHub has it */
};

/*
 * Find the format "text", "tsv", "csv", "json", "jsonl", "latex" or "markdown".
 * Returns 0 or -1.
 */
int table_format(const char *name, enum table_format *out, struct error *e);

/* Return whether a format is for papers and pages: latex or markdown. */
static inline int
table_is_paper(enum table_format format)
{
	return format == TABLE_LATEX || format == TABLE_MARKDOWN;
}

enum table_color {
	TABLE_PLAIN,
	TABLE_RED = 31,
	TABLE_GREEN = 32,
	TABLE_YELLOW = 33,
	TABLE_BLUE = 34
};

/*
 * Draw a cell in at most width columns.  Returns the number of columns used.
 * row counts from 0.
 */
typedef size_t table_draw(FILE *, void *arg, uint64_t row, size_t width);

/*
 * A column.  A table that is too wide is narrowed in steps, from step 1 on.  At
 * step "narrow" a column becomes as narrow as its values, and its head is cut;
 * at "merge" it joins the other columns with the same step, with commas between
 * their values; at "cut" it shrinks down to least; at "drop" it is dropped.  In
 * the end every table fits.
 */
struct table_column {
	const char *name;  /* name for programs; NULL: only for people */
	const char *head;  /* head for people; NULL: only for programs */
	const char *brief; /* shorter head for lack of room; NULL: cut head */
	int right;         /* whether to align to the right */
	int optional;      /* hide the column if all its cells are empty */
	int narrow, merge, cut, drop; /* steps; 0: never */
	size_t least;
	table_draw *draw; /* for people: drawn, least to most columns wide */
	size_t most;
};

/* The last step. */
enum { TABLE_STEPS = 15 };

struct table_look {
	enum table_format format;
	size_t width; /* columns, or 0 for no limit */
	int colors;   /* whether to use colours */
	void *arg;    /* argument of the draw functions */
};

struct table;

/*
 * Return a table without rows; call table_end.  The columns and everything they
 * refer to must outlive the table.
 */
struct table *table_new(FILE *out, const struct table_column *, size_t count,
    const struct table_look *);

/*
 * Print only the columns with these names, in this order; call it before the
 * first row.  The numbers of the columns stay as passed to table_new, and cells
 * of other columns are ignored.  A column that was only for programs is shown
 * to people, too.  Returns 0, or -1 with the table freed, without output: there
 * is no such column, or it is named twice.
 */
int table_choose(struct table *, const struct strlist *names, struct error *e);

/* Return whether a column is printed. */
int table_has(const struct table *, size_t column);

/* Begin a row; all its cells are empty, without values. */
void table_row(struct table *);

/* Set a cell of the current row.  text is copied; NULL means no value. */
void table_text(struct table *, size_t column, const char *text);
void table_int(struct table *, size_t column, int64_t value);
void table_real(struct table *, size_t column, double value);

/*
 * Set a cell to the value of a hyperparameter, as lex_write writes it in JSON.
 */
void table_value(struct table *, size_t column, const char *text);

/* Set a cell to true or false. */
static inline void
table_flag(struct table *t, size_t column, int is_set)
{
	table_value(t, column, is_set ? "true" : "false");
}

/* Set a cell to a time in seconds since 1970; -1 means no value. */
void table_time(struct table *, size_t column, int64_t seconds);

/*
 * Set the text that people see in a cell instead of its value; NULL empties it.
 */
void table_show(struct table *, size_t column, const char *text);

/*
 * Mark a cell as the best: bold in papers, else with a star in place of the
 * blank at its end.
 */
void table_best(struct table *, size_t column);

/* Set the colour of a cell for people. */
void table_paint(struct table *, size_t column, enum table_color);

/* Write everything that is not written yet, and free the table. */
void table_end(struct table *);

/* Write a time in ISO 8601, in local time with the offset.  Returns out. */
enum { TABLE_TIME = 32 };
char *table_iso_time(int64_t seconds, char out[TABLE_TIME]);

#endif
