/*
 * A live picture is redone in place on a terminal, at once and without
 * flicker: home, each row over the old one, and the rest of the screen
 * cleared.  The terminal is as before whenever the program ends, stops or is
 * killed by a signal that can be caught.
 */
#ifndef STFM_TERM_LIVE_H
#define STFM_TERM_LIVE_H

#include <stdio.h>

/*
 * Take over the terminal that f writes to: hide its cursor, and hear its
 * signals.  One at a time.
 */
void live_begin(FILE *f);

/*
 * Show the rows of a text, which is as wide as the terminal at most; of more
 * rows than it has, the first, and how many there are more.  Nothing but what
 * it shows and SGR may be in the text.
 */
void live_show(FILE *f, const char *text);

/*
 * Wait so many milliseconds, or until the terminal changes its size or the
 * program was stopped and goes on.
 */
void live_wait(int milliseconds);

/* Give the terminal back, the cursor below the picture. */
void live_end(FILE *f);

/* Write to a terminal, as signal handlers may; that it fails is no matter. */
void live_put(int fd, const char *text);

#endif
