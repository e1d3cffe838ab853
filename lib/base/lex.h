/*
 * A lexer of JSON in memory that keeps the source text of every value: a
 * number stays as it was written, and an array can be handed on verbatim.
 *
 * JSON as RFC 8259 has it and nothing more: no NaN, no trailing commas, no
 * comments, UTF-8 only; besides no \u0000 and at most 64 levels.  A byte order
 * mark at the start is passed over.  Whether the names in an object repeat is
 * asked with lex_unique.
 */
#ifndef STFM_BASE_LEX_H
#define STFM_BASE_LEX_H

#include <stddef.h>

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

/* A value: a piece of the text it was read from, which must outlive it. */
struct lex {
	enum lex_kind kind;
	const char *text;
	size_t length;
	const char *whole; /* where the document begins */
	size_t line; /* number of its first line, or 0: lines are not counted */
};

/*
 * Read a text that is one JSON value.  line is the number of its first line in
 * the file it comes from; 0 keeps lines out of the reasons, for text that is
 * just one line.
 * Returns 0, or -1 with "line 3, column 7: reason" in e.
 */
int lex_parse(const char *text, size_t length, size_t line, struct lex *out,
    struct error *e);

/* The members of an array or object, one after the other. */
struct lex_members {
	const char *at;
	struct lex of;
};

void lex_members(struct lex_members *, const struct lex *);

/*
 * Take the next member; key is for objects and may be NULL.  Returns 0 when
 * there are no more.
 */
int lex_next(struct lex_members *, struct lex *key, struct lex *value);

size_t lex_count(const struct lex *);

/* Refuse an object in which a name is given twice: 0 or -1. */
int lex_unique(const struct lex *object, struct error *e);

/* What a string stands for, in UTF-8; to free. */
char *lex_string(const struct lex *);

/* Whether a string stands for this text. */
int lex_is(const struct lex *, const char *text);

/* The source of a value without the blanks outside strings; to free. */
char *lex_source(const struct lex *);

/* The line that a value begins on, where lines are counted. */
size_t lex_line(const struct lex *);

/* Set "line 3, column 7: reason" for a value; returns -1. */
int lex_refuse(const struct lex *, struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
