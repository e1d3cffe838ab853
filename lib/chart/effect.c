#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "chart/result-private.h"

/* ---- settings ---- */

/* A value of a result before it is assigned to a setting. */
struct entry {
	const char *text;
	double number;
	size_t result;
	size_t first; /* the first result with the same value */
};

/* Sort by number, and equal numbers by result; for qsort. */
static int
by_number(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->result < y->result ? -1 : x->result > y->result;
}

static int
by_text(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order != 0)
		return order;
	return x->result < y->result ? -1 : x->result > y->result;
}

static int
by_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->result < y->result ? -1 : x->result > y->result;
}

static int
same(const struct entry *a, const struct entry *b, int numbers)
{
	return numbers ? a->number == b->number : strcmp(a->text, b->text) == 0;
}

enum { GROUPS = 5, LEAST = 3 }; /* settings that groups make */

/*
 * Make settings of similar size, of two results or more; equal numbers stay in
 * the same setting.
 */
static void
group(struct chart_settings *l, const struct entry *entry, size_t count)
{
	size_t groups = count / 2 < GROUPS ? count / 2 : GROUPS;
	char from[NUM_TEXT], to[NUM_TEXT];
	size_t i = 0, end, k;

	while (i < count) {
		end = (l->count + 1) * count / groups;
		if (end <= i)
			end = i + 1;
		if (l->count == groups - 1 || end > count)
			end = count;
		while (
		    end < count && entry[end].number == entry[end - 1].number)
			end++;
		num_short(entry[i].number, 3, from);
		num_short(entry[end - 1].number, 3, to);
		l->name[l->count++] = strcmp(from, to) == 0
		    ? xstrdup(from)
		    : xasprintf("%s..%s", from, to);
		for (k = i; k < end; k++)
			l->of[entry[k].result] = l->count - 1;
		i = end;
	}
}

/*
 * Make settings as chart_settings_make; with fill, also group numbers that have
 * fewer than two results each on average.
 */
static void
make(struct chart_settings *l, const struct chart_results *r, size_t factor,
    size_t most, int fill)
{
	struct entry *entry = xcalloc(r->count + 1, sizeof *entry);
	const char *const *value = r->factor[factor].value;
	size_t count = 0, distinct = 0, i;
	int numbers = 1;

	*l = (struct chart_settings){0};
	l->of = xcalloc(r->count + 1, sizeof *l->of);
	for (i = 0; i < r->count; i++) {
		l->of[i] = CHART_NO_SETTING;
		if (value[i] == NULL)
			continue;
		entry[count] = (struct entry){value[i], 0, i, i};
		numbers &= num_parse(value[i], &entry[count].number) &&
		    isfinite(entry[count].number);
		count++;
	}
	l->name = xcalloc(count + 1, sizeof *l->name);
	if (count > 0)
		qsort(
		    entry, count, sizeof *entry, numbers ? by_number : by_text);
	for (i = 0; i < count; i++)
		if (i > 0 && same(&entry[i], &entry[i - 1], numbers))
			entry[i].first = entry[i - 1].first;
		else
			distinct++;
	if (!numbers)
		qsort(entry, count, sizeof *entry, by_first);
	if (fill && count >= 2 * LEAST && 2 * distinct > count)
		most = 0;
	if (numbers && distinct > most)
		group(l, entry, count);
	for (i = 0; i < count && (!numbers || distinct <= most); i++) {
		if (i == 0 || !same(&entry[i], &entry[i - 1], numbers))
			l->name[l->count++] = xstrdup(entry[i].text);
		l->of[entry[i].result] = l->count - 1;
	}
	free(entry);
}

void
chart_settings_make(struct chart_settings *l, const struct chart_results *r,
    size_t factor, size_t most)
{
	make(l, r, factor, most, 0);
}

void
chart_settings_compare(
    struct chart_settings *l, const struct chart_results *r, size_t factor)
{
	make(l, r, factor, RESULT_LEVELS, 1);
}

void
chart_settings_free(struct chart_settings *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->name[i]);
	free(l->name);
	free(l->of);
	*l = (struct chart_settings){0};
}

/* ---- effects of factors ---- */

/* The variance between the cells of a grouping, and the total variance. */
struct shares {
	double between, total;
	size_t n, cells; /* results that count, and cells that have any */
};

/* Return the values that count for the variance, nan for others; to free. */
static double *
values_of(const struct chart_results *r, int log_scale)
{
	double *y = xcalloc(r->count + 1, sizeof *y);
	size_t i;

	for (i = 0; i < r->count; i++) {
		y[i] = log_scale ? log(r->best[i]) : r->best[i];
		if (!isfinite(y[i]))
			y[i] = NAN;
	}
	return y;
}

/*
 * Split the variance of the results that count and have a cell.  The values are
 * scaled so that their squares stay finite.
 */
static struct shares
split(const double *y, const size_t *cell, size_t count, size_t cells)
{
	double *sum = xcalloc(cells + 1, sizeof *sum), scale = 0, mean = 0, at;
	size_t *n = xcalloc(cells + 1, sizeof *n), i;
	struct shares s = {0};

	for (i = 0; i < count; i++)
		if (cell[i] != CHART_NO_SETTING && !isnan(y[i])) {
			scale = fmax(scale, fabs(y[i]));
			s.n++;
		}
	if (scale == 0)
		scale = 1;
	for (i = 0; i < count; i++)
		if (cell[i] != CHART_NO_SETTING && !isnan(y[i]))
			mean += y[i] / scale;
	mean /= s.n > 0 ? (double)s.n : 1;
	for (i = 0; i < count; i++)
		if (cell[i] != CHART_NO_SETTING && !isnan(y[i])) {
			at = y[i] / scale - mean;
			s.total += at * at;
			sum[cell[i]] += at;
			n[cell[i]]++;
		}
	for (i = 0; i < cells; i++)
		if (n[i] > 0) {
			s.between += sum[i] * sum[i] / (double)n[i];
			s.cells++;
		}
	free(sum);
	free(n);
	return s;
}

/* Return whether there is variance: equal values leave a rounding error. */
static int
varies(const struct shares *s)
{
	return s->total >= 1e-20 * (double)s->n;
}

void
chart_effect(struct chart_effect *e, const struct chart_results *r,
    const struct chart_settings *l, int log_scale)
{
	double *y = values_of(r, log_scale);
	struct shares s = split(y, l->of, r->count, l->count);

	free(y);
	*e = (struct chart_effect){
	    .results = s.n, .settings = s.cells, .share = NAN, .chance = NAN};
	e->worth = -INFINITY;
	if (s.cells < 2 || !varies(&s))
		return;
	e->share = fmin(s.between / s.total, 1);
	e->chance = (double)(s.cells - 1) / (double)(s.n - 1);
	if (s.cells < s.n)
		e->worth = (e->share - e->chance) / (1 - e->chance);
}

/* ---- pairs ---- */

/*
 * Find the effect of the pair of factors in out, on the results that have a
 * setting of both.  Returns whether it is clearly more than chance.
 */
static int
judge_pair(const double *y, size_t count, const struct chart_settings *factor,
    size_t *cell[3], struct chart_pair *out)
{
	enum { DEVIATIONS = 3 };
	const double least = 0.05;
	const struct chart_settings *a = &factor[out->factor[0]];
	const struct chart_settings *b = &factor[out->factor[1]];
	struct shares sa, sb, both;
	double freedom, deviation;
	size_t i;

	if (a->count < 2 || b->count < 2 || a->count > count / b->count)
		return 0; /* most cells have one result or none */
	for (i = 0; i < count; i++) {
		cell[0][i] = cell[1][i] = cell[2][i] = CHART_NO_SETTING;
		if (a->of[i] == CHART_NO_SETTING ||
		    b->of[i] == CHART_NO_SETTING)
			continue;
		cell[0][i] = a->of[i];
		cell[1][i] = b->of[i];
		cell[2][i] = a->of[i] * b->count + b->of[i];
	}
	sa = split(y, cell[0], count, a->count);
	sb = split(y, cell[1], count, b->count);
	both = split(y, cell[2], count, a->count * b->count);
	freedom = (double)both.cells - (double)sa.cells - (double)sb.cells + 1;
	if (both.cells >= both.n || freedom < 1 || !varies(&both))
		return 0;
	out->share = (both.between - sa.between - sb.between) / both.total;
	out->chance = freedom / (double)(both.n - 1);
	deviation = sqrt(2 * freedom) / (double)(both.n - 1);
	return out->share > out->chance + fmax(DEVIATIONS * deviation, least);
}

/*
 * Insert a pair into the sorted list of the count best pairs, and keep at most
 * most of them.  Returns the new number of pairs.
 */
static size_t
insert_pair(
    struct chart_pair *best, size_t count, size_t most, struct chart_pair new)
{
	double worth = new.share - new.chance;
	size_t i = count < most ? count++ : most;

	if (i == most && worth <= best[i - 1].share - best[i - 1].chance)
		return count;
	if (i == most)
		i--;
	for (; i > 0 && best[i - 1].share - best[i - 1].chance < worth; i--)
		best[i] = best[i - 1];
	best[i] = new;
	return count;
}

size_t
chart_pairs(const struct chart_results *r, int log_scale,
    struct chart_pair *out, size_t most)
{
	enum { FACTORS = 64 }; /* makes 2016 pairs */
	size_t factors = r->factors < FACTORS ? r->factors : FACTORS;
	struct chart_settings factor[FACTORS];
	size_t *cell[3], a, b, count = 0, i;
	double *y = values_of(r, log_scale);
	struct chart_pair pair;

	for (a = 0; a < factors; a++)
		chart_settings_compare(&factor[a], r, a);
	for (i = 0; i < 3; i++)
		cell[i] = xcalloc(r->count + 1, sizeof **cell);
	for (a = 0; a < factors; a++)
		for (b = a + 1; b < factors; b++) {
			pair = (struct chart_pair){.factor = {a, b}};
			if (judge_pair(y, r->count, factor, cell, &pair))
				count = insert_pair(out, count, most, pair);
		}
	for (a = 0; a < factors; a++)
		chart_settings_free(&factor[a]);
	for (i = 0; i < 3; i++)
		free(cell[i]);
	free(y);
	return count;
}
