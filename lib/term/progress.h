/*
 * A progress line: if a command keeps a terminal waiting for more than a
 * second, one line on standard error names the step and its time so far.  The
 * line is rewritten in place and erased at the end.  Nothing is printed if
 * standard error is not a terminal.
 */
#ifndef STFM_TERM_PROGRESS_H
#define STFM_TERM_PROGRESS_H

/*
 * Begin to wait for what, such as "asking Slurm"; only one wait at a time.
 * Another process writes the line, so the caller may block.
 */
void progress_begin(const char *what);

/*
 * End the wait and erase the line; call it before other output, too.  Harmless
 * if there is no line.
 */
void progress_end(void);

#endif
