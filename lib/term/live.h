/*
 * A live picture: it is redrawn in place on a terminal, at once and without
 * flicker: home, each row over the old one, and the rest of the screen cleared.
 * The terminal is restored if the program ends, stops, or is killed by a signal
 * that can be caught.
 */
#ifndef STFM_TERM_LIVE_H
#define STFM_TERM_LIVE_H

#include <stdio.h>

/*
 * Take over the terminal that f writes to: hide its cursor and handle its
 * signals.  Only one at a time.
 */
void live_begin(FILE *f);

/*
 * Show the rows of text, which are at most as wide as the terminal.  If there
 * are too many, show the first ones and how many more there are.  text may
 * contain only visible characters and SGR.
 */
void live_show(FILE *f, const char *text);

/*
 * Wait this many milliseconds, or until the terminal changes its size or the
 * program continues after a stop.
 */
void live_wait(int milliseconds);

/* Release the terminal, with the cursor below the picture. */
void live_end(FILE *f);

/* Write to a terminal, in the way signal handlers may; errors are ignored. */
void live_put(int fd, const char *text);

#endif
