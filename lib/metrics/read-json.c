#include <ctype.h>
#include <string.h>

#include "metrics/private.h"

/*
 * JSON Lines, without base/lex.h: Python writes NaN and Infinity, which are not
 * JSON, and no reasons are needed for damaged lines.
 */

enum { DEPTH = 8, NAME = 256 };

struct cursor {
	const char *line, *at, *end;
	struct record_draft *draft;
	char name[NAME]; /* name of the current value: "val.loss" */
	size_t used;
};

static int value(struct cursor *c, int depth);

static void
blanks(struct cursor *c)
{
	while (c->at < c->end && isspace((unsigned char)*c->at))
		c->at++;
}

static int
eat(struct cursor *c, char byte)
{
	blanks(c);
	if (c->at == c->end || *c->at != byte)
		return 0;
	c->at++;
	return 1;
}

/* Take a string without its quotation marks, escapes included. */
static int
string(struct cursor *c, const char **text, size_t *length)
{
	if (!eat(c, '"'))
		return 0;
	*text = c->at;
	while (c->at < c->end && *c->at != '"')
		c->at += *c->at == '\\' && c->end - c->at > 1 ? 2 : 1;
	*length = (size_t)(c->at - *text);
	return eat(c, '"');
}

/*
 * Append a part to the name.  Only the escapes \/, \" and \\ are decoded: names
 * of metrics hardly use others.
 */
static void
push_name(struct cursor *c, const char *text, size_t length)
{
	size_t i;

	if (c->used > 0 && c->used < NAME)
		c->name[c->used++] = '.';
	for (i = 0; i < length && c->used < NAME; i++) {
		if (text[i] == '\\' && i + 1 < length &&
		    strchr("/\"\\", text[i + 1]) != NULL)
			i++;
		c->name[c->used++] = text[i];
	}
}

static int
members(struct cursor *c, int depth)
{
	const char *key;
	size_t length, used = c->used;

	if (eat(c, '}'))
		return 1;
	do {
		if (!string(c, &key, &length))
			return 0;
		push_name(c, key, length);
		if (!eat(c, ':') || !value(c, depth))
			return 0;
		c->used = used;
	} while (eat(c, ','));
	return eat(c, '}');
}

/* Skip the items of an array, which have no names. */
static int
items(struct cursor *c, int depth)
{
	struct record_draft *draft = c->draft;
	int well = 1;

	if (eat(c, ']'))
		return 1;
	c->draft = NULL;
	do
		well = value(c, depth);
	while (well && eat(c, ','));
	c->draft = draft;
	return well && eat(c, ']');
}

/* Add a value, and note its place in the line. */
static void
add(struct cursor *c, const char *text, size_t length)
{
	struct record_draft *d = c->draft;
	size_t i = d->count;

	record_draft_add(d, c->name, c->used, text, length);
	if (d->count == i || i >= RECORD_FORM)
		return;
	d->form.begin[i] = (size_t)(text - c->line);
	d->form.end[i] = d->form.begin[i] + length;
}

static int
value(struct cursor *c, int depth)
{
	const char *text;
	size_t length;

	if (depth == DEPTH)
		return 0;
	blanks(c);
	if (eat(c, '{'))
		return members(c, depth + 1);
	if (eat(c, '['))
		return items(c, depth + 1);
	text = c->at;
	while (c->at < c->end && *c->at != '\0' &&
	    (isalnum((unsigned char)*c->at) || strchr("+-.", *c->at) != NULL))
		c->at++;
	length = (size_t)(c->at - text);
	/* Some trainings write numbers as strings: parse strings, too. */
	if (length == 0 && !string(c, &text, &length))
		return 0;
	if (c->draft != NULL)
		add(c, text, length);
	return 1;
}

/* Keep the form of a line whose values are in the draft. */
static void
keep_form(struct record_draft *d, const char *line, size_t length)
{
	struct record_form *f = &d->form;
	const char *name;
	size_t i;

	f->texts.used = 0;
	f->length = length;
	f->count = d->count <= RECORD_FORM ? d->count : 0;
	record_keep(&f->texts, line, length);
	for (i = 0; i < f->count; i++) {
		name = d->texts.text + d->name[i];
		f->name[i] = record_keep(&f->texts, name, strlen(name));
	}
}

static const char *
skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* Return the end of a number, or NULL if it is not a usual one. */
static const char *
skip_number(const char *at, const char *end)
{
	const char *digits = at + (at < end && *at == '-');

	at = skip_digits(digits, end);
	if (at == digits)
		return NULL;
	if (at < end && *at == '.')
		at = skip_digits(at + 1, end);
	if (at == end || (*at != 'e' && *at != 'E'))
		return at;
	at++;
	digits = at + (at < end && (*at == '-' || *at == '+'));
	at = skip_digits(digits, end);
	return at > digits ? at : NULL;
}

/*
 * Take a line that has the form of the last record: the same bytes outside of
 * the numbers.  The parser would end each number at the byte after it, too, as
 * it did in that line.  Returns 0 for any other line.
 */
static int
take_form(struct record_draft *d, const char *line, size_t length)
{
	const struct record_form *f = &d->form;
	const char *form = f->texts.text, *at = line, *end = line + length;
	size_t i, from = 0, n, ends[RECORD_FORM];

	for (i = 0; i < f->count; i++) {
		n = f->begin[i] - from;
		if ((size_t)(end - at) < n || memcmp(at, form + from, n) != 0)
			return 0;
		d->value[i] = (size_t)(at + n - line);
		at = skip_number(at + n, end);
		if (at == NULL)
			return 0;
		ends[i] = (size_t)(at - line);
		d->name[i] = f->name[i];
		from = f->end[i];
	}
	n = f->length - from;
	if (i == 0 || (size_t)(end - at) != n ||
	    memcmp(at, form + from, n) != 0)
		return 0;
	record_keep(&d->texts, line, length);
	while (i-- > 0)
		d->texts.text[ends[i]] = '\0';
	d->count = f->count;
	d->has_form = 1;
	return 1;
}

static int
take(struct record_draft *draft, struct record_reader *r, const char *line,
    size_t length)
{
	struct cursor c = {
	    .line = line, .at = line, .end = line + length, .draft = draft};

	(void)r;
	if (take_form(draft, line, length))
		return 1;
	draft->form.count = 0;
	if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		c.at += 3;
	blanks(&c);
	if (c.at == c.end)
		return 1;
	if (!eat(&c, '{') || !members(&c, 0))
		return 0;
	blanks(&c);
	if (c.at < c.end)
		return 0;
	if (draft->count > 0)
		keep_form(draft, line, length);
	return 1;
}

int
record_read_json(struct record_reader *r, const char *bytes, size_t length,
    record_each *each, void *arg)
{
	static const struct record_lines how = {take, 0};

	return record_read_lines(r, &how, bytes, length, each, arg);
}
