/*
 * A live picture, redrawn in place on a terminal in one write and without
 * flicker: the cursor goes home, each row overwrites the old one, and the rest
 * of the screen is cleared.  The terminal is restored if the program ends,
 * stops, or is killed by a signal that can be caught.
 */
#ifndef STFM_TERM_LIVE_H
#define STFM_TERM_LIVE_H

#include <stdio.h>

/*
 * Take over the terminal that f writes to: hide its cursor and handle its
 * signals.  Only one terminal at a time.
 */
void live_begin(FILE *f);

/*
 * Show the rows of text, which must not be wider than the terminal.  If there
 * are too many rows, show the first rows and the number of the others.  text
 * may contain only visible characters and SGR sequences.
 */
void live_show(FILE *f, const char *text);

/*
 * Wait this many milliseconds, or until the terminal changes its size or the
 * program continues after a stop.
 */
void live_wait(int milliseconds);

/* Release the terminal, with the cursor below the picture. */
void live_end(FILE *f);

/* Write to a terminal, safely in signal handlers; errors are ignored. */
void live_put(int fd, const char *text);

#endif
