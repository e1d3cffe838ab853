/*
 * A progress line: if a command keeps a terminal waiting for more than a
 * second, one line on standard error says for what and how long.  It is
 * rewritten in place and erased at the end.  Without a terminal on standard
 * error nothing is printed.
 */
#ifndef STFM_TERM_PROGRESS_H
#define STFM_TERM_PROGRESS_H

/*
 * Begin to wait for what, such as "asking Slurm"; only one thing at a time.
 * Another process writes the line, so this one may block.
 */
void progress_begin(const char *what);

/* End the wait, or the line before other output.  Harmless if there is none. */
void progress_end(void);

#endif
