/*
 * Whoever waits at a terminal for longer than a second is told for what and
 * how long: one line on standard error, which is rewritten in place and gone at
 * the end.  Where standard error is no terminal, nothing is done.
 */
#ifndef STFM_TERM_PROGRESS_H
#define STFM_TERM_PROGRESS_H

/*
 * Begin to wait for something, such as "asking Slurm"; one thing at a time.
 * Another program writes the line, so that whatever blocks does not matter.
 */
void progress_begin(const char *what);

/* It is over, or something is to be printed.  Harmless where nothing began. */
void progress_end(void);

#endif
