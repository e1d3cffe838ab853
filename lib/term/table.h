/*
 * A table is rows of cells under named columns, written for people (aligned
 * and fitted to a width) or for programs (every value, whole).
 *
 * The same cells serve both.  For programs a row is written as soon as the
 * next one begins; for people all rows are kept until table_end, because the
 * widths follow from them.  Nothing here asks about the terminal.
 */
#ifndef STFM_TERM_TABLE_H
#define STFM_TERM_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum table_format {
	TABLE_TEXT,
	TABLE_TSV,
	TABLE_CSV,
	TABLE_JSON,
	TABLE_JSONL,
	TABLE_LATEX /* what people see, for papers: a plain tabular */
};

/* The format with this name ("text", "tsv", "csv", "json", "jsonl",
 * "latex"). */
int table_format(const char *name, enum table_format *out, struct error *e);

enum table_color {
	TABLE_PLAIN,
	TABLE_RED = 31,
	TABLE_GREEN = 32,
	TABLE_YELLOW = 33,
	TABLE_BLUE = 34
};

/*
 * Draw a cell in at most width columns; returns how many were written.  row
 * counts from 0.
 */
typedef size_t table_draw(FILE *, void *arg, uint64_t row, size_t width);

/*
 * A column.  A table that is too wide gives way in steps, from 1 on.  At step
 * "narrow" a column becomes as narrow as its values, its head cut; at "merge"
 * it becomes one with the others that have the same step, with commas between
 * their values; at "cut" it shrinks down to least; at "drop" it goes.  In the
 * end every table fits, whatever that takes.
 */
struct table_column {
	const char *name;  /* for programs; NULL: a column for people alone */
	const char *head;  /* for people; NULL: a column for programs alone */
	const char *brief; /* the head where that is too wide; NULL: it is cut
			    */
	int right;         /* aligned at the right */
	int optional;      /* not shown where all its cells are empty */
	int narrow, merge, cut, drop; /* steps, or 0: not at all */
	size_t least;
	table_draw *draw; /* for people: drawn, least to most columns wide */
	size_t most;
};

/* The last step. */
enum { TABLE_STEPS = 15 };

struct table_look {
	enum table_format format;
	size_t width; /* columns, or 0 for no limit */
	int colors;   /* 0: none */
	void *arg;    /* for the columns that are drawn */
};

struct table;

/* A table without rows.  The columns and what they name must outlive it. */
struct table *table_new(FILE *out, const struct table_column *, size_t count,
    const struct table_look *);

/* Begin a row; all its cells are empty: there is no value. */
void table_row(struct table *);

/* Set a cell of the current row.  Text is copied; NULL is no value. */
void table_text(struct table *, size_t column, const char *text);
void table_int(struct table *, size_t column, int64_t value);
void table_real(struct table *, size_t column, double value);

/* A time in seconds since 1970; -1 is no value. */
void table_time(struct table *, size_t column, int64_t seconds);

/* What people see of a cell in place of its value; NULL empties it. */
void table_show(struct table *, size_t column, const char *text);

/* The colour of a cell for people. */
void table_paint(struct table *, size_t column, enum table_color);

/* Write what is left to write and free the table. */
void table_end(struct table *);

/* A time as ISO 8601 has it, in the local time zone, with its offset. */
enum { TABLE_TIME = 32 };
char *table_iso_time(int64_t seconds, char out[TABLE_TIME]);

#endif
