/*
 * A canvas is a rectangle of characters in which dots can be set: 2 by 4 in
 * each with braille, 2 by 2 with blocks, 1 in ASCII.  A pen writes rows of text
 * and canvas, with colours, and no blanks at their ends.
 */
#ifndef STFM_CHART_CANVAS_H
#define STFM_CHART_CANVAS_H

#include <stddef.h>
#include <stdio.h>

#include "term/cli.h"

struct pen {
	FILE *out;
	int colors;    /* 0, 16 or 256 */
	int ink;       /* in use on the terminal, or PEN_PLAIN */
	size_t blanks; /* not written yet */
};

enum { PEN_PLAIN = -1 };

/* Write text (already safe) in an ink: the number of a line, or PEN_PLAIN. */
void pen_text(struct pen *, int ink, const char *text);

/* Write text from a user's file in exactly width columns, or as wide as it is
 * when width is 0. */
void pen_cell(struct pen *, int ink, const char *text, size_t width, int right);

void pen_blanks(struct pen *, size_t count);

/*
 * Write text (already safe) aligned right in a patch of so many columns, whose
 * ground is one of PEN_GROUNDS, the darkest 0; for 256 colours only.
 */
enum { PEN_GROUNDS = 5 };
void pen_patch(struct pen *, int ground, const char *text, size_t width);

/* End the row. */
void pen_end(struct pen *);

struct canvas {
	size_t columns, rows;
	enum cli_charset charset;
	size_t dot_columns, dot_rows;
	unsigned char *dots; /* for each character, a bit for each dot */
	short *ink;          /* for each character, of the last dot */
	const char **mark;   /* for each character, what to show instead */
	char glyph;          /* what a dot is in ASCII */
	char *glyphs;
};

void canvas_open(
    struct canvas *, size_t columns, size_t rows, enum cli_charset charset);
void canvas_close(struct canvas *);

/* Dots and marks beyond the edges are left out; row 0 is the top. */
void canvas_dot(struct canvas *, long x, long y, int ink);
void canvas_mark(
    struct canvas *, long column, long row, const char *mark, int ink);

/* Write one row of characters. */
void canvas_row(const struct canvas *, size_t row, struct pen *);

#endif
