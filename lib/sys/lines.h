/*
 * The lines of a log as a terminal would finally show them.
 *
 * A line that was rewritten after carriage returns, as by a progress bar, is
 * its last state.  Text removed by a backspace, escape sequences (including
 * colours) and NULs are left out.  Only the first LINES_LONGEST bytes of a line
 * are kept, with a remark about the number of missing bytes.
 *
 * If the cursor moves up, as for several progress bars, the lines that it
 * returns to are rewritten, too.  So a rewritten line is held back until the
 * next line ends.  After an upward move, the lines below the cursor are held
 * back until as many further lines have ended.
 *
 * Bytes arrive in pieces, cut anywhere; memory use does not grow with their
 * number.
 */
#ifndef STFM_SYS_LINES_H
#define STFM_SYS_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { LINES_LONGEST = 1 << 16 };

/* A line that may still change. */
struct lines_row {
	char *text;
	size_t used, room;
	uint64_t lost; /* bytes that did not fit */
	int begun;     /* some byte arrived, if only of an escape sequence */
	int returned;  /* the next byte overwrites the line */
	int rewritten; /* the line was overwritten */
	/* Blanks after a return, as long as only blanks arrive. */
	size_t blanks;
};

/* The state of the lines that may still change; all zero is none. */
struct lines {
	struct lines_row *row;
	size_t rows, at; /* the row with the cursor is row[at] */
	size_t up;       /* number of rows that the cursor moved up */
	size_t ends;     /* number of lines that ended since then */
	int moved;       /* the cursor moved, and no byte has arrived since */
	int escape; /* private: the part of an escape sequence being read */
	int number; /* private: the number in that sequence */
	/*
	 * The row's used and lost at the start of a control string, which are
	 * set again when the string ends.  A string without an end is shown.
	 */
	size_t kept;
	uint64_t kept_lost;
};

void lines_free(struct lines *);

/* A function that gets each line, which is valid during the call. */
typedef void lines_take(void *arg, const char *line);

/* Read bytes, and pass each line that ends in them to take. */
void lines_feed(struct lines *l, const char *bytes, size_t length,
    lines_take *take, void *arg);

/*
 * Pass the ended lines to take, although the cursor may still return to them.
 * Call this after a pause of the input.
 */
void lines_rest(struct lines *l, lines_take *take, void *arg);

/* Pass all lines to take, including the last one, which has no line end. */
void lines_end(struct lines *l, lines_take *take, void *arg);

/* Return the line with the cursor, or ""; valid until the next call. */
const char *lines_unfinished(struct lines *);

#endif
