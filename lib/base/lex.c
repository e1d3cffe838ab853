#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/lex.h"
#include "base/text.h"
#include "base/xalloc.h"

enum { MAX_DEPTH = 64 };

/* A position in the text while it is checked. */
struct scan {
	const char *at, *end;
	const char *whole;
	size_t line;
	int depth;
	struct error *e;
};

static int scan_value(struct scan *);

/* ---- reasons ---- */

int
lex_refuse(const struct lex *v, struct error *e, const char *fmt, ...)
{
	size_t line = v->line, length;
	const char *start = v->whole, *p;
	char *text = NULL;
	va_list ap;
	FILE *f;

	if (e == NULL)
		return -1;
	f = xmemopen(&text, &length);
	for (p = v->whole; line > 0 && p < v->text; p++)
		if (*p == '\n') {
			line++;
			start = p + 1;
		}
	if (line > 0)
		fprintf(f, "line %zu, ", line);
	fprintf(f, "column %zu: ", (size_t)(v->text - start) + 1);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	xmemclose(f);
	error_set(e, "%s", text);
	free(text);
	return -1;
}

/* Refuse the text at the current position of a scan. */
#define wrong(s, ...) \
	lex_refuse( \
	    &(struct lex){ \
		.text = (s)->at, .whole = (s)->whole, .line = (s)->line}, \
	    (s)->e, __VA_ARGS__)

/* ---- checking a text ---- */

static int
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Return the next character that is not a blank, or NUL at the end. */
static char
peek(struct scan *s)
{
	s->at = skip_blanks(s->at, s->end);
	return s->at < s->end ? *s->at : '\0';
}

static size_t
scan_digits(struct scan *s)
{
	const char *start = s->at;

	while (s->at < s->end && isdigit((unsigned char)*s->at))
		s->at++;
	return (size_t)(s->at - start);
}

static int
next_is(const struct scan *s, const char *any)
{
	return s->at < s->end && *s->at != '\0' && strchr(any, *s->at) != NULL;
}

static int
scan_number(struct scan *s)
{
	s->at += *s->at == '-';
	if (next_is(s, "0") && s->end - s->at > 1 &&
	    isdigit((unsigned char)s->at[1]))
		return wrong(s, "a number does not begin with 0");
	if (scan_digits(s) == 0)
		return wrong(s, "a digit is missing");
	if (next_is(s, ".")) {
		s->at++;
		if (scan_digits(s) == 0)
			return wrong(s, "a digit is missing after the point");
	}
	if (next_is(s, "eE")) {
		s->at++;
		s->at += next_is(s, "+-");
		if (scan_digits(s) == 0)
			return wrong(s, "a digit is missing in the exponent");
	}
	return 0;
}

/* Return the value of four hexadecimal digits, or -1. */
static long
hex4(const char *at, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	long value = 0;
	int i;

	if (end - at < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		digit = at[i] == '\0'
		    ? NULL
		    : strchr(digits, ascii_lower((unsigned char)at[i]));
		if (digit == NULL)
			return -1;
		value = value * 16 + (digit - digits);
	}
	return value;
}

/* Decode \uXXXX, or a surrogate pair, at the "u".  Returns -1 if invalid. */
static long
unicode_escape(const char **at, const char *end)
{
	long high = hex4(*at + 1, end), low;

	*at += 5;
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || end - *at < 6 || (*at)[0] != '\\' ||
	    (*at)[1] != 'u')
		return -1;
	low = hex4(*at + 2, end);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	*at += 6;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static int
scan_escape(struct scan *s)
{
	const char *after = s->at + 1;

	if (after < s->end && *after == 'u') {
		if (unicode_escape(&after, s->end) <= 0)
			return wrong(s, "this \\u stands for no character");
		s->at = after;
		return 0;
	}
	if (after == s->end || *after == '\0' ||
	    strchr("\"\\/bfnrt", *after) == NULL)
		return wrong(s, "no such escape (write \\\\ for a backslash)");
	s->at += 2;
	return 0;
}

static int
scan_string(struct scan *s)
{
	const char *start = s->at++;
	size_t bytes;
	uint32_t c;

	while (s->at < s->end && *s->at != '"') {
		if (*s->at == '\\') {
			if (scan_escape(s) == -1)
				return -1;
			continue;
		}
		if ((unsigned char)*s->at < 0x20)
			return wrong(s,
			    "a control character, or a string that has "
			    "no end");
		bytes = text_utf8(s->at, (size_t)(s->end - s->at), &c);
		if (bytes == 0)
			return wrong(s, "not UTF-8");
		s->at += bytes;
	}
	if (s->at == s->end) {
		s->at = start;
		return wrong(s, "a string that has no end");
	}
	s->at++;
	return 0;
}

static int
scan_word(struct scan *s)
{
	static const char *const words[] = {"null", "false", "true"};
	size_t i, length = 0;

	while (s->at + length < s->end &&
	    (isalnum((unsigned char)s->at[length]) || s->at[length] == '_'))
		length++;
	for (i = 0; i < 3; i++)
		if (length == strlen(words[i]) &&
		    memcmp(s->at, words[i], length) == 0) {
			s->at += length;
			return 0;
		}
	if (length == 0)
		return wrong(s, "a value is missing");
	return wrong(s,
	    "'%.*s' is no JSON (text needs quotation marks: \"%.*s\")",
	    (int)(length < 40 ? length : 40), s->at,
	    (int)(length < 40 ? length : 40), s->at);
}

static int
scan_members(struct scan *s, char close)
{
	char next;

	if (++s->depth > MAX_DEPTH)
		return wrong(s, "more than %d levels", MAX_DEPTH);
	s->at++;
	if (peek(s) == close) {
		s->at++;
		s->depth--;
		return 0;
	}
	for (;; s->at++) {
		if (close == '}') {
			if (peek(s) != '"')
				return wrong(
				    s, "a name in quotation marks is missing");
			if (scan_string(s) == -1)
				return -1;
			if (peek(s) != ':')
				return wrong(s, "a colon is missing");
			s->at++;
		}
		if (scan_value(s) == -1)
			return -1;
		next = peek(s);
		if (next == close)
			break;
		if (next != ',')
			return wrong(s, "a comma or %c is missing", close);
	}
	s->at++;
	s->depth--;
	return 0;
}

static int
scan_value(struct scan *s)
{
	char c = peek(s);

	if (c == '{')
		return scan_members(s, '}');
	if (c == '[')
		return scan_members(s, ']');
	if (c == '"')
		return scan_string(s);
	if (c == '-' || isdigit((unsigned char)c))
		return scan_number(s);
	return scan_word(s);
}

static enum lex_kind
kind_of(char first)
{
	switch (first) {
	case '{':
		return LEX_OBJECT;
	case '[':
		return LEX_ARRAY;
	case '"':
		return LEX_STRING;
	case 't':
		return LEX_TRUE;
	case 'f':
		return LEX_FALSE;
	case 'n':
		return LEX_NULL;
	default:
		return LEX_NUMBER;
	}
}

int
lex_parse(const char *text, size_t length, size_t line, struct lex *out,
    struct error *e)
{
	struct scan s = {text, text + length, text, line, 0, e};
	const char *start;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		s.at = s.whole = text + 3;
	peek(&s);
	start = s.at;
	if (scan_value(&s) == -1)
		return -1;
	out->kind = kind_of(*start);
	out->text = start;
	out->length = (size_t)(s.at - start);
	out->whole = s.whole;
	out->line = line;
	peek(&s);
	return s.at == s.end ? 0 : wrong(&s, "more after the value");
}

/* ---- walking through a checked text ---- */

static const char *
string_end(const char *at)
{
	for (at++; *at != '"'; at++)
		at += *at == '\\';
	return at + 1;
}

static const char *
value_end(const char *at, const char *end)
{
	int depth = 0;

	if (strchr("\"[{", *at) == NULL) {
		while (at < end &&
		    (isalnum((unsigned char)*at) || strchr("+-.", *at)))
			at++;
		return at;
	}
	do {
		if (*at == '"') {
			at = string_end(at);
			continue;
		}
		depth += *at == '[' || *at == '{';
		depth -= *at == ']' || *at == '}';
		at++;
	} while (depth > 0);
	return at;
}

static const char *
take(const struct lex *of, const char *at, struct lex *out)
{
	const char *end = of->text + of->length;

	at = skip_blanks(at, end);
	out->kind = kind_of(*at);
	out->text = at;
	out->whole = of->whole;
	out->line = of->line;
	at = value_end(at, end);
	out->length = (size_t)(at - out->text);
	return skip_blanks(at, end);
}

void
lex_members(struct lex_members *m, const struct lex *of)
{
	m->of = *of;
	m->at = of->text + 1;
}

int
lex_next(struct lex_members *m, struct lex *key, struct lex *value)
{
	struct lex ignored;

	m->at = skip_blanks(m->at, m->of.text + m->of.length);
	if (*m->at == ']' || *m->at == '}')
		return 0;
	if (m->of.kind == LEX_OBJECT)
		m->at = take(&m->of, m->at, key ? key : &ignored) + 1;
	m->at = take(&m->of, m->at, value);
	m->at += *m->at == ',';
	return 1;
}

size_t
lex_count(const struct lex *of)
{
	struct lex_members m;
	struct lex value;
	size_t count = 0;

	lex_members(&m, of);
	while (lex_next(&m, NULL, &value))
		count++;
	return count;
}

static char *
put_utf8(char *to, long c)
{
	static const int lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	int i;

	if (bytes == 1) {
		*to = (char)c;
		return to + 1;
	}
	for (i = bytes - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[bytes] | c);
	return to + bytes;
}

char *
lex_string(const struct lex *v)
{
	static const char letter[] = "bfnrt", meaning[] = "\b\f\n\r\t";
	const char *at = v->text + 1, *end = v->text + v->length - 1, *found;
	char *out = xmalloc(v->length), *to = out;

	while (at < end) {
		if (*at != '\\') {
			*to++ = *at++;
			continue;
		}
		at++;
		if (*at == 'u') {
			to = put_utf8(to, unicode_escape(&at, end));
			continue;
		}
		found = strchr(letter, *at);
		*to++ = found ? meaning[found - letter] : *at;
		at++;
	}
	*to = '\0';
	return out;
}

int
lex_is(const struct lex *v, const char *text)
{
	char *own;
	int same;

	if (v->kind != LEX_STRING)
		return 0;
	own = lex_string(v);
	same = strcmp(own, text) == 0;
	free(own);
	return same;
}

char *
lex_source(const struct lex *v)
{
	const char *at = v->text, *end = v->text + v->length, *after;
	char *out = xmalloc(v->length + 1), *to = out;

	for (; at < end; at = after) {
		after = *at == '"' ? string_end(at) : at + 1;
		if (is_blank(*at))
			continue;
		memcpy(to, at, (size_t)(after - at));
		to += after - at;
	}
	*to = '\0';
	return out;
}

void
lex_write(FILE *out, const char *text)
{
	struct lex v;
	char *source;

	if (text == NULL) {
		fputs("null", out);
		return;
	}
	if (lex_parse(text, strlen(text), 0, &v, NULL) == -1 ||
	    v.kind == LEX_STRING || v.kind == LEX_NULL) {
		text_json(out, text);
		return;
	}
	source = lex_source(&v);
	text_json_source(out, source);
	free(source);
}

struct name {
	char *text;
	struct lex at;
};

static int
by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->at.text > y->at.text) * 2 - 1;
}

int
lex_unique(const struct lex *object, struct error *e)
{
	size_t count = lex_count(object), i;
	struct name *names = xcalloc(count, sizeof *names);
	struct lex_members m;
	struct lex value;
	int rc = 0;

	lex_members(&m, object);
	for (i = 0; i < count; i++) {
		lex_next(&m, &names[i].at, &value);
		names[i].text = lex_string(&names[i].at);
	}
	qsort(names, count, sizeof *names, by_text);
	for (i = 1; i < count && rc == 0; i++)
		if (strcmp(names[i - 1].text, names[i].text) == 0)
			rc = lex_refuse(&names[i].at, e, "%.60s: given twice",
			    names[i].text);
	for (i = 0; i < count; i++)
		free(names[i].text);
	free(names);
	return rc;
}
