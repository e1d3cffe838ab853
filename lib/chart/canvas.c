#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/canvas.h"

/*
 * The colours of Okabe and Ito, which most colour-blind people can tell apart,
 * as the nearest of the 256 of xterm; and something near them among 16.
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
	else
		fprintf(p->out, "\033[%sm",
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
pen_blanks(struct pen *p, size_t count)
{
	p->blanks += count;
}

void
pen_patch(struct pen *p, int ground, const char *text, size_t width)
{
	/* From the blue of Okabe and Ito to white, and ink to read on it. */
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

	memset(c, 0, sizeof *c);
	c->columns = columns;
	c->rows = rows;
	c->charset = charset;
	c->dot_columns = columns * (charset == CLI_ASCII ? 1 : 2);
	c->dot_rows = rows *
	    (charset == CLI_BRAILLE        ? 4
		    : charset == CLI_BLOCK ? 2
					   : 1);
	c->dots = xcalloc(cells, sizeof *c->dots);
	c->ink = xcalloc(cells, sizeof *c->ink);
	c->mark = xcalloc(cells, sizeof *c->mark);
	c->glyphs = xcalloc(cells, 1);
	c->glyph = 'o';
}

void
canvas_close(struct canvas *c)
{
	free(c->dots);
	free(c->ink);
	free(c->mark);
	free(c->glyphs);
}

static unsigned char
dot_bit(enum cli_charset charset, long x, long y)
{
	/* Braille counts its dots down the columns, the lowest two last. */
	static const unsigned char braille[4][2] = {
	    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

	if (charset == CLI_BRAILLE)
		return braille[y % 4][x % 2];
	return charset == CLI_BLOCK ? (unsigned char)(1 << (y % 2 * 2 + x % 2))
				    : 1;
}

void
canvas_dot(struct canvas *c, long x, long y, int ink)
{
	size_t cell;

	if (x < 0 || y < 0 || x >= (long)c->dot_columns ||
	    y >= (long)c->dot_rows)
		return;
	cell = (size_t)y / (c->dot_rows / c->rows) * c->columns +
	    (size_t)x / (c->dot_columns / c->columns);
	c->dots[cell] |= dot_bit(c->charset, x, y);
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

/* The UTF-8 of braille pattern number bits, U+2800 on. */
static const char *
braille_glyph(unsigned char bits, char out[4])
{
	out[0] = '\xe2';
	out[1] = (char)(0xa0 | bits >> 6);
	out[2] = (char)(0x80 | (bits & 0x3f));
	out[3] = '\0';
	return out;
}

static const char *
cell_glyph(const struct canvas *c, size_t cell, char out[4])
{
	static const char *const quadrants[] = {" ", "▘", "▝", "▀", "▖", "▌",
	    "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"};

	if (c->mark[cell] != NULL)
		return c->mark[cell];
	if (c->dots[cell] == 0)
		return " ";
	if (c->charset == CLI_BRAILLE)
		return braille_glyph(c->dots[cell], out);
	if (c->charset == CLI_BLOCK)
		return quadrants[c->dots[cell]];
	out[0] = c->glyphs[cell];
	out[1] = '\0';
	return out;
}

void
canvas_row(const struct canvas *c, size_t row, struct pen *p)
{
	size_t i, cell;
	char glyph[4];

	for (i = 0; i < c->columns; i++) {
		cell = row * c->columns + i;
		pen_text(p, c->ink[cell], cell_glyph(c, cell, glyph));
	}
}
