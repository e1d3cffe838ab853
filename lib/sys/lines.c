#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "sys/lines.h"

enum { SPARE = 64 }; /* bytes for the remark on missing bytes */

/* The position of a byte in an escape sequence (ECMA-48). */
enum { PLAIN, ESCAPE, CONTROL, STRING, STRING_ESCAPE };

/* Maximum number of progress bars below each other. */
enum { ROWS = 64 };

void
lines_free(struct lines *l)
{
	size_t i;

	for (i = 0; i < l->rows; i++)
		free(l->row[i].text);
	free(l->row);
	memset(l, 0, sizeof *l);
}

static void
clear(struct lines_row *r)
{
	r->used = r->blanks = 0;
	r->lost = 0;
	r->returned = 0;
}

static void
add(struct lines_row *r, const char *bytes, size_t length)
{
	size_t most = r->lost > 0 ? 0 : LINES_LONGEST - r->used;

	if (length > most) {
		r->lost += length - most;
		length = most;
	}
	if (length == 0)
		return;
	if (r->used + length > r->room) {
		r->room = 2 * (r->used + length);
		if (r->room > LINES_LONGEST)
			r->room = LINES_LONGEST;
		r->text = xrealloc(r->text, r->room + SPARE);
	}
	memcpy(r->text + r->used, bytes, length);
	r->used += length;
}

/*
 * Write visible bytes; after a carriage return, the first byte that is not
 * blank clears the line.
 */
static void
write_over(struct lines_row *r, const char *bytes, size_t length)
{
	size_t blanks;

	while (r->returned && length > 0 && (*bytes == ' ' || *bytes == '\t')) {
		r->blanks++;
		bytes++;
		length--;
	}
	if (length == 0)
		return;
	if (r->returned) {
		blanks = r->blanks;
		clear(r);
		r->rewritten = 1;
		while (blanks-- > 0 && r->used < LINES_LONGEST)
			add(r, " ", 1);
	}
	add(r, bytes, length);
}

/* ---- rows ---- */

static struct lines_row *
here(struct lines *l)
{
	return &l->row[l->at];
}

static void
add_row(struct lines *l)
{
	l->row = xrealloc(l->row, (l->rows + 1) * sizeof *l->row);
	l->row[l->rows++] = (struct lines_row){0};
}

static void
erase(struct lines_row *r)
{
	r->rewritten |= r->used > 0;
	clear(r);
}

/* Move the cursor up.  Erase the row that it leaves if it is blank by now. */
static void
go_up(struct lines *l, size_t by)
{
	if (by > l->at)
		by = l->at;
	if (by == 0)
		return;
	if (here(l)->returned && here(l)->blanks > 0)
		erase(here(l));
	l->at -= by;
	if (by > l->up)
		l->up = by;
	l->ends = 0;
	l->moved = 1;
	here(l)->returned = 1;
}

/* Move the cursor down.  Returns 0 if there is no row below. */
static int
go_down(struct lines *l)
{
	if (l->at + 1 >= l->rows)
		return 0;
	l->at++;
	l->moved = 1;
	here(l)->returned = 1;
	return 1;
}

static void
control_character(struct lines *l, char c)
{
	struct lines_row *r = here(l);

	switch (c) {
	case '\r':
		r->returned = 1;
		r->blanks = 0;
		break;
	case '\b': /* remove the last character */
		if (r->returned)
			break;
		if (r->lost > 0) {
			r->lost--;
			break;
		}
		while (r->used > 0 && (r->text[--r->used] & 0xc0) == 0x80)
			continue;
		break;
	case '\033':
		l->escape = ESCAPE;
		break;
	case '\0':
	case '\a':
		break;
	default:
		write_over(r, &c, 1);
	}
}

/* Execute a complete escape sequence. */
static void
obey(struct lines *l, char last)
{
	size_t by = l->number > 0 ? (size_t)l->number : 1;

	l->escape = PLAIN;
	if (last == 'K' && (l->number == 2 || here(l)->returned))
		erase(here(l));
	else if (last == 'G' && l->number <= 1)
		control_character(l, '\r');
	else if (last == 'A' || last == 'F')
		go_up(l, by);
	else if (last == 'B' || last == 'E')
		while (by-- > 0 && go_down(l))
			continue;
}

/*
 * Take a byte of a control string; its text is removed at its end.  Returns 1
 * if the byte does not belong to the string.
 */
static int
string(struct lines *l, char c)
{
	int ends = c == '\a' || (l->escape == STRING_ESCAPE && c == '\\');
	struct lines_row *r = here(l);

	if (ends || c == '\r')
		l->escape = PLAIN;
	else
		l->escape = c == '\033' ? STRING_ESCAPE : STRING;
	if (ends) {
		if (r->used > l->kept)
			r->used = l->kept;
		r->lost = l->kept_lost;
	} else if (c != '\r' && c != '\0') {
		add(r, &c, 1);
	}
	return c == '\r';
}

/* Take a byte after ESC.  Returns 1 if it does not belong to the sequence. */
static int
escape(struct lines *l, unsigned char c)
{
	int strange = c < ' ' || c > '~';

	switch (l->escape) {
	case ESCAPE:
		l->number = 0;
		if (c == '[') {
			l->escape = CONTROL;
		} else if (c != '\0' && strchr("]PX^_", c) != NULL) {
			l->escape = STRING;
			l->kept = here(l)->used;
			l->kept_lost = here(l)->lost;
			/*
			 * Keep these bytes: they are shown if the string has no
			 * end.
			 */
			add(here(l), (char[]){'\033', (char)c}, 2);
		} else if (c < ' ' || c > '/') { /* the last byte */
			l->escape = PLAIN;
		}
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

/* Drop an incomplete character at the end of a line that was cut. */
static void
cut(struct lines_row *r)
{
	size_t i;
	uint32_t c;

	for (i = 1; i < 4 && i < r->used; i++)
		if ((r->text[r->used - i] & 0xc0) == 0xc0)
			break;
	if (i == 4 || text_utf8(r->text + r->used - i, i, &c) != 0)
		return;
	r->used -= i;
	r->lost += i;
}

/* Return the text of a row, with a NUL and a remark about missing bytes. */
static const char *
finish(struct lines_row *r)
{
	if (r->text == NULL)
		return "";
	r->text[r->used] = '\0';
	if (r->lost > 0) {
		cut(r);
		snprintf(r->text + r->used, SPARE,
		    " [... %" PRIu64 " more bytes]", r->lost);
	}
	return r->text;
}

/* Pass the first count rows to take, and remove them. */
static void
give(struct lines *l, size_t count, lines_take *take, void *arg)
{
	struct lines_row *r;
	size_t i;

	for (i = 0; i < count; i++) {
		r = &l->row[i];
		while (
		    r->rewritten && r->used > 0 && r->text[r->used - 1] == ' ')
			r->used--;
		take(arg, finish(r));
		free(r->text);
	}
	l->rows -= count;
	l->at -= count;
	if (l->rows > 0)
		memmove(l->row, l->row + count, l->rows * sizeof *l->row);
}

/* End a row, unless the cursor only moves down through existing rows. */
static void
end_row(struct lines *l, lines_take *take, void *arg)
{
	size_t held; /* rows above the cursor to which it may still return */

	l->escape = PLAIN;
	here(l)->begun = 1;
	if (go_down(l))
		return;
	l->ends += !l->moved;
	add_row(l);
	l->at++;
	if (l->up > 0 && l->ends <= l->up) {
		held = l->ends == 0 ? ROWS : l->up;
	} else {
		l->up = 0;
		held = l->at > 0 && l->row[l->at - 1].rewritten;
	}
	if (held < l->at)
		give(l, l->at - held, take, arg);
	l->moved = l->up > 0;
}

void
lines_feed(struct lines *l, const char *bytes, size_t length, lines_take *take,
    void *arg)
{
	size_t i = 0, n;

	if (l->rows == 0 && length > 0)
		add_row(l);
	while (i < length) {
		if (bytes[i] == '\n') {
			end_row(l, take, arg);
			i++;
			continue;
		}
		here(l)->begun = 1;
		if (l->escape != PLAIN && !escape(l, (unsigned char)bytes[i])) {
			i++;
			continue;
		}
		for (n = 0;
		     i + n < length && (unsigned char)bytes[i + n] >= ' ';)
			n++;
		if (n > 0)
			write_over(here(l), bytes + i, n);
		else
			control_character(l, bytes[i++]);
		l->moved &= n == 0;
		i += n;
	}
}

void
lines_rest(struct lines *l, lines_take *take, void *arg)
{
	give(l, l->at, take, arg);
}

/* Leave out erased rows at the bottom. */
void
lines_end(struct lines *l, lines_take *take, void *arg)
{
	size_t count = l->rows;

	while (count > 1 && l->row[count - 1].used == 0)
		count--;
	if (count == 1 && !l->row[0].begun)
		count = 0;
	l->at = l->rows;
	give(l, count, take, arg);
	lines_free(l);
}

const char *
lines_unfinished(struct lines *l)
{
	return l->rows > 0 ? finish(here(l)) : "";
}
