/*
 * Words that flow into lines of a width (0: one line); lines after the first
 * begin with indent blanks.  A word that does not fit a line has it alone and
 * is cut; a path is broken so that a shell joins it again.
 */
#ifndef STFM_TERM_FLOW_H
#define STFM_TERM_FLOW_H

#include <stddef.h>
#include <stdio.h>

#include "base/strlist.h"

struct flow {
	FILE *out;
	size_t width, indent;
	size_t at; /* columns used in this line */
};

/* Add the words of a text (blanks part them), gap blanks before the first. */
void flow_text(struct flow *, size_t gap, const char *text);

/* Add a text as one word. */
void flow_word(struct flow *, size_t gap, const char *word);
void flow_path(struct flow *, size_t gap, const char *path);

/*
 * Add a list such as "conv2d/0-4,7", which may be broken behind its commas, but
 * no more than so many of its parts; returns how many there were.
 */
size_t flow_list(struct flow *, size_t gap, const char *list, size_t most);

/* End the line. */
void flow_end(struct flow *);

/*
 * Add a command as text_shell_words writes it.  Its lines end in a backslash,
 * so that a shell takes all of what is copied as one command again.
 */
void flow_command(struct flow *, const char *command);

/*
 * Lines that are each such a command, or a comment, which goes on in others;
 * "#!" and "#SBATCH" lines are as they are, however long.
 */
void flow_script(FILE *, const char *script, size_t width);

/* One such command. */
void flow_words(FILE *, const struct strlist *, size_t width);

/* Lines that have tabs, which are blanks where a line is too wide. */
void flow_rows(FILE *, const char *rows, size_t width);

#endif
