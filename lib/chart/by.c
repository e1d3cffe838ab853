#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"
#include "chart/result-private.h"

enum { LEAST_STRIP = 16, GAP = 2, MOST_SHOWN = 20 };

struct sheet {
	const struct chart *chart;
	const struct chart_results *results;
	struct scale scale;
	size_t name, column[3]; /* widths; 0: hidden */
	size_t left, strip;
	struct pen pen;
};

/* The columns between the name and the strip: the texts of a row. */
enum { N, BEST, MEDIAN };

static const struct {
	const char *head;
	int right;
} columns[] = {{"", 0}, {"best ", 1}, {"med ", 1}};

/* Make the row of a setting.  Returns 1, or 0 if the setting has no results. */
static int
fill_row(struct result_row *row, const struct chart *c,
    const struct chart_results *r, const struct chart_settings *l,
    size_t setting, int decimals)
{
	double *value = xcalloc(r->count + 1, sizeof *value);
	size_t i, n = 0;

	for (i = 0; i < r->count; i++)
		if (l->of[i] == setting && result_shows(c, r, i))
			value[n++] = r->best[i];
	if (n == 0) {
		free(value);
		return 0;
	}
	qsort(value, n, sizeof *value, result_compare);
	*row = (struct result_row){
	    .name = xstrdup(l->name[setting]), .value = value, .count = n};
	row->best = value[r->higher ? n - 1 : 0];
	row->median = result_quantile(value, n, 0.5);
	snprintf(row->text[N], CHART_NUMBER, "n=%zu", n);
	result_text(decimals, row->best, row->text[BEST]);
	result_text(decimals, row->median, row->text[MEDIAN]);
	return 1;
}

static void
free_row(struct result_row *row)
{
	free(row->name);
	free(row->value);
}

/* Make the block of a factor.  Returns 0 if it has only one setting. */
static int
make_block(struct result_block *b, const struct chart *c,
    const struct chart_results *r, size_t factor, int decimals)
{
	struct chart_settings l;
	size_t i, worst;

	*b = (struct result_block){.factor = &r->factor[factor]};
	chart_settings_compare(&l, r, factor);
	chart_effect(&b->effect, r, &l, c->log);
	if (b->effect.settings >= 2) {
		b->row = xcalloc(l.count, sizeof *b->row);
		for (i = 0; i < l.count; i++)
			b->rows += (size_t)fill_row(
			    &b->row[b->rows], c, r, &l, i, decimals);
	}
	/* Keep the best settings, as many as a screen holds, in their order. */
	for (; b->rows > MOST_SHOWN; b->hidden++) {
		worst = 0;
		for (i = 1; i < b->rows; i++)
			if (!result_better(
				r, b->row[i].best, b->row[worst].best))
				worst = i;
		free_row(&b->row[worst]);
		memmove(&b->row[worst], &b->row[worst + 1],
		    (--b->rows - worst) * sizeof *b->row);
	}
	chart_settings_free(&l);
	return b->effect.settings >= 2;
}

/*
 * Sort blocks for qsort: factors that explain the most come first; equal
 * factors stay in order.
 */
static int
by_worth(const void *a, const void *b)
{
	const struct result_block *x = a, *y = b;

	if (x->effect.worth != y->effect.worth)
		return x->effect.worth > y->effect.worth ? -1 : 1;
	return x->factor < y->factor ? -1 : x->factor > y->factor;
}

struct result_block *
result_blocks_make(
    const struct chart *c, const struct chart_results *r, size_t *count)
{
	struct result_block *block = xcalloc(r->factors + 1, sizeof *block);
	int decimals = result_decimals(c, r);
	size_t i;

	*count = 0;
	for (i = 0; i < r->factors; i++)
		*count += (size_t)make_block(&block[*count], c, r, i, decimals);
	qsort(block, *count, sizeof *block, by_worth);
	return block;
}

void
result_blocks_free(struct result_block *block, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < block[i].rows; k++)
			free_row(&block[i].row[k]);
		free(block[i].row);
	}
	free(block);
}

char *
result_block_text(const struct result_block *b, const char *of)
{
	const struct chart_effect *e = &b->effect;
	const char *name = b->factor->name;

	if (isnan(e->share))
		return xasprintf("%s  no variance to explain", name);
	if (e->settings == e->results)
		return xasprintf("%s  each setting once: says nothing", name);
	return xasprintf("%s  explains %.0f%%%s (by chance %.0f%%)", name,
	    100 * e->share, of, 100 * e->chance);
}

void
result_pairs(const struct chart *c, const struct chart_results *r,
    const struct result_block *block, size_t blocks, struct strlist *out)
{
	enum { PAIRS = 3, MOSTLY = 50 };
	static const char of[] = " of the variance";
	struct chart_pair pair[PAIRS];
	size_t i, count = chart_pairs(r, c->log, pair, PAIRS);
	const char *a, *b;
	double rest = 100;

	for (i = 0; i < blocks; i++)
		if (block[i].effect.settings < block[i].effect.results)
			rest -= 100 * block[i].effect.share;
	for (i = 0; i < count; i++) {
		a = r->factor[pair[i].factor[0]].name;
		b = r->factor[pair[i].factor[1]].name;
		strlist_take(out,
		    xasprintf("%s and %s together  explain %.0f%% more%s (by "
			      "chance %.0f%%)",
			a, b, 100 * pair[i].share,
			text_width(a) + text_width(b) + 64 > c->width ? "" : of,
			100 * pair[i].chance));
		rest -= 100 * pair[i].share;
	}
	if (blocks >= 2 && rest >= MOSTLY)
		strlist_take(out,
		    xasprintf("about %.0f%% lies in other combinations, or is "
			      "noise",
			rest));
}

/*
 * Hide the median, the count and the best value, in this order, if the strip
 * needs the room.
 */
static void
fit(struct sheet *s, const struct result_block *block, size_t blocks)
{
	static const size_t order[] = {MEDIAN, N, BEST};
	size_t i, k, c, wide, width = s->chart->width;
	const struct result_row *row;

	for (i = 0; i < blocks; i++)
		for (k = 0; k < block[i].rows; k++) {
			row = &block[i].row[k];
			wide = text_width(row->name);
			s->name = wide > s->name ? wide : s->name;
			for (c = 0; c < 3; c++) {
				wide = strlen(row->text[c]);
				if (wide > s->column[c])
					s->column[c] = wide;
			}
		}
	if (s->name > width / 4)
		s->name = width / 4;
	s->left = GAP + s->name + GAP;
	for (c = 0; c < 3; c++)
		s->left += s->column[c] + strlen(columns[c].head) + GAP;
	for (i = 0; i < 3 && s->left + LEAST_STRIP + 2 > width; i++) {
		c = order[i];
		s->left -= s->column[c] + strlen(columns[c].head) + GAP;
		s->column[c] = 0;
	}
	s->strip = s->left + 2 + 4 < width ? width - s->left - 2 : 4;
}

static size_t
place(const struct sheet *s, double value)
{
	double at = scale_at(&s->scale, value);

	at = fmin(fmax(at, 0), 1);
	return (size_t)lround(at * (double)(s->strip - 1));
}

/*
 * Write a row.  The strip shows one task as "o", several tasks in one column as
 * their number.
 */
static void
write_row(struct sheet *s, const struct result_row *row)
{
	size_t *on = xcalloc(s->strip, sizeof *on), i, median, best;
	const char *wall = s->chart->charset == CLI_ASCII ? "|" : "│";
	char digit[2] = "";
	struct pen *p = &s->pen;

	pen_blanks(p, GAP);
	pen_cell(p, PEN_PLAIN, row->name, s->name, 0);
	pen_blanks(p, GAP);
	for (i = 0; i < 3; i++)
		if (s->column[i] > 0) {
			pen_text(p, PEN_PLAIN, columns[i].head);
			pen_cell(p, PEN_PLAIN, row->text[i], s->column[i],
			    columns[i].right);
			pen_blanks(p, GAP);
		}
	for (i = 0; i < row->count; i++)
		on[place(s, row->value[i])]++;
	best = place(s, row->best);
	median = place(s, row->median);
	pen_text(p, PEN_PLAIN, wall);
	for (i = 0; i < s->strip; i++) {
		digit[0] = on[i] > 9 ? '#' : (char)('0' + on[i]);
		if (i == best)
			pen_text(p, 0, chart_best_mark(s->chart->charset));
		else if (i == median)
			pen_text(p, 5, "|");
		else if (on[i] > 0)
			pen_text(p, 1, on[i] == 1 ? "o" : digit);
		else
			pen_blanks(p, 1);
	}
	pen_text(p, PEN_PLAIN, wall);
	pen_end(p);
	free(on);
}

static void
write_block(struct sheet *s, const struct result_block *b)
{
	size_t width = s->chart->width, i;
	int narrow = text_width(b->factor->name) + 49 > width;
	char *text = result_block_text(b, narrow ? "" : " of the variance");

	pen_row(&s->pen, width, "%s", text);
	free(text);
	for (i = 0; i < b->rows; i++)
		write_row(s, &b->row[i]);
	if (b->hidden > 0)
		pen_row(&s->pen, width, "  and %zu settings that are worse",
		    b->hidden);
}

/* Write the title and, above the strips, the ends of their axis. */
static void
write_head(struct sheet *s)
{
	char low[CHART_NUMBER], high[CHART_NUMBER];
	char *origin = result_origin(s->results);
	size_t used;

	pen_row(&s->pen, s->chart->width, "What mattered for best %s (%s)",
	    s->results->metric, origin);
	free(origin);
	chart_number(s->scale.low, 3, low);
	chart_number(s->scale.high, 3, high);
	used = strlen(low) + strlen(high);
	if (used >= s->strip)
		return;
	pen_blanks(&s->pen, s->left + 1);
	pen_text(&s->pen, PEN_PLAIN, low);
	pen_blanks(&s->pen, s->strip - used);
	pen_text(&s->pen, PEN_PLAIN, high);
	pen_end(&s->pen);
}

int
chart_by(FILE *out, FILE *notes, const struct chart *c,
    const struct chart_results *r, struct error *e)
{
	struct sheet s = {
	    .chart = c, .results = r, .pen = {out, c->colors, PEN_PLAIN, 0}};
	ptrdiff_t shown = result_begin(notes, c, r, e);
	struct chart_range range = CHART_NO_RANGE;
	struct result_block *block;
	struct strlist pairs = {0};
	size_t i, blocks, count;
	double *value;

	if (shown < 1)
		return shown == -1 ? -1 : 0;
	value = result_sorted(c, r, &count);
	block = result_blocks_make(c, r, &blocks);
	if (blocks > 0) {
		chart_range_add(&range, value, count);
		draw_fit_y(c, &range, 5, &s.scale);
		fit(&s, block, blocks);
		write_head(&s);
		for (i = 0; i < blocks; i++)
			write_block(&s, &block[i]);
		result_pairs(c, r, block, blocks, &pairs);
		for (i = 0; i < pairs.count; i++)
			pen_row(&s.pen, c->width, "%s", pairs.word[i]);
		pen_row(&s.pen, c->width,
		    "%s best   | median   o one task   2 two tasks on one spot",
		    chart_best_mark(c->charset));
	} else {
		fputs("no hyperparameter has more than one setting\n", notes);
	}
	strlist_free(&pairs);
	result_blocks_free(block, blocks);
	free(value);
	return 0;
}
