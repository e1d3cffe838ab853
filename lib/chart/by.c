#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"
#include "chart/scale.h"

/* A value as it counts for the variance. */
static double
weight(double value, int log_scale)
{
	return log_scale ? log(value) : value;
}

static int
counts(const struct chart_results *r, const struct chart_levels *l, size_t i,
    int log_scale)
{
	return l->of[i] != CHART_NO_LEVEL && isfinite(r->best[i]) &&
	    (!log_scale || r->best[i] > 0);
}

/* The parts of the variance, of numbers that are scaled to stay finite. */
struct parts {
	double between, total;
	size_t n, levels;
};

static void
add_level(struct parts *p, const struct chart_results *r,
    const struct chart_levels *l, size_t level, int log_scale, double mean,
    double scale)
{
	double sum = 0;
	size_t i, n = 0;

	for (i = 0; i < r->count; i++)
		if (counts(r, l, i, log_scale) && l->of[i] == level) {
			sum += weight(r->best[i], log_scale) / scale - mean;
			n++;
		}
	if (n > 0)
		p->between += sum * sum / (double)n;
	p->levels += n > 0;
}

static struct parts
split(
    const struct chart_results *r, const struct chart_levels *l, int log_scale)
{
	struct parts p = {0};
	double mean = 0, scale = 0, value;
	size_t i;

	for (i = 0; i < r->count; i++)
		if (counts(r, l, i, log_scale))
			scale =
			    fmax(scale, fabs(weight(r->best[i], log_scale)));
	if (scale == 0)
		scale = 1;
	for (i = 0; i < r->count; i++)
		if (counts(r, l, i, log_scale)) {
			mean += weight(r->best[i], log_scale) / scale;
			p.n++;
		}
	mean = p.n > 0 ? mean / (double)p.n : 0;
	for (i = 0; i < r->count; i++)
		if (counts(r, l, i, log_scale)) {
			value = weight(r->best[i], log_scale) / scale - mean;
			p.total += value * value;
		}
	for (i = 0; i < l->count; i++)
		add_level(&p, r, l, i, log_scale, mean, scale);
	return p;
}

void
chart_effect(struct chart_effect *e, const struct chart_results *r,
    const struct chart_levels *l, int log_scale)
{
	struct parts p = split(r, l, log_scale);

	*e = (struct chart_effect){
	    .results = p.n, .levels = p.levels, .share = NAN, .chance = NAN};
	e->worth = -INFINITY;
	/* What rounding leaves of equal values is no variance. */
	if (p.levels < 2 || p.total < 1e-20 * (double)p.n)
		return;
	e->share = fmin(p.between / p.total, 1);
	e->chance = (double)(p.levels - 1) / (double)(p.n - 1);
	if (p.levels < p.n)
		e->worth = (e->share - e->chance) / (1 - e->chance);
}

/* ---- drawing ---- */

enum { LEAST_STRIP = 16, GAP = 2, MOST_SHOWN = 20 };

struct row {
	char *name;
	char best[CHART_NUMBER], median[CHART_NUMBER], n[32];
	double *value; /* sorted */
	size_t count;
};

struct block {
	const struct chart_factor *factor;
	struct chart_effect effect;
	struct row *row;
	size_t rows;
	size_t hidden; /* settings that are not shown */
};

struct sheet {
	const struct chart *chart;
	const struct chart_results *results;
	struct result_format format;
	struct scale scale;
	size_t name, n, best, median; /* widths; 0: not shown */
	size_t left, strip;
	struct pen pen;
};

static int
by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
fill_row(const struct sheet *s, struct row *row, const struct chart_levels *l,
    size_t level)
{
	const struct chart_results *r = s->results;
	size_t i;

	*row = (struct row){.name = xstrdup(l->name[level])};
	row->value = xcalloc(r->count + 1, sizeof *row->value);
	for (i = 0; i < r->count; i++)
		if (l->of[i] == level && result_shows(s->chart, r, i))
			row->value[row->count++] = r->best[i];
	if (row->count == 0)
		return;
	qsort(row->value, row->count, sizeof *row->value, by_number);
	snprintf(row->n, sizeof row->n, "n=%zu", row->count);
	result_text(
	    s->format, row->value[r->higher ? row->count - 1 : 0], row->best);
	result_text(s->format, result_quantile(row->value, row->count, 0.5),
	    row->median);
}

static double
row_best(const struct chart_results *r, const struct row *row)
{
	return row->count == 0 ? NAN
			       : row->value[r->higher ? row->count - 1 : 0];
}

/* Of more settings than a screen holds, the best, in their order. */
static void
keep_best(const struct sheet *s, struct block *b)
{
	size_t i, worst;

	while (b->rows > MOST_SHOWN) {
		worst = 0;
		for (i = 1; i < b->rows; i++)
			if (!result_better(s->results,
				row_best(s->results, &b->row[i]),
				row_best(s->results, &b->row[worst])))
				worst = i;
		free(b->row[worst].name);
		free(b->row[worst].value);
		memmove(&b->row[worst], &b->row[worst + 1],
		    (--b->rows - worst) * sizeof *b->row);
		b->hidden++;
	}
}

/* Returns whether the factor has more than one setting. */
static int
make_block(const struct sheet *s, struct block *b, size_t factor)
{
	struct chart_levels l;
	size_t i;

	*b = (struct block){.factor = &s->results->factor[factor]};
	chart_levels_make(&l, s->results, factor, RESULT_LEVELS);
	chart_effect(&b->effect, s->results, &l, s->chart->log);
	if (b->effect.levels >= 2) {
		b->row = xcalloc(l.count, sizeof *b->row);
		for (i = 0; i < l.count; i++) {
			fill_row(s, &b->row[b->rows], &l, i);
			if (b->row[b->rows].count > 0) {
				b->rows++;
				continue;
			}
			free(b->row[b->rows].name);
			free(b->row[b->rows].value);
		}
		keep_best(s, b);
	}
	chart_levels_free(&l);
	return b->effect.levels >= 2;
}

static void
free_block(struct block *b)
{
	size_t i;

	for (i = 0; i < b->rows; i++) {
		free(b->row[i].name);
		free(b->row[i].value);
	}
	free(b->row);
}

/* Those that explain the most first; without a worth in their order. */
static int
by_worth(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->effect.worth != y->effect.worth)
		return x->effect.worth > y->effect.worth ? -1 : 1;
	return x->factor < y->factor ? -1 : x->factor > y->factor;
}

static void
widen(size_t *width, const char *text)
{
	size_t wide = text_width(text);

	*width = wide > *width ? wide : *width;
}

static size_t
left_of(const struct sheet *s)
{
	size_t sum = GAP + s->name + GAP;

	sum += s->n > 0 ? s->n + GAP : 0;
	sum += s->best > 0 ? s->best + 5 + GAP : 0;
	return sum + (s->median > 0 ? s->median + 4 + GAP : 0);
}

/* Give up the median, the count and the best where they leave no room. */
static void
fit(struct sheet *s, const struct block *block, size_t blocks)
{
	size_t i, k, width = s->chart->width,
		     *go[] = {&s->median, &s->n, &s->best};

	for (i = 0; i < blocks; i++)
		for (k = 0; k < block[i].rows; k++) {
			widen(&s->name, block[i].row[k].name);
			widen(&s->n, block[i].row[k].n);
			widen(&s->best, block[i].row[k].best);
			widen(&s->median, block[i].row[k].median);
		}
	if (s->name > width / 4)
		s->name = width / 4;
	for (i = 0; i < 3; i++)
		if (left_of(s) + LEAST_STRIP + 2 > width)
			*go[i] = 0;
	s->left = left_of(s);
	s->strip = s->left + 2 + 4 < width ? width - s->left - 2 : 4;
}

static size_t
place(const struct sheet *s, double value)
{
	double at = scale_at(&s->scale, value);

	at = fmin(fmax(at, 0), 1);
	return (size_t)lround(at * (double)(s->strip - 1));
}

/* One task is an "o", several on one spot are their number. */
static void
draw_strip(struct sheet *s, const struct row *row)
{
	size_t *on = xcalloc(s->strip, sizeof *on), i, median, best;
	const char *wall = s->chart->charset == CLI_ASCII ? "|" : "│";
	char digit[2] = "";

	for (i = 0; i < row->count; i++)
		on[place(s, row->value[i])]++;
	best = place(s, row_best(s->results, row));
	median = place(s, result_quantile(row->value, row->count, 0.5));
	pen_text(&s->pen, PEN_PLAIN, wall);
	for (i = 0; i < s->strip; i++) {
		digit[0] = on[i] > 9 ? '#' : (char)('0' + on[i]);
		if (i == best)
			pen_text(
			    &s->pen, 0, chart_best_mark(s->chart->charset));
		else if (i == median)
			pen_text(&s->pen, 5, "|");
		else if (on[i] > 0)
			pen_text(&s->pen, 1, on[i] == 1 ? "o" : digit);
		else
			pen_blanks(&s->pen, 1);
	}
	pen_text(&s->pen, PEN_PLAIN, wall);
	pen_end(&s->pen);
	free(on);
}

static void
draw_row(struct sheet *s, const struct row *row)
{
	struct pen *p = &s->pen;

	pen_blanks(p, GAP);
	pen_cell(p, PEN_PLAIN, row->name, s->name, 0);
	pen_blanks(p, GAP);
	if (s->n > 0) {
		pen_cell(p, PEN_PLAIN, row->n, s->n, 0);
		pen_blanks(p, GAP);
	}
	if (s->best > 0) {
		pen_text(p, PEN_PLAIN, "best ");
		pen_cell(p, PEN_PLAIN, row->best, s->best, 1);
		pen_blanks(p, GAP);
	}
	if (s->median > 0) {
		pen_text(p, PEN_PLAIN, "med ");
		pen_cell(p, PEN_PLAIN, row->median, s->median, 1);
		pen_blanks(p, GAP);
	}
	draw_strip(s, row);
}

static char *
explained(const struct sheet *s, const struct block *b)
{
	const struct chart_effect *e = &b->effect;
	const char *name = b->factor->name, *what = " of the variance";

	if (isnan(e->share))
		return xasprintf("%s  no variance to explain", name);
	if (e->levels == e->results)
		return xasprintf("%s  each setting once: says nothing", name);
	if (text_width(name) + 49 > s->chart->width)
		what = "";
	return xasprintf("%s  explains %.0f%%%s (by chance %.0f%%)", name,
	    100 * e->share, what, 100 * e->chance);
}

static void
draw_block(struct sheet *s, const struct block *b)
{
	char *text = explained(s, b);
	size_t i;

	result_row(&s->pen, s->chart, text);
	free(text);
	for (i = 0; i < b->rows; i++)
		draw_row(s, &b->row[i]);
	if (b->hidden == 0)
		return;
	text = xasprintf("  and %zu settings that are worse", b->hidden);
	result_row(&s->pen, s->chart, text);
	free(text);
}

/* What it is, then the ends of the strips above them. */
static void
draw_head(struct sheet *s)
{
	char low[CHART_NUMBER], high[CHART_NUMBER];
	char *origin = result_origin(s->results);
	char *title = xasprintf(
	    "What mattered for best %s (%s)", s->results->metric, origin);
	size_t used;

	result_row(&s->pen, s->chart, title);
	chart_number(s->scale.low, 3, low);
	chart_number(s->scale.high, 3, high);
	used = strlen(low) + strlen(high);
	if (used < s->strip) {
		pen_blanks(&s->pen, s->left + 1);
		pen_text(&s->pen, PEN_PLAIN, low);
		pen_blanks(&s->pen, s->strip - used);
		pen_text(&s->pen, PEN_PLAIN, high);
		pen_end(&s->pen);
	}
	free(origin);
	free(title);
}

static void
draw_key(struct sheet *s)
{
	char *key = xasprintf(
	    "%s best   | median   o one task   2 two tasks on one spot",
	    chart_best_mark(s->chart->charset));

	result_row(&s->pen, s->chart, key);
	free(key);
}

static void
fit_scale(struct sheet *s, const double *value, size_t count)
{
	const struct chart *c = s->chart;
	struct scale_wish w = {.low = isnan(c->low) ? value[0] : c->low,
	    .high = isnan(c->high) ? value[count - 1] : c->high,
	    .log = c->log,
	    .fixed_low = !isnan(c->low),
	    .fixed_high = !isnan(c->high),
	    .most = 5,
	    .snap = 0.12};

	if (w.low > w.high)
		*(w.fixed_low ? &w.high : &w.low) =
		    w.fixed_low ? w.low : w.high;
	scale_fit(&s->scale, &w);
}

/* What two hyperparameters explain together; returns its share. */
static double
draw_pair(struct sheet *s, const struct chart_pair *pair)
{
	const struct chart_factor *factor = s->results->factor;
	const char *a = factor[pair->factor[0]].name;
	const char *b = factor[pair->factor[1]].name,
		   *what = " of the variance";
	char *text;

	if (text_width(a) + text_width(b) + 64 > s->chart->width)
		what = "";
	text = xasprintf("%s and %s together  explain %.0f%% more%s "
			 "(by chance %.0f%%)",
	    a, b, 100 * pair->share, what, 100 * pair->chance);
	result_row(&s->pen, s->chart, text);
	free(text);
	return pair->share;
}

/* What no hyperparameter explains alone. */
static void
draw_pairs(struct sheet *s, const struct block *block, size_t blocks)
{
	enum { PAIRS = 3, MOSTLY = 50 };
	struct chart_pair pair[PAIRS];
	size_t i, count = chart_pairs(s->results, s->chart->log, pair, PAIRS);
	double rest = 100;
	char *text;

	for (i = 0; i < blocks; i++)
		if (block[i].effect.levels < block[i].effect.results)
			rest -= 100 * block[i].effect.share;
	for (i = 0; i < count; i++)
		rest -= 100 * draw_pair(s, &pair[i]);
	if (blocks < 2 || !(rest >= MOSTLY))
		return;
	text = xasprintf(
	    "about %.0f%% lies in other combinations, or is noise", rest);
	result_row(&s->pen, s->chart, text);
	free(text);
}

static void
draw_blocks(struct sheet *s, struct block *block, size_t blocks)
{
	size_t i;

	fit(s, block, blocks);
	draw_head(s);
	for (i = 0; i < blocks; i++)
		draw_block(s, &block[i]);
	draw_pairs(s, block, blocks);
	draw_key(s);
}

int
chart_by(FILE *out, FILE *notes, const struct chart *c,
    const struct chart_results *r, struct error *e)
{
	struct sheet s = {.chart = c,
	    .results = r,
	    .format = result_format(c, r),
	    .pen = {out, c->colors, PEN_PLAIN, 0}};
	struct block *block = xcalloc(r->factors + 1, sizeof *block);
	size_t i, blocks = 0, count;
	double *value;
	ptrdiff_t shown = result_begin(notes, c, r, e);

	value = result_sorted(c, r, &count);
	if (shown > 0) {
		fit_scale(&s, value, count);
		for (i = 0; i < r->factors; i++)
			blocks += (size_t)make_block(&s, &block[blocks], i);
		if (blocks > 0)
			qsort(block, blocks, sizeof *block, by_worth);
	}
	if (blocks > 0)
		draw_blocks(&s, block, blocks);
	else if (shown > 0)
		fputs("no hyperparameter has more than one setting\n", notes);
	for (i = 0; i < blocks; i++)
		free_block(&block[i]);
	free(block);
	free(value);
	return shown == -1 ? -1 : 0;
}
