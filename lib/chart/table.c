#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"
#include "chart/spark.h"

enum {
	GAP = 2,        /* blanks between columns */
	LEAST_NAME = 8, /* a name is not cut below this, if at all possible */
	GOOD_NAME = 24,
	LEAST_SPARK = 8, /* a shorter sparkline is left out */
	GOOD_SPARK = 12,
	MOST_SPARK = 48,
	NAN_LINES = 3 /* as many are named */
};

struct column {
	const char *head;
	int right;
	int hidden;
	size_t width;
	char **text; /* for each line */
};

/* The columns: the name, those of the caller, then BEST, AT and LAST. */
struct table {
	const struct chart *chart;
	size_t lead; /* blanks and letter before the name */
	size_t count;
	struct column *column;
	size_t numbers; /* of BEST, AT and LAST, how many are shown */
	size_t spark;   /* its width, 0: none */
};

static struct column *
add_column(struct table *t, const char *head, int right)
{
	struct column *c = &t->column[t->count++];

	c->head = head;
	c->right = right;
	c->width = text_width(head);
	c->text = xcalloc(t->chart->lines, sizeof *c->text);
	return c;
}

static void
set_text(struct column *c, size_t line, const char *text)
{
	size_t width = text_width(text);

	c->text[line] = xstrdup(text);
	if (width > c->width)
		c->width = width;
}

/*
 * As many decimals as give the smallest of the best values four digits, or -1
 * where fixed decimals would not do.
 */
static int
common_decimals(const struct chart *c)
{
	double least = INFINITY, most = 0, size;
	size_t i;

	for (i = 0; i < c->lines; i++) {
		if (c->line[i].best == CHART_NO_POINT)
			continue;
		size = fabs(c->line[i].y[c->line[i].best]);
		if (size > 0)
			least = fmin(least, size);
		most = fmax(most, size);
	}
	if (!isfinite(least) || least < 1e-4 || most >= 1e6)
		return -1;
	return (int)fmin(fmax(3 - floor(log10(least)), 0), 6);
}

static void
set_value(struct column *c, size_t line, double value, int decimals)
{
	char text[CHART_NUMBER];

	if (decimals < 0 || !isfinite(value) || fabs(value) >= 1e6)
		chart_number(value, decimals < 0 ? 4 : 3, text);
	else
		snprintf(text, sizeof text, "%.*f", decimals, value);
	set_text(c, line, text);
}

static void
number_columns(struct table *t)
{
	const struct chart *chart = t->chart;
	struct column *best = add_column(t, "BEST", 1);
	struct column *at = add_column(t, "AT", 1);
	struct column *last = add_column(t, "LAST", 1);
	int decimals = common_decimals(chart), fewer;
	const struct chart_line *l;
	char text[NUM_TEXT];
	size_t i;

	fewer = decimals > 0 ? decimals - 1 : decimals;
	for (i = 0; i < chart->lines; i++) {
		l = &chart->line[i];
		if (l->best == CHART_NO_POINT) {
			set_text(best, i, "-");
			set_text(at, i, "-");
		} else {
			set_value(best, i, l->y[l->best], decimals);
			set_text(at, i, draw_x(chart, l->x[l->best], text));
		}
		if (l->count == 0)
			set_text(last, i, "-");
		else
			set_value(last, i, l->y[l->count - 1], fewer);
	}
}

static void
table_open(struct table *t, const struct chart *chart, int letters)
{
	struct column *c;
	size_t i, k;

	memset(t, 0, sizeof *t);
	t->chart = chart;
	t->lead = letters ? 3 : 0;
	t->numbers = 3;
	t->column = xcalloc(chart->columns + 4, sizeof *t->column);
	c = add_column(t, chart->name_head, 0);
	for (i = 0; i < chart->lines; i++)
		set_text(c, i, chart->line[i].name);
	for (k = 0; k < chart->columns; k++) {
		c = add_column(
		    t, chart->column[k].name, chart->column[k].right);
		for (i = 0; i < chart->lines; i++)
			set_text(c, i, chart->line[i].cell[k]);
	}
	number_columns(t);
}

static void
table_close(struct table *t)
{
	size_t i, k;

	for (k = 0; k < t->count; k++) {
		for (i = 0; i < t->chart->lines; i++)
			free(t->column[k].text[i]);
		free(t->column[k].text);
	}
	free(t->column);
}

/* Whether a column is shown. */
static int
shown(const struct table *t, size_t k)
{
	if (k <= t->chart->columns)
		return !t->column[k].hidden;
	return k - t->chart->columns <= t->numbers;
}

/* The columns of the terminal that are taken without the sparkline. */
static size_t
taken(const struct table *t)
{
	size_t k, sum = t->lead;

	for (k = 0; k < t->count; k++)
		if (shown(t, k))
			sum += t->column[k].width + (k > 0 ? GAP : 0);
	return sum;
}

/* Cut the names by what is lacking, but not below least. */
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

/* Hide the next of the caller's columns that may go; whether there was one. */
static int
hide_column(struct table *t, int least_drop)
{
	const struct chart_column *column = t->chart->column;
	int most = least_drop;
	size_t i, found = 0;

	for (i = 1; i <= t->chart->columns; i++)
		if (!t->column[i].hidden && column[i - 1].drop >= most) {
			most = column[i - 1].drop;
			found = i;
		}
	if (found > 0)
		t->column[found].hidden = 1;
	return found > 0;
}

static void
fit_table(struct table *t)
{
	const size_t width = t->chart->width;
	size_t room;

	cut_names(t, GAP + GOOD_SPARK, GOOD_NAME);
	while (taken(t) + GAP + GOOD_SPARK > width && hide_column(t, 1))
		;
	cut_names(t, GAP + LEAST_SPARK, LEAST_NAME);
	room = taken(t) + GAP < width ? width - taken(t) - GAP : 0;
	t->spark = room < LEAST_SPARK ? 0
	    : room > MOST_SPARK       ? MOST_SPARK
				      : room;
	while (taken(t) > width && hide_column(t, 0))
		;
	while (t->numbers > 1 && taken(t) > width)
		t->numbers--;
	cut_names(t, 0, 1);
}

/* One row: the head when line is beyond the last. */
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
		text = line < t->chart->lines ? c->text[line] : c->head;
		if (k == 0)
			text = draw_name(text, c->width);
		pen_cell(p, PEN_PLAIN, text, c->width, c->right);
	}
}

/* What heads the sparklines: "VAL_LOSS (shared log scale)". */
static void
spark_head(const struct table *t, struct pen *p, int log)
{
	char *head = xasprintf(
	    "%s (shared %s scale)", t->chart->y_name, log ? "log" : "linear");
	size_t i, room, length = strlen(t->chart->y_name);

	for (i = 0; i < length; i++)
		head[i] = (char)ascii_upper((unsigned char)head[i]);
	room = t->chart->width - taken(t) - GAP;
	if (text_width(head) > room)
		head[length] = '\0';
	pen_blanks(p, GAP);
	pen_cell(p, PEN_PLAIN, head,
	    text_width(head) > room ? room : text_width(head), 0);
	free(head);
}

/* One cell for each part of the x axis; a part without points goes on. */
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
		spark_add(&cells[at], l->y[i]);
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

/* What all sparklines share: by ratios where values differ by much. */
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
draw_table(struct drawing *d, int letters)
{
	struct chart_range range = spark_range(d);
	size_t rows = d->chart->lines, i;
	char more[64];
	struct table t;

	if (d->chart->most > 0 && d->chart->most < rows)
		rows = d->chart->most;
	table_open(&t, d->chart, letters);
	fit_table(&t);
	table_row(&t, &d->pen, d->chart->lines);
	if (t.spark > 0)
		spark_head(&t, &d->pen, range.log);
	pen_end(&d->pen);
	for (i = 0; i < rows; i++) {
		table_row(&t, &d->pen, i);
		if (t.spark > 0 && d->chart->line[i].count > 0) {
			pen_blanks(&d->pen, GAP);
			spark_row(d, i, t.spark, &d->pen, &range);
		}
		pen_end(&d->pen);
	}
	if (rows < d->chart->lines) {
		snprintf(more, sizeof more,
		    "%zu more, on a terminal of more rows",
		    d->chart->lines - rows);
		pen_cell(&d->pen, PEN_PLAIN, more, d->chart->width, 0);
		pen_end(&d->pen);
	}
	table_close(&t);
}

static void
nan_line(struct drawing *d, size_t i, ptrdiff_t since, int letters)
{
	const struct chart *c = d->chart;
	char text[NUM_TEXT], *line, letter[4];

	snprintf(letter, sizeof letter, " %c ", draw_letter(i));
	if (letters)
		pen_text(&d->pen, (int)i, letter);
	line = xasprintf("%s: %s since %s %s", c->line[i].name,
	    draw_no_number(&c->line[i], (size_t)since), c->x_name,
	    draw_x(c, c->line[i].x[since], text));
	pen_cell(&d->pen, PEN_PLAIN, line, c->width - (letters ? 3 : 0), 0);
	pen_end(&d->pen);
	free(line);
}

void
draw_nan_lines(struct drawing *d, int letters)
{
	size_t i, count = 0;
	ptrdiff_t since;
	char more[64];

	for (i = 0; i < d->chart->lines; i++) {
		since = draw_nan_since(&d->chart->line[i]);
		if (since != CHART_NO_POINT && count++ < NAN_LINES)
			nan_line(d, i, since, letters);
	}
	if (count <= NAN_LINES)
		return;
	snprintf(more, sizeof more, "%s%zu more end in nan",
	    letters ? "   " : "", count - NAN_LINES);
	pen_cell(&d->pen, PEN_PLAIN, more, d->chart->width, 0);
	pen_end(&d->pen);
}
