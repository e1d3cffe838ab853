#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/canvas.h"

/*
 * The colours of Okabe and Ito, which most colour-blind people can distinguish,
 * as the nearest of xterm's 256 colours, and as similar ones of 16.
 */
static const char *const inks_256[] = {"38;5;178", "38;5;74", "38;5;35",
    "38;5;221", "38;5;25", "38;5;166", "38;5;175", "38;5;246"};
static const char *const inks_16[] = {
    "33", "36", "32", "93", "34", "31", "35", "90"};

enum { INKS = 8 };

static void
pen_switch(struct pen *p, int ink)
{
	if (p->colors == 0 || ink == p->ink)
		return;
	if (ink == PEN_PLAIN)
		fputs("\033[0m", p->out);
	else if (ink == PEN_DIM)
		fputs("\033[0;2m", p->out);
	else
		fprintf(p->out, p->ink == PEN_DIM ? "\033[0;%sm" : "\033[%sm",
		    (p->colors > 16 ? inks_256 : inks_16)[ink % INKS]);
	p->ink = ink;
}

void
pen_text(struct pen *p, int ink, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == ' ') {
			p->blanks++;
			continue;
		}
		fprintf(p->out, "%*s", (int)p->blanks, "");
		p->blanks = 0;
		pen_switch(p, ink);
		putc(*text, p->out);
	}
}

void
pen_cell(struct pen *p, int ink, const char *text, size_t width, int right)
{
	char *safe = NULL;
	size_t length;
	FILE *f = xmemopen(&safe, &length);

	if (width == 0)
		text_plain(f, text);
	else
		text_cell(f, text, width, right);
	xmemclose(f);
	pen_text(p, ink, safe);
	free(safe);
}

void
pen_cut(struct pen *p, int ink, const char *text, size_t room)
{
	size_t width = text_width(text);

	if (width > 0)
		pen_cell(p, ink, text, width < room ? width : room, 0);
}

void
pen_row(struct pen *p, size_t width, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	pen_cut(p, PEN_PLAIN, text, width);
	pen_end(p);
	free(text);
}

void
pen_blanks(struct pen *p, size_t count)
{
	p->blanks += count;
}

void
pen_patch(struct pen *p, int ground, const char *text, size_t width)
{
	/* From the blue of Okabe and Ito to white, each with a text colour. */
	static const char *const sgr[PEN_GROUNDS] = {"48;5;25;38;5;231",
	    "48;5;67;38;5;231", "48;5;110;38;5;16", "48;5;153;38;5;16",
	    "48;5;255;38;5;16"};

	pen_switch(p, PEN_PLAIN);
	fprintf(p->out, "%*s\033[%sm", (int)p->blanks, "", sgr[ground]);
	p->blanks = 0;
	text_cell(p->out, text, width, 1);
	fputs("\033[0m", p->out);
}

void
pen_end(struct pen *p)
{
	p->blanks = 0;
	pen_switch(p, PEN_PLAIN);
	putc('\n', p->out);
}

void
canvas_open(
    struct canvas *c, size_t columns, size_t rows, enum cli_charset charset)
{
	size_t cells = columns * rows;

	*c = (struct canvas){.columns = columns,
	    .rows = rows,
	    .charset = charset,
	    .dot_columns = columns * (charset == CLI_ASCII ? 1 : 2),
	    .dot_rows = rows *
		(charset == CLI_BRAILLE        ? 4
			: charset == CLI_BLOCK ? 2
					       : 1),
	    .glyph = 'o'};
	c->dots = xcalloc(cells, sizeof *c->dots);
	c->ink = xcalloc(cells, sizeof *c->ink);
	c->mark = xcalloc(cells, sizeof *c->mark);
	c->glyphs = xcalloc(cells, 1);
}

void
canvas_close(struct canvas *c)
{
	free(c->dots);
	free(c->ink);
	free(c->mark);
	free(c->glyphs);
}

void
canvas_dot(struct canvas *c, long x, long y, int ink)
{
	/* Braille numbers its dots down the columns, the lowest two last. */
	static const unsigned char braille[4][2] = {
	    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	size_t cell;

	if (x < 0 || y < 0 || x >= (long)c->dot_columns ||
	    y >= (long)c->dot_rows)
		return;
	cell = (size_t)y / (c->dot_rows / c->rows) * c->columns +
	    (size_t)x / (c->dot_columns / c->columns);
	if (c->charset == CLI_BRAILLE)
		c->dots[cell] |= braille[y % 4][x % 2];
	else if (c->charset == CLI_BLOCK)
		c->dots[cell] |= (unsigned char)(1 << (y % 2 * 2 + x % 2));
	else
		c->dots[cell] = 1;
	c->ink[cell] = (short)ink;
	c->glyphs[cell] = c->glyph;
}

void
canvas_mark(struct canvas *c, long column, long row, const char *mark, int ink)
{
	size_t cell;

	if (column < 0 || row < 0 || column >= (long)c->columns ||
	    row >= (long)c->rows)
		return;
	cell = (size_t)row * c->columns + (size_t)column;
	c->mark[cell] = mark;
	c->ink[cell] = (short)ink;
}

void
canvas_row(const struct canvas *c, size_t row, struct pen *p)
{
	static const char *const quadrants[] = {" ", "▘", "▝", "▀", "▖", "▌",
	    "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"};
	size_t cell = row * c->columns, end = cell + c->columns;
	unsigned char bits;
	const char *text;
	char glyph[4];

	for (; cell < end; cell++) {
		bits = c->dots[cell];
		text = glyph;
		if (c->mark[cell] != NULL)
			text = c->mark[cell];
		else if (bits == 0)
			text = " ";
		else if (c->charset == CLI_BLOCK)
			text = quadrants[bits];
		else if (c->charset == CLI_BRAILLE)
			/* The UTF-8 of U+2800 + bits. */
			snprintf(glyph, sizeof glyph, "\xe2%c%c",
			    0xa0 | bits >> 6, 0x80 | (bits & 0x3f));
		else
			snprintf(glyph, sizeof glyph, "%c", c->glyphs[cell]);
		pen_text(p, c->ink[cell], text);
	}
}
