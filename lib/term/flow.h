/*
 * A flow: words wrapped into lines of a width; a width of 0 makes one line.
 * Lines after the first start with indent blanks.  A word that is wider than a
 * line gets its own line and is cut.  A path that is wider is continued after a
 * backslash at the line end, so that a shell takes a copy as one word.
 */
#ifndef STFM_TERM_FLOW_H
#define STFM_TERM_FLOW_H

#include <stddef.h>
#include <stdio.h>

#include "base/strlist.h"

struct flow {
	FILE *out;
	size_t width, indent;
	size_t at; /* columns used in the current line */
};

/* Add the words of a text (split at blanks), gap blanks before the first. */
void flow_text(struct flow *, size_t gap, const char *text);

/* Add a text as one word. */
void flow_word(struct flow *, size_t gap, const char *word);

/* Add a path as one word, broken as described above if it is too wide. */
void flow_path(struct flow *, size_t gap, const char *path);

/*
 * Add at most `most` parts of a list such as "conv2d/0-4,7", which may be
 * broken after commas.  Returns the number of added parts.
 */
size_t flow_list(struct flow *, size_t gap, const char *list, size_t most);

/* End the line. */
void flow_end(struct flow *);

/*
 * Add the first line of a text: a command in the form of text_shell_words,
 * whose words may contain newlines.  Broken lines end in a backslash, so that a
 * shell takes a copy as one command.  Returns the rest of the text.
 */
const char *flow_command(struct flow *, const char *text);

/*
 * Print a script of such commands and of comments; long lines are broken.  "#!"
 * and "#SBATCH" lines are not changed, however long they are.
 */
void flow_script(FILE *, const char *script, size_t width);

/* Print one command. */
void flow_words(FILE *, const struct strlist *, size_t width);

/*
 * Print lines that may contain tabs; in a line that is too wide, tabs become
 * blanks.
 */
void flow_rows(FILE *, const char *rows, size_t width);

#endif
