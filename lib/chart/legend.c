#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

enum {
	GAP = 2,        /* blanks between columns */
	LEAST_NAME = 8, /* names are not cut below this unless necessary */
	GOOD_NAME = 24,
	LEAST_SPARK = 8, /* a shorter sparkline is hidden */
	GOOD_SPARK = 12,
	MOST_SPARK = 48,
	NAN_LINES = 3 /* most lines named */
};

struct column {
	const char *head;
	int right;
	int hidden;
	size_t width;
	struct strlist text; /* one for each line */
};

/* The columns: the name, the caller's columns, then BEST, AT and LAST. */
struct table {
	const struct chart *chart;
	size_t lead; /* columns for blanks and letter before the name */
	size_t count;
	struct column *column;
	size_t numbers; /* how many of BEST, AT and LAST are shown */
	size_t spark;   /* width of the sparkline, 0: none */
};

static struct column *
add_column(struct table *t, const char *head, int right)
{
	struct column *c = &t->column[t->count++];

	*c = (struct column){
	    .head = head, .right = right, .width = text_width(head)};
	return c;
}

/* Add the text of the next line. */
static void
add_text(struct column *c, const char *text)
{
	size_t width = text_width(text);

	strlist_push(&c->text, text);
	if (width > c->width)
		c->width = width;
}

static char *
value_text(const struct chart *chart, double value, int decimals, int digits,
    char out[CHART_NUMBER])
{
	return chart->number != NULL
	    ? chart->number(value, out)
	    : scale_fixed(value, decimals, digits, out);
}

/*
 * Add BEST, AT and LAST.  The number of decimals shows the smallest of the best
 * values with four digits.
 */
static void
number_columns(struct table *t)
{
	const struct chart *chart = t->chart;
	struct column *best = add_column(t, "BEST", 1);
	struct column *at = add_column(t, "AT", 1);
	struct column *last = add_column(t, "LAST", 1);
	double *value = xcalloc(chart->lines + 1, sizeof *value);
	const struct chart_line *l, *end = chart->line + chart->lines;
	char text[CHART_NUMBER];
	size_t count = 0;
	int decimals, digits;

	for (l = chart->line; l < end; l++)
		if (l->best != CHART_NO_POINT)
			value[count++] = l->y[l->best];
	decimals = scale_decimals(value, count, 4, 1e6);
	digits = decimals < 0 ? 4 : 3;
	free(value);
	for (l = chart->line; l < end; l++) {
		if (l->best == CHART_NO_POINT) {
			add_text(best, "-");
			add_text(at, "-");
		} else {
			add_text(best,
			    value_text(
				chart, l->y[l->best], decimals, digits, text));
			add_text(at, draw_x(chart, l->x[l->best], text));
		}
		add_text(last,
		    l->count == 0
			? "-"
			: value_text(chart, l->y[l->count - 1],
			      decimals - (decimals > 0), digits, text));
	}
}

static void
table_open(struct table *t, const struct chart *chart, int letters)
{
	struct column *c;
	size_t i, k;

	*t = (struct table){
	    .chart = chart, .lead = letters ? 3 : 0, .numbers = 3};
	t->column = xcalloc(chart->columns + 4, sizeof *t->column);
	c = add_column(t, chart->name_head, 0);
	for (i = 0; i < chart->lines; i++)
		add_text(c, chart->line[i].name);
	for (k = 0; k < chart->columns; k++) {
		c = add_column(
		    t, chart->column[k].name, chart->column[k].right);
		for (i = 0; i < chart->lines; i++)
			add_text(c, chart->line[i].cell[k]);
	}
	number_columns(t);
}

/* Return whether a column is shown. */
static int
shown(const struct table *t, size_t k)
{
	if (k <= t->chart->columns)
		return !t->column[k].hidden;
	return k - t->chart->columns <= t->numbers;
}

/* Return the width of the table without the sparkline, in columns. */
static size_t
taken(const struct table *t)
{
	size_t k, sum = t->lead;

	for (k = 0; k < t->count; k++)
		if (shown(t, k))
			sum += t->column[k].width + (k > 0 ? GAP : 0);
	return sum;
}

/* Cut the names by the missing columns, but not below least. */
static void
cut_names(struct table *t, size_t want, size_t least)
{
	struct column *name = &t->column[0];
	size_t lack = taken(t) + want;

	lack = lack > t->chart->width ? lack - t->chart->width : 0;
	if (name->width <= least || lack == 0)
		return;
	name->width = name->width - least > lack ? name->width - lack : least;
}

/*
 * Hide the caller's columns with a drop of at least least_drop until want
 * columns are free.
 */
static void
hide_columns(struct table *t, size_t want, int least_drop)
{
	const struct chart_column *column = t->chart->column;
	size_t i, next;
	int most;

	while (taken(t) + want > t->chart->width) {
		most = least_drop;
		next = 0;
		for (i = 1; i <= t->chart->columns; i++)
			if (!t->column[i].hidden &&
			    column[i - 1].drop >= most) {
				most = column[i - 1].drop;
				next = i;
			}
		if (next == 0)
			return;
		t->column[next].hidden = 1;
	}
}

/* Cut names and hide columns until the table and a sparkline fit. */
static void
fit_table(struct table *t)
{
	const size_t width = t->chart->width;
	size_t room;

	cut_names(t, GAP + GOOD_SPARK, GOOD_NAME);
	hide_columns(t, GAP + GOOD_SPARK, 1);
	cut_names(t, GAP + LEAST_SPARK, LEAST_NAME);
	room = taken(t) + GAP < width ? width - taken(t) - GAP : 0;
	t->spark = room < LEAST_SPARK ? 0
	    : room > MOST_SPARK       ? MOST_SPARK
				      : room;
	hide_columns(t, 0, 0);
	while (t->numbers > 1 && taken(t) > width)
		t->numbers--;
	cut_names(t, 0, 1);
}

/* Draw one row, or the head if line is not the number of a line. */
static void
table_row(const struct table *t, struct pen *p, size_t line)
{
	const struct column *c;
	const char *text;
	char lead[4] = "   ";
	size_t k;

	if (line < t->chart->lines)
		lead[1] = draw_letter(line);
	if (t->lead > 0)
		pen_text(p, (int)line, lead);
	for (k = 0; k < t->count; k++) {
		if (!shown(t, k))
			continue;
		c = &t->column[k];
		if (k > 0)
			pen_blanks(p, GAP);
		text = line < t->chart->lines ? c->text.word[line] : c->head;
		if (k == 0)
			text = draw_name(text, c->width);
		pen_cell(p, PEN_PLAIN, text, c->width, c->right);
	}
}

/* Draw the cells of a line; a part without points repeats the last cell. */
static void
spark_row(const struct drawing *d, size_t line, size_t width, struct pen *p,
    const struct chart_range *range)
{
	const struct chart_line *l = &d->chart->line[line];
	struct spark_cell *cells = xcalloc(width, sizeof *cells);
	double span = d->x.high - d->x.low;
	size_t i, at, last = 0;

	for (i = 0; i < l->count; i++) {
		at = span > 0
		    ? (size_t)((l->x[i] - d->x.low) / span * (double)width)
		    : 0;
		at = at < width ? at : width - 1;
		if (l->weight != NULL)
			spark_add(
			    &cells[at], l->y[i], l->weight[i], l->excess[i]);
		else
			spark_add(&cells[at], l->y[i], 1, 0);
		last = at > last ? at : last;
	}
	for (i = 1; i < last; i++)
		if (cells[i].count == 0)
			cells[i] = cells[i - 1];
	for (i = 0; i <= last; i++)
		pen_text(p, (int)line,
		    spark_glyph(&cells[i], d->chart->charset, range));
	free(cells);
}

/* Return the range of all sparklines, log if values differ much. */
static struct chart_range
spark_range(const struct drawing *d)
{
	const struct chart *c = d->chart;
	struct chart_range r = CHART_NO_RANGE;
	size_t i;

	for (i = 0; i < c->lines; i++)
		chart_range_add(&r, c->line[i].y, c->line[i].count);
	if (d->beyond.lines > 0 && c->worse > 0)
		r.high = fmin(r.high, d->all.high);
	if (d->beyond.lines > 0 && c->worse < 0)
		r.low = fmax(r.low, d->all.low);
	r.log = r.low > 0 && (c->log || r.high / r.low > DRAW_RATIO);
	return r;
}

void
draw_legend(struct drawing *d, int letters)
{
	const struct chart *chart = d->chart;
	struct chart_range range = spark_range(d);
	struct pen *p = &d->pen;
	size_t rows = chart->lines, i, room;
	char *head, *scale;
	struct table t;

	if (chart->most > 0 && chart->most < rows)
		rows = chart->most;
	table_open(&t, chart, letters);
	fit_table(&t);
	table_row(&t, p, chart->lines);
	if (t.spark > 0) {
		room = chart->width - taken(&t) - GAP;
		head = xstrdup(chart->y_name);
		for (i = 0; head[i] != '\0'; i++)
			head[i] = (char)ascii_upper((unsigned char)head[i]);
		scale = xasprintf(
		    "%s (shared %s scale)", head, range.log ? "log" : "linear");
		pen_blanks(p, GAP);
		pen_cut(p, PEN_PLAIN, text_width(scale) > room ? head : scale,
		    room);
		free(head);
		free(scale);
	}
	pen_end(p);
	for (i = 0; i < rows; i++) {
		table_row(&t, p, i);
		if (t.spark > 0 && chart->line[i].count > 0) {
			pen_blanks(p, GAP);
			spark_row(d, i, t.spark, p, &range);
		}
		pen_end(p);
	}
	if (rows < chart->lines)
		pen_row(p, chart->width, "%zu more, on a terminal of more rows",
		    chart->lines - rows);
	for (i = 0; i < t.count; i++)
		strlist_free(&t.column[i].text);
	free(t.column);
}

void
draw_legend_cells(const struct chart *asked, size_t width,
    void (*each)(void *arg, const struct draw_cell *), void *arg)
{
	struct chart chart = *asked;
	struct draw_cell cell = {0};
	struct table t;
	size_t rows = chart.lines, i, k;

	chart.width = width;
	if (chart.most > 0 && chart.most < rows)
		rows = chart.most;
	table_open(&t, &chart, 0);
	fit_table(&t);
	for (i = 0; i <= rows; i++) {
		cell.at = 0;
		cell.line = i > 0 ? i - 1 : chart.lines;
		for (k = 0; k < t.count; k++) {
			if (!shown(&t, k))
				continue;
			cell.column = k;
			cell.width = t.column[k].width;
			cell.right = t.column[k].right;
			cell.text = i > 0 ? t.column[k].text.word[i - 1]
					  : t.column[k].head;
			each(arg, &cell);
			cell.at += cell.width + GAP;
		}
	}
	for (k = 0; k < t.count; k++)
		strlist_free(&t.column[k].text);
	free(t.column);
}

void
draw_nan_lines(struct drawing *d, int letters)
{
	const struct chart *c = d->chart;
	size_t i, count = 0, indent = letters ? 3 : 0;
	char text[NUM_TEXT], letter[4];
	ptrdiff_t since;

	for (i = 0; i < c->lines; i++) {
		since = draw_nan_since(&c->line[i]);
		if (since == CHART_NO_POINT || count++ >= NAN_LINES)
			continue;
		snprintf(letter, sizeof letter, " %c ", draw_letter(i));
		if (letters)
			pen_text(&d->pen, (int)i, letter);
		pen_row(&d->pen, c->width - indent, "%s: %s since %s %s",
		    c->line[i].name, draw_no_number(&c->line[i], (size_t)since),
		    c->x_name, draw_x(c, c->line[i].x[since], text));
	}
	if (count > NAN_LINES) {
		pen_blanks(&d->pen, indent);
		pen_row(&d->pen, c->width - indent, "%zu more end in nan",
		    count - NAN_LINES);
	}
}
