/*
 * Text on its way out: the same bytes written so that a shell, a table reader,
 * a JSON parser or a terminal takes them for what they are.
 *
 * Each writer appends to a stream and leaves errors to whoever checks it.
 * Text is bytes; where an output must be UTF-8, broken bytes become U+FFFD.
 */
#ifndef STFM_BASE_TEXT_H
#define STFM_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strlist.h"

/* One word of any POSIX shell, quoted only where it has to be. */
void text_shell(FILE *, const char *);

/* A command line of such words, without its end. */
void text_shell_words(FILE *, const struct strlist *);

/* One TSV field: tab, newline, carriage return and backslash as \t \n \r \\. */
void text_tsv(FILE *, const char *);

/* One CSV field as RFC 4180 has it, quoted only where it has to be. */
void text_csv(FILE *, const char *);

/*
 * Text in a LaTeX document: what LaTeX would obey is escaped, control
 * characters are blanks, broken UTF-8 is "?".
 */
void text_latex(FILE *, const char *);

/* One JSON string with its quotation marks, and no character that a terminal
 * would obey. */
void text_json(FILE *, const char *);

/*
 * Text for a terminal: control characters, broken UTF-8 and bidirectional
 * controls as \x1b; everything else as it is.
 */
void text_plain(FILE *, const char *);

/* The same, with the tabs and line ends of a text, which a terminal may have.
 */
void text_page(FILE *, const char *);

/*
 * The same, in rows of at most so many columns (0: any) of which the first has
 * used some; it breaks at blanks, and indents what follows by two.  A word that
 * no row has room for is broken as text_fit says.
 */
void text_wrap(FILE *, const char *, size_t used, size_t width);

/*
 * The columns that text_plain fills on a terminal, for text in the locale's
 * encoding.
 */
size_t text_width(const char *);

/*
 * The bytes of a text that so many columns have room for, at least one
 * character: up to behind a "/", ":" or "," where it has to be broken.
 */
size_t text_fit(const char *, size_t width);

/*
 * text_plain in exactly width columns, padded with blanks on the right, or on
 * the left when right is true.  Text that is too wide is cut, its last column
 * a "~".
 */
void text_cell(FILE *, const char *, size_t width, int right);

/*
 * Take one character from UTF-8 text of the given length (at least 1):
 * returns how many bytes it has and puts it into *out, or returns 0 for bytes
 * that are not UTF-8.
 */
size_t text_utf8(const char *, size_t length, uint32_t *out);

/* Whether two texts are the same; NULL is the same as NULL alone. */
int text_same(const char *, const char *);

/* Whether a text begins with another one. */
int text_begins(const char *text, const char *with);

/* Whether a text ends with another one, and there is more of it. */
int text_ends(const char *text, const char *with);

/* Whether a word is in a list that has commas between them. */
int text_lists(const char *list, const char *word);

/* The place of a word among count others, some of which may be NULL, or -1. */
int text_among(const char *word, const char *const *words, size_t count);

/* Whether a text has one of count words in it. */
int text_has(const char *text, const char *const *words, size_t count);

/* Whether all of it is UTF-8. */
int text_is_utf8(const char *);

/*
 * The word among count candidates (NULLs are passed over) that is nearest to
 * a mistyped one, else the only one that begins with it, or NULL.
 */
const char *text_nearest(
    const char *word, const char *const *candidates, size_t count);

/*
 * The same as a hint for people, "did you mean NAME?", or what is to be said
 * otherwise, in as many bytes as there are.  Returns out.  All that hint at
 * something near use these two.
 */
enum { TEXT_HINT = 160 };
const char *text_hint(const char *word, const char *const *candidates,
    size_t count, const char *otherwise, char out[TEXT_HINT]);

/* The same of what is near, or NULL, with what is written around it: "--". */
const char *text_hint_of(const char *before, const char *near,
    const char *after, const char *otherwise, char out[TEXT_HINT]);

#endif
