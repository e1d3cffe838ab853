/*
 * A calendar is rows of things that can be used, hours across: who uses them
 * when, from now on.  Nothing here asks about the clock or the terminal.
 */
#ifndef STFM_NODES_CALENDAR_H
#define STFM_NODES_CALENDAR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "term/cli.h"

/* What somebody does with a thing, in the order in which it shows. */
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

/* A GPU, or a node. */
struct calendar_row {
	const char *node;
	const char *unit; /* "GPU", "GPUs" for several; NULL: it is the node */
	const char *units;
	double capacity;
	struct calendar_span *span;
	size_t spans;
};

struct calendar_look {
	int64_t now;
	int days;
	size_t width;
	enum cli_charset charset;
	int colors;
};

/*
 * Write a head of days and hours, in local time, then a line for each row, and
 * what its signs mean.  Rows of a node are next to each other; those that look
 * alike are one line, and so are nodes whose lines are.  Days that do not fit
 * are left out, which is said.
 */
void calendar_draw(FILE *, const struct calendar_row *, size_t count,
    const struct calendar_look *);

#endif
