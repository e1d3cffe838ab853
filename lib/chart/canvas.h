/*
 * A canvas is a rectangle of characters made of dots: 2 by 4 dots in each
 * character with braille, 2 by 2 with blocks, 1 in ASCII.  A pen writes rows
 * that consist of text and of rows of a canvas, in colours.  It omits the
 * blanks at the end of a row.
 */
#ifndef STFM_CHART_CANVAS_H
#define STFM_CHART_CANVAS_H

#include <stddef.h>
#include <stdio.h>

#include "term/cli.h"

/* A pen begins as {out, colors, PEN_PLAIN, 0}. */
struct pen {
	FILE *out;
	int colors;    /* 0, 16 or 256 */
	int ink;       /* current ink of the terminal, or PEN_PLAIN */
	size_t blanks; /* not written yet */
};

enum { PEN_PLAIN = -1, PEN_DIM = -2 };

/* Write text that is safe to print; ink is a line's number, PEN_PLAIN or
 * PEN_DIM. */
void pen_text(struct pen *, int ink, const char *text);

/*
 * Write text from a user's file in exactly width columns, or uncut if width is
 * 0.  right aligns the text to the right.
 */
void pen_cell(struct pen *, int ink, const char *text, size_t width, int right);

/* Write text from a user's file in at most room columns, without padding. */
void pen_cut(struct pen *, int ink, const char *text, size_t room);

/* Write formatted text from users' files as a row, cut to width columns. */
void pen_row(struct pen *, size_t width, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void pen_blanks(struct pen *, size_t count);

enum { PEN_GROUNDS = 5 };

/*
 * Write text, which is safe to print, aligned right in a patch of width
 * columns.  ground is the colour of the patch, from 0 (darkest) to PEN_GROUNDS
 * - 1.  The terminal must have 256 colours.
 */
void pen_patch(struct pen *, int ground, const char *text, size_t width);

/* End the row. */
void pen_end(struct pen *);

struct canvas {
	size_t columns, rows; /* its size in characters */
	enum cli_charset charset;
	size_t dot_columns, dot_rows; /* its size in dots */
	/* In ASCII, canvas_dot draws this character; the caller may set it. */
	char glyph;

	/* For each character: */
	unsigned char *dots; /* a bit for each dot */
	short *ink;          /* the ink of its last dot */
	const char **mark;   /* the mark that replaces its dots, or NULL */
	char *glyphs;        /* the glyph of its last dot */
};

void canvas_open(
    struct canvas *, size_t columns, size_t rows, enum cli_charset charset);
void canvas_close(struct canvas *);

/*
 * Set the dot in column x and row y of the dots, unless it is outside the
 * canvas.  Row 0 is at the top.
 */
void canvas_dot(struct canvas *, long x, long y, int ink);

/*
 * Set a mark, one character that must outlive the canvas, at a column and row
 * of characters, unless they are outside the canvas.
 */
void canvas_mark(
    struct canvas *, long column, long row, const char *mark, int ink);

/* Write one row of characters. */
void canvas_row(const struct canvas *, size_t row, struct pen *);

#endif
