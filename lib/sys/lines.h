/*
 * The lines of a log as a terminal would finally show them.
 *
 * A line that carriage returns rewrote, as progress bars do, is its last state.
 * Text that a backspace removed, escape sequences, colours among them, and NULs
 * are left out.  Of a line longer than LINES_LONGEST bytes only the start is
 * kept, with a remark on how much is missing.
 *
 * If the cursor moves up, as for several progress bars, the lines it returns to
 * are rewritten too.  So a rewritten line is held back until the next line
 * ends, and lines that the cursor was in until as many others have ended.
 *
 * Bytes arrive in pieces, cut anywhere; memory does not grow with their number.
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
	int begun;     /* something arrived, if only an escape sequence */
	int returned;  /* the next byte starts the line again */
	int rewritten; /* the line was started again */
	size_t blanks; /* blanks after a return, so far nothing else */
};

/* The state of the lines without an end so far.  All zero is none. */
struct lines {
	struct lines_row *row;
	size_t rows, at; /* the cursor is in row[at] */
	size_t up;       /* rows that the cursor went up */
	size_t ends;     /* lines that ended since then */
	int moved;       /* it came down and nothing arrived since */
	int escape, number;
	size_t kept;        /* bytes before a control string */
	uint64_t kept_lost; /* lost before it; a string without end is shown */
};

void lines_free(struct lines *);

/* Called with each line, which ends in a NUL and is valid during the call. */
typedef void lines_take(void *arg, const char *line);

/* Read bytes, and give the lines that end in them to take. */
void lines_feed(struct lines *l, const char *bytes, size_t length,
    lines_take *take, void *arg);

/*
 * After a pause of the input: give the ended lines to take, although the cursor
 * may still return to them.
 */
void lines_rest(struct lines *l, lines_take *take, void *arg);

/* Give all lines to take, also the last one, which has no end. */
void lines_end(struct lines *l, lines_take *take, void *arg);

/* Return the line that the cursor is in, or ""; valid until the next call. */
const char *lines_unfinished(struct lines *);

#endif
