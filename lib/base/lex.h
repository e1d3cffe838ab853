/*
 * A lexer for JSON in memory that keeps the source text of every value: a
 * number stays as written, and an array can be passed on verbatim.
 *
 * It accepts JSON as in RFC 8259 and nothing more: no NaN, no trailing commas,
 * no comments, UTF-8 only.  It also refuses \u0000 and more than 64 levels.  A
 * byte order mark at the start is skipped.  lex_unique finds names that occur
 * twice in an object.
 */
#ifndef STFM_BASE_LEX_H
#define STFM_BASE_LEX_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum lex_kind {
	LEX_NULL,
	LEX_FALSE,
	LEX_TRUE,
	LEX_NUMBER,
	LEX_STRING,
	LEX_ARRAY,
	LEX_OBJECT
};

/* A value: a part of the text that was parsed, which must outlive it. */
struct lex {
	enum lex_kind kind;
	const char *text;
	size_t length;
	const char *whole; /* start of the document */
	/* Number of the document's first line; 0: lines are not counted. */
	size_t line;
};

/*
 * Parse a text that is one JSON value.  line is the number of its first line in
 * its file; with 0, reasons contain no line, for text that is a single line.
 * Returns 0, or -1 with "line 3, column 7: reason" in e.
 */
int lex_parse(const char *text, size_t length, size_t line, struct lex *out,
    struct error *e);

/* An iterator over the members of an array or object. */
struct lex_members {
	const char *at;
	struct lex of;
};

/* Start an iteration over the members of an array or object. */
void lex_members(struct lex_members *, const struct lex *);

/*
 * Get the next member; key is for objects and may be NULL.  Returns 1, or 0 if
 * there are no more.
 */
int lex_next(struct lex_members *, struct lex *key, struct lex *value);

/* Return the number of members of an array or object. */
size_t lex_count(const struct lex *);

/* Check that no name occurs twice in an object.  Returns 0 or -1. */
int lex_unique(const struct lex *object, struct error *e);

/* Return the decoded content of a string, in UTF-8; to free. */
char *lex_string(const struct lex *);

/* Return whether the decoded content of a string equals text. */
int lex_is(const struct lex *, const char *text);

/* Return the source of a value without blanks outside strings; to free. */
char *lex_source(const struct lex *);

/*
 * Write the value of a hyperparameter as JSON, on one line.  A text that is a
 * number, true, false, an array or an object in JSON is that value, spelt as
 * given; every other text is a string.  NULL is null.
 */
void lex_write(FILE *, const char *text);

/* Put "line 3, column 7: reason" for a value into e; return -1. */
int lex_refuse(const struct lex *, struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
