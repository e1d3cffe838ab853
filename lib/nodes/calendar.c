#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hostlist.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/calendar.h"

/* NAMES: the longest label.  LEAST: the minimum of columns for hours. */
enum { NAMES = 20, LEAST = 12, HOUR = 3600, DAY = 24 * HOUR };

/* ---- characters of the cells ---- */

static const struct sign {
	char letter; /* the value of a cell; shown in ASCII */
	const char *glyph;
	int color;
	const char *meaning;
} signs[] = {
    {'M', "\u2588", 32, "mine"},
    {'m', "\u2584", 32, "mine, expected"},
    {'V', "\u2580", 32, "reserved for me"},
    {'#', "\u2593", 33, "in use"},
    {'o', "\u2591", 0, "in part"},
    {'R', "\u259a", 34, "reserved"},
    {'x', "\u00d7", 31, "down"},
    {'.', "\u00b7", 0, "free"},
};

enum { SIGNS = sizeof signs / sizeof *signs };

static void
put_sign(FILE *out, const struct sign *s, const struct calendar_style *look)
{
	if (look->charset == CLI_ASCII)
		putc(s->letter, out);
	else
		fputs(s->glyph, out);
}

/* Write cells.  Switch the colour only between cells of different colours. */
static void
put_cells(FILE *out, const char *cells, size_t columns,
    const struct calendar_style *look)
{
	const struct sign *s;
	int color = 0;

	for (; *cells != '\0' && columns > 0; cells++, columns--) {
		for (s = signs; s->letter != *cells;)
			s++;
		if (look->colors && s->color != color) {
			color = s->color;
			fprintf(out, color ? "\033[%dm" : "\033[0m", color);
		}
		put_sign(out, s, look);
	}
	fputs(color ? "\033[0m\n" : "\n", out);
}

/* ---- hours ---- */

struct grid {
	int64_t start, step; /* seconds */
	size_t columns;
	int days; /* the number of days that fit */
};

/* Return the last midnight before a time, in local time. */
static int64_t
midnight(int64_t at)
{
	time_t when = (time_t)at;
	struct tm tm;

	localtime_r(&when, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm);
}

/* Return the finest grid that fits into room columns. */
static struct grid
make_grid(const struct calendar_style *look, size_t room)
{
	static const int hours[] = {1, 2, 3, 4, 6, 8, 12, 24};
	int64_t day = midnight(look->now), span = (int64_t)look->days * DAY;
	struct grid g = {.days = look->days};
	size_t i;

	for (i = 0; i < sizeof hours / sizeof *hours; i++) {
		g.step = hours[i] * HOUR;
		g.start = day + (look->now - day) / g.step * g.step;
		g.columns = (size_t)((look->now + span - g.start + g.step - 1) /
		    g.step);
		if (g.columns <= room)
			return g;
	}
	g.columns = room;
	g.days = (int)room;
	return g;
}

/* ---- cells ---- */

/* The used parts of a cell, by use. */
struct used {
	double by[CALENDAR_RESERVED + 1][2]; /* by others and by this user */
};

static char
letter_of(const struct used *u)
{
	double others =
	    u->by[CALENDAR_RUNNING][0] + u->by[CALENDAR_EXPECTED][0];

	if (u->by[CALENDAR_DOWN][0] > 0)
		return 'x';
	if (u->by[CALENDAR_RUNNING][1] > 0)
		return 'M';
	if (u->by[CALENDAR_EXPECTED][1] > 0)
		return 'm';
	if (u->by[CALENDAR_RESERVED][1] > 0)
		return 'V';
	if (u->by[CALENDAR_RESERVED][0] > 0)
		return 'R';
	if (others > 0.999)
		return '#';
	return others > 0 ? 'o' : '.';
}

/* Return the letters of a row; to free. */
static char *
make_cells(const struct calendar_row *r, const struct grid *g, int64_t now)
{
	char *cells = xcalloc(g->columns + 1, 1);
	const struct calendar_span *s;
	int64_t from, to, a, b;
	size_t i, k;

	for (i = 0; i < g->columns; i++) {
		struct used used = {{{0}}};

		from = g->start + (int64_t)i * g->step;
		to = from + g->step;
		from = from > now ? from : now;
		for (k = 0; k < r->spans; k++) {
			s = &r->span[k];
			a = s->from > from ? s->from : from;
			b = s->to < to ? s->to : to;
			if (a < b && r->capacity > 0)
				used.by[s->use][s->mine != 0] +=
				    (double)(b - a) / (double)(to - from) *
				    s->amount / r->capacity;
		}
		cells[i] = letter_of(&used);
	}
	return cells;
}

/* ---- equal rows ---- */

/* Nodes whose rows look the same; equal rows of a node share a line. */
struct block {
	struct strlist nodes;
	/* For each line: "2 GPUs", and its letters. */
	struct strlist unit, cells;
};

struct blocks {
	struct block *block;
	size_t count;
};

/* Return a block with the rows of one node. */
static struct block
block_of(const struct calendar_row *row, size_t count, const struct grid *g,
    int64_t now)
{
	size_t *times = xcalloc(count, sizeof *times), i, k;
	struct block b = {.nodes = {0}};
	char *cells;

	for (i = 0; i < count; i++) {
		cells = make_cells(&row[i], g, now);
		for (k = 0; k < b.cells.count; k++)
			if (strcmp(b.cells.word[k], cells) == 0)
				break;
		times[k]++;
		if (k == b.cells.count)
			strlist_take(&b.cells, cells);
		else
			free(cells);
	}
	for (k = 0; k < b.cells.count; k++)
		strlist_take(&b.unit,
		    row->unit == NULL
			? xstrdup("")
			: xasprintf("%zu %s", times[k],
			      times[k] == 1 ? row->unit : row->units));
	free(times);
	return b;
}

static void
free_block(struct block *b)
{
	strlist_free(&b->nodes);
	strlist_free(&b->unit);
	strlist_free(&b->cells);
}

static void
make_blocks(struct blocks *all, const struct calendar_row *row, size_t count,
    const struct grid *g, int64_t now)
{
	struct block b, *same;
	size_t i, k, end;

	for (i = 0; i < count; i = end) {
		end = i + 1;
		while (end < count && strcmp(row[end].node, row[i].node) == 0)
			end++;
		b = block_of(row + i, end - i, g, now);
		for (k = 0; k < all->count; k++) {
			same = &all->block[k];
			if (strlist_same(&same->unit, &b.unit) &&
			    strlist_same(&same->cells, &b.cells))
				break;
		}
		if (k == all->count) {
			all->block =
			    xgrow(all->block, all->count, sizeof *all->block);
			all->block[all->count++] = b;
		} else {
			free_block(&b);
		}
		strlist_push(&all->block[k].nodes, row[i].node);
	}
}

/* ---- writing ---- */

/* Return the names of a block, cut if they are many; to free. */
static char *
names_of(const struct block *b)
{
	char *list = hostlist_fold(&b->nodes), *text;
	size_t n = NAMES - 4;

	if (strlen(list) <= NAMES)
		return list;
	while (n > 0 && list[n] != ',')
		n--;
	text = n == 0 ? xasprintf("%.*s...", NAMES - 3, list)
		      : xasprintf("%.*s,...", (int)n, list);
	free(list);
	return text;
}

/* The widths of the labels. */
struct labels {
	size_t names, units;
	size_t all; /* columns before the hours */
};

static struct labels
measure(const struct blocks *all)
{
	struct labels w = {0, 0, 0};
	const struct block *b;
	char *text;
	size_t k;

	for (b = all->block; b < all->block + all->count; b++) {
		text = names_of(b);
		if (text_width(text) > w.names)
			w.names = text_width(text);
		free(text);
		for (k = 0; k < b->unit.count; k++)
			if (strlen(b->unit.word[k]) > w.units)
				w.units = strlen(b->unit.word[k]);
	}
	w.all = w.names + 1 + (w.units > 0 ? w.units + 1 : 0);
	return w;
}

static void
put_block(FILE *out, const struct block *b, const struct labels *w,
    size_t columns, const struct calendar_style *look)
{
	char *names = names_of(b);
	size_t i;

	for (i = 0; i < b->cells.count; i++) {
		text_cell(out, i == 0 ? names : "", w->names, 0);
		putc(' ', out);
		if (w->units > 0)
			fprintf(out, "%-*s ", (int)w->units, b->unit.word[i]);
		put_cells(out, b->cells.word[i], columns, look);
	}
	free(names);
}

/* Put a text into a row of blanks if it does not touch another text. */
static void
place(char *row, size_t columns, size_t at, const char *text)
{
	size_t length = strlen(text);

	if (at + length > columns || (at > 0 && row[at - 1] != ' ') ||
	    row[at] != ' ')
		return;
	memcpy(row + at, text, length);
}

static void
put_head(FILE *out, char *row, size_t label)
{
	size_t end = strlen(row);

	while (end > 0 && row[end - 1] == ' ')
		row[--end] = '\0';
	if (end > 0)
		fprintf(out, "%*s%s\n", (int)label, "", row);
	free(row);
}

static char *
blank_row(size_t columns)
{
	char *row = xcalloc(columns + 1, 1);

	memset(row, ' ', columns);
	return row;
}

static void
put_days(FILE *out, const struct grid *g, size_t label)
{
	char *row = blank_row(g->columns), name[16];
	size_t i, end, room;
	int64_t at;
	time_t when;
	struct tm tm;

	for (i = 0; i < g->columns; i = end) {
		at = g->start + (int64_t)i * g->step;
		for (end = i + 1; end < g->columns &&
		     midnight(g->start + (int64_t)end * g->step) ==
			 midnight(at);)
			end++;
		room = end - i;
		when = (time_t)at;
		localtime_r(&when, &tm);
		strftime(name, sizeof name,
		    room > 6       ? "%a %d"
			: room > 3 ? "%a"
				   : "%d",
		    &tm);
		place(row, g->columns, i, room > 2 ? name : "");
	}
	put_head(out, row, label);
}

static void
put_hours(FILE *out, const struct grid *g, size_t label)
{
	static const int every[] = {1, 2, 3, 6, 12};
	char *row = blank_row(g->columns), text[16];
	int hour = 24;
	time_t when;
	struct tm tm;
	size_t i;

	for (i = sizeof every / sizeof *every; i-- > 0;)
		if (every[i] * (int64_t)HOUR >= 3 * g->step)
			hour = every[i];
	for (i = 0; hour < 24 && i < g->columns; i++) {
		when = (time_t)(g->start + (int64_t)i * g->step);
		localtime_r(&when, &tm);
		snprintf(text, sizeof text, "%d", tm.tm_hour);
		if (tm.tm_hour % hour == 0)
			place(row, g->columns, i, text);
	}
	put_head(out, row, label);
}

static int
has_sign(const struct blocks *all, char letter)
{
	size_t i, k;

	for (i = 0; i < all->count; i++)
		for (k = 0; k < all->block[i].cells.count; k++)
			if (strchr(all->block[i].cells.word[k], letter))
				return 1;
	return 0;
}

static void
put_legend(
    FILE *out, const struct blocks *all, const struct calendar_style *look)
{
	enum { BETWEEN = 3 };
	size_t i, used = 0, width;

	for (i = 0; i < SIGNS; i++) {
		if (!has_sign(all, signs[i].letter))
			continue;
		width = 2 + strlen(signs[i].meaning);
		if (used > 0 && used + BETWEEN + width > look->width) {
			putc('\n', out);
			used = 0;
		}
		fprintf(out, "%*s", used > 0 ? BETWEEN : 0, "");
		used += width + (used > 0 ? BETWEEN : 0);
		put_sign(out, &signs[i], look);
		fprintf(out, " %s", signs[i].meaning);
	}
	fputs(used > 0 ? "\n" : "", out);
}

static void
free_blocks(struct blocks *all)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		free_block(&all->block[i]);
	free(all->block);
	*all = (struct blocks){NULL, 0};
}

static size_t
room_for(size_t width, size_t label)
{
	return width > label + LEAST ? width - label : LEAST;
}

/*
 * Fit the calendar into the width.  The width of the labels depends on which
 * rows are equal, and that depends on the number of hours, which depends on the
 * width that the labels leave: so compute both twice.
 */
static struct labels
fit(struct blocks *all, const struct calendar_row *row, size_t count,
    const struct calendar_style *look, struct grid *g)
{
	struct labels w;
	size_t label = NAMES;
	int i;

	for (i = 0; i < 2; i++) {
		free_blocks(all);
		*g = make_grid(look, room_for(look->width, label));
		make_blocks(all, row, count, g, look->now);
		w = measure(all);
		label = w.all;
	}
	if (g->columns > room_for(look->width, label)) {
		g->columns = room_for(look->width, label);
		g->days = (int)((int64_t)g->columns * g->step / DAY);
	}
	return w;
}

void
calendar_draw(FILE *out, const struct calendar_row *row, size_t count,
    const struct calendar_style *look)
{
	struct blocks all = {NULL, 0};
	struct grid g;
	struct labels w = fit(&all, row, count, look, &g);
	size_t i;

	put_days(out, &g, w.all);
	put_hours(out, &g, w.all);
	for (i = 0; i < all.count; i++)
		put_block(out, &all.block[i], &w, g.columns, look);
	put_legend(out, &all, look);
	if (g.days < look->days)
		fprintf(out, "%d of %d days fit\n", g.days, look->days);
	free_blocks(&all);
}
