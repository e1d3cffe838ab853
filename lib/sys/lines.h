/*
 * The lines of a log as they would stand on a terminal in the end.
 *
 * A line that carriage returns wrote anew, as progress bars do, is its last
 * state; what a backspace took back is gone; escape sequences, colours among
 * them, and NULs are left out.  Of a longer line than LINES_LONGEST bytes only
 * the beginning is kept, with a word on how much is not.
 *
 * Where the cursor goes up, as it does for progress bars below each other, the
 * lines it goes back to are written anew as well.  For that a line that was
 * written anew is held back until the next one has its end, and lines that the
 * cursor was in until as many others have theirs.
 *
 * The bytes come in pieces, cut anywhere; memory does not grow with them.
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
	uint64_t lost; /* bytes that were too many */
	int begun;     /* something came, if only an escape sequence */
	int returned;  /* what comes next begins the line anew */
	int rewritten; /* that has happened */
	size_t blanks; /* after the return, and nothing else yet */
};

/* What has come of the lines that have no end yet.  All zero is nothing. */
struct lines {
	struct lines_row *row;
	size_t rows, at; /* the cursor is in row[at] */
	size_t up;       /* so far up it went, */
	size_t ends;     /* and so many lines have ended since */
	int moved;       /* it came down, and nothing has come since */
	int escape, number;
	size_t kept;        /* bytes before a control string, */
	uint64_t kept_lost; /* which is shown if it has no end */
};

void lines_free(struct lines *);

/* Called with each line, which ends in a NUL and is gone after the call. */
typedef void lines_take(void *arg, const char *line);

/* Take some bytes, and give out the lines that end in them. */
void lines_feed(struct lines *l, const char *bytes, size_t length,
    lines_take *take, void *arg);

/*
 * Nothing has come for a while: give out the lines that have their end, though
 * the cursor may still go back to them.
 */
void lines_rest(struct lines *l, lines_take *take, void *arg);

/* Give out what there is, also of the last line, which has no end. */
void lines_end(struct lines *l, lines_take *take, void *arg);

/* The line that the cursor is in; "" for none.  It is gone after the next call.
 */
const char *lines_unfinished(struct lines *);

#endif
