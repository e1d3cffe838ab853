/*
 * Text for output: writers that quote text for a shell, a table reader, a JSON
 * parser or a terminal, and functions that compare text.
 *
 * Each writer appends to a stream; the caller checks the stream for errors.
 * Text is bytes; if an output must be UTF-8, invalid bytes become U+FFFD.
 */
#ifndef STFM_BASE_TEXT_H
#define STFM_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strlist.h"

/* Write one word for any POSIX shell, quoted only if necessary. */
void text_shell(FILE *, const char *);

/* Write words as a command line, each like text_shell, without newline. */
void text_shell_words(FILE *, const struct strlist *);

/*
 * Write a TSV field: tab, newline, carriage return and backslash become \t \n
 * \r \\.
 */
void text_tsv(FILE *, const char *);

/* Write a CSV field as in RFC 4180, quoted only if necessary. */
void text_csv(FILE *, const char *);

/*
 * Write text for LaTeX: special characters are escaped, control characters
 * become blanks, invalid UTF-8 becomes "?".
 */
void text_latex(FILE *, const char *);

/* The same for a cell of a Markdown table. */
void text_markdown(FILE *, const char *);

/*
 * Write text for XML and HTML, as an element's text or as an attribute in
 * double quotes: the characters & < > " ' are escaped, and text_plain's
 * replacements are made.
 */
void text_xml(FILE *, const char *);

/* Write a JSON string in quotes, without terminal control characters. */
void text_json(FILE *, const char *);

/* Write a valid JSON value as it is, but escape terminal control characters. */
void text_json_source(FILE *, const char *);

/*
 * Write text for a terminal: control characters, invalid UTF-8 and
 * bidirectional controls become \x1b; everything else is unchanged.
 */
void text_plain(FILE *, const char *);

/* Write text for a terminal like text_plain, but keep tabs and line ends. */
void text_page(FILE *, const char *);

/*
 * Write text for a terminal in rows of at most width columns (0: any).  used
 * columns of the first row are already occupied.  Rows break at blanks; all
 * rows except the first are indented by two columns.  A word that is too long
 * is broken like text_fit does.
 */
void text_wrap(FILE *, const char *, size_t used, size_t width);

/*
 * Return the columns that text_plain fills on a terminal, for text in the
 * locale's encoding.
 */
size_t text_width(const char *);

/*
 * Return how many bytes of a text fit into width columns, at least one
 * character.  If the text must be broken, the part ends after a "/", ":"  or
 * "," if possible.
 */
size_t text_fit(const char *, size_t width);

/*
 * Write text like text_plain in exactly width columns, padded with blanks on
 * the right, or on the left if right is true.  Text that is too wide is cut and
 * ends in "~".
 */
void text_cell(FILE *, const char *, size_t width, int right);

/*
 * Decode the first character of UTF-8 text of this length (at least 1) into
 * *out.  Returns its number of bytes, or 0 if the bytes are not UTF-8.
 */
size_t text_utf8(const char *, size_t length, uint32_t *out);

/* Return whether two texts are equal; NULL equals only NULL. */
int text_same(const char *, const char *);

/* Return whether text begins with the text with. */
static inline int
text_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Return whether text ends with the text with, and is longer. */
int text_ends(const char *text, const char *with);

/* Return whether word is in a list separated by commas. */
int text_lists(const char *list, const char *word);

/* Return the index of word among count words (NULLs allowed), or -1. */
int text_among(const char *word, const char *const *words, size_t count);

/* Return whether text contains one of count words. */
int text_has(const char *text, const char *const *words, size_t count);

/* Return whether the whole text is UTF-8. */
int text_is_utf8(const char *);

/*
 * Return the candidate most similar to a mistyped word, else the only candidate
 * that begins with the word, or NULL.  NULL candidates are skipped.
 */
const char *text_nearest(
    const char *word, const char *const *candidates, size_t count);

/*
 * Write a hint for people, "did you mean NAME?"  with the result of
 * text_nearest, or otherwise if there is none; cut to the size of out.  Returns
 * out.  All hints about similar names use the next two functions.
 */
enum { TEXT_HINT = 160 };

/*
 * Write a hint for near, with the texts before ("--") and after around it, or
 * otherwise if near is NULL.  Returns out.
 */
const char *text_hint_of(const char *before, const char *near,
    const char *after, const char *otherwise, char out[TEXT_HINT]);

static inline const char *
text_hint(const char *word, const char *const *candidates, size_t count,
    const char *otherwise, char out[TEXT_HINT])
{
	return text_hint_of(
	    "", text_nearest(word, candidates, count), "", otherwise, out);
}

#endif
