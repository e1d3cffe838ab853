/*
 * A calendar shows who uses which nodes and GPUs from now on: a row for each
 * node or GPU, a column for each hour.  It does not depend on the clock or the
 * terminal.
 */
#ifndef STFM_NODES_CALENDAR_H
#define STFM_NODES_CALENDAR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "term/cli.h"

/* The uses of a row's node or GPU; the first one that applies is shown. */
enum calendar_use {
	CALENDAR_DOWN,
	CALENDAR_RUNNING,
	CALENDAR_EXPECTED,
	CALENDAR_RESERVED
};

/* Times are seconds since 1970. */
struct calendar_span {
	int64_t from, to;
	double amount; /* of the row's capacity */
	enum calendar_use use;
	int mine;
};

/* The row of a GPU or of a node. */
struct calendar_row {
	const char *node;
	const char *unit;  /* "GPU" for all rows of the node; NULL: the node */
	const char *units; /* the plural, "GPUs" */
	double capacity;
	struct calendar_span *span;
	size_t spans;
};

struct calendar_style {
	int64_t now;
	int days;
	size_t width;
	enum cli_charset charset;
	int colors;
};

/*
 * Write a head of days and hours in local time, a line for each row, and a
 * legend.  The caller puts the rows of a node next to each other; equal rows,
 * and nodes with equal rows, share a line.  If not all days fit, a last line
 * says so.
 */
void calendar_draw(FILE *, const struct calendar_row *, size_t count,
    const struct calendar_style *);

#endif
