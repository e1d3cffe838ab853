#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "text.h"
#include "xalloc.h"

enum { SPARE = 64 }; /* bytes for the word on what is left out */

/* Where in an escape sequence a byte stands (ECMA-48). */
enum { PLAIN, ESCAPE, CONTROL, STRING, STRING_ESCAPE };

void
lines_free(struct lines *l)
{
	free(l->text);
	memset(l, 0, sizeof *l);
}

static void
clear(struct lines *l)
{
	l->used = 0;
	l->lost = 0;
	l->blanks = 0;
	l->returned = 0;
}

static void
make_room(struct lines *l, size_t length)
{
	if (l->used + length <= l->room)
		return;
	l->room = 2 * (l->used + length);
	if (l->room > LINES_LONGEST)
		l->room = LINES_LONGEST;
	l->text = xrealloc(l->text, l->room + SPARE);
}

static void
add(struct lines *l, const char *bytes, size_t length)
{
	size_t most = l->lost > 0 ? 0 : LINES_LONGEST - l->used;

	if (length > most) {
		l->lost += length - most;
		length = most;
	}
	if (length == 0)
		return;
	make_room(l, length);
	memcpy(l->text + l->used, bytes, length);
	l->used += length;
}

/* Bytes that are shown, the first of which may begin the line anew. */
static void
write_over(struct lines *l, const char *bytes, size_t length)
{
	size_t blanks;

	while (l->returned && length > 0 && (*bytes == ' ' || *bytes == '\t')) {
		l->blanks++;
		bytes++;
		length--;
	}
	if (length == 0)
		return;
	if (l->returned) {
		blanks = l->blanks;
		clear(l);
		l->rewritten = 1;
		while (blanks-- > 0 && l->used < LINES_LONGEST)
			add(l, " ", 1);
	}
	add(l, bytes, length);
}

/* Take the last character back. */
static void
take_back(struct lines *l)
{
	if (l->returned)
		return;
	if (l->lost > 0) {
		l->lost--;
		return;
	}
	while (l->used > 0 && (l->text[--l->used] & 0xc0) == 0x80)
		continue;
}

static void
control_character(struct lines *l, char c)
{
	switch (c) {
	case '\r':
		l->returned = 1;
		l->blanks = 0;
		break;
	case '\b':
		take_back(l);
		break;
	case '\033':
		l->escape = ESCAPE;
		break;
	case '\0':
	case '\a':
		break;
	default:
		write_over(l, &c, 1);
	}
}

/* What a whole sequence did to the line. */
static void
obey(struct lines *l, char last)
{
	l->escape = PLAIN;
	if (last == 'K' && l->number == 2)
		clear(l);
	else if (last == 'G' && l->number <= 1)
		control_character(l, '\r');
}

/* What is none if it has no end: then the user wants to see it. */
static void
begin_string(struct lines *l, char c)
{
	const char text[] = {'\033', c};

	l->escape = STRING;
	l->kept = l->used;
	l->kept_lost = l->lost;
	add(l, text, sizeof text);
}

static int
string(struct lines *l, char c)
{
	int ends = c == '\a' || (l->escape == STRING_ESCAPE && c == '\\');

	if (ends || c == '\r')
		l->escape = PLAIN;
	else
		l->escape = c == '\033' ? STRING_ESCAPE : STRING;
	if (ends) {
		if (l->used > l->kept)
			l->used = l->kept;
		l->lost = l->kept_lost;
	} else if (c != '\r' && c != '\0') {
		add(l, &c, 1);
	}
	return c == '\r';
}

static void
begin_escape(struct lines *l, unsigned char c)
{
	l->number = 0;
	if (c == '[')
		l->escape = CONTROL;
	else if (c != '\0' && strchr("]PX^_", c) != NULL)
		begin_string(l, (char)c);
	else if (c < ' ' || c > '/') /* else more of it follows */
		l->escape = PLAIN;
}

/* A byte within a sequence; returns whether it is none of it. */
static int
escape(struct lines *l, unsigned char c)
{
	int strange = c < ' ' || c > '~';

	switch (l->escape) {
	case ESCAPE:
		begin_escape(l, c);
		return strange;
	case CONTROL:
		if (c >= '0' && c <= '9' && l->number < 1000)
			l->number = 10 * l->number + (c - '0');
		else if (strange)
			l->escape = PLAIN;
		else if (c >= '@')
			obey(l, (char)c);
		return strange;
	default:
		return string(l, (char)c);
	}
}

/* Leave out half a character at the end of a line that was cut. */
static void
cut(struct lines *l)
{
	size_t i;
	uint32_t c;

	for (i = 1; i < 4 && i < l->used; i++)
		if ((l->text[l->used - i] & 0xc0) == 0xc0)
			break;
	if (i == 4 || text_utf8(l->text + l->used - i, i, &c) != 0)
		return;
	l->used -= i;
	l->lost += i;
}

/* End the text with a NUL, and say what is not there. */
static const char *
finish(struct lines *l)
{
	if (l->text == NULL)
		return "";
	l->text[l->used] = '\0';
	if (l->lost > 0) {
		cut(l);
		snprintf(l->text + l->used, SPARE,
		    " [... %" PRIu64 " more bytes]", l->lost);
	}
	return l->text;
}

static void
give(struct lines *l, lines_take *take, void *arg)
{
	while (l->rewritten && l->used > 0 && l->text[l->used - 1] == ' ')
		l->used--;
	take(arg, finish(l));
	clear(l);
	l->begun = l->rewritten = 0;
	l->escape = PLAIN;
}

/* How many bytes can be taken at once. */
static size_t
plain_bytes(const char *bytes, size_t length)
{
	size_t i = 0;

	while (i < length && (unsigned char)bytes[i] >= ' ')
		i++;
	return i;
}

void
lines_feed(struct lines *l, const char *bytes, size_t length, lines_take *take,
    void *arg)
{
	size_t i = 0, n;

	while (i < length) {
		if (bytes[i] == '\n') {
			give(l, take, arg);
			i++;
			continue;
		}
		l->begun = 1;
		if (l->escape != PLAIN && !escape(l, (unsigned char)bytes[i])) {
			i++;
			continue;
		}
		n = plain_bytes(bytes + i, length - i);
		if (n > 0)
			write_over(l, bytes + i, n);
		else
			control_character(l, bytes[i++]);
		i += n;
	}
}

void
lines_end(struct lines *l, lines_take *take, void *arg)
{
	if (l->begun)
		give(l, take, arg);
}

const char *
lines_unfinished(struct lines *l)
{
	return finish(l);
}
