#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "chart/result-private.h"

/* Pairs are looked for among so many factors: there are 2016 of them. */
enum { FACTORS = 64 };

/* The results as numbers near 0, and the settings of each factor. */
struct pairing {
	size_t count; /* results */
	double *y;    /* nan: left out */
	struct chart_levels *factor;
	size_t factors;
};

/* The parts of the variance between and within the cells of a grouping. */
struct shares {
	double between, total;
	size_t n, cells;
};

static void
open_values(struct pairing *p, const struct chart_results *r, int log_scale)
{
	double scale = 0, mean = 0;
	size_t i, n = 0;

	p->count = r->count;
	p->y = xcalloc(r->count + 1, sizeof *p->y);
	for (i = 0; i < r->count; i++) {
		p->y[i] = log_scale ? log(r->best[i]) : r->best[i];
		if (!isfinite(p->y[i]))
			p->y[i] = NAN;
		else
			scale = fmax(scale, fabs(p->y[i]));
	}
	for (i = 0; i < r->count; i++)
		if (!isnan(p->y[i])) {
			p->y[i] /= scale > 0 ? scale : 1;
			mean += p->y[i];
			n++;
		}
	for (i = 0; i < r->count; i++)
		p->y[i] -= mean / (double)(n > 0 ? n : 1);
}

/* Split the variance of the results that have a cell. */
static struct shares
split(const struct pairing *p, const size_t *cell, size_t cells)
{
	double *sum = xcalloc(cells + 1, sizeof *sum), all = 0, squares = 0;
	size_t *n = xcalloc(cells + 1, sizeof *n), i;
	struct shares s = {0};

	for (i = 0; i < p->count; i++) {
		if (cell[i] == CHART_NO_LEVEL)
			continue;
		sum[cell[i]] += p->y[i];
		n[cell[i]]++;
		all += p->y[i];
		squares += p->y[i] * p->y[i];
		s.n++;
	}
	for (i = 0; i < cells; i++)
		if (n[i] > 0) {
			s.between += sum[i] * sum[i] / (double)n[i];
			s.cells++;
		}
	if (s.n > 0) {
		s.between -= all * all / (double)s.n;
		s.total = squares - all * all / (double)s.n;
	}
	free(sum);
	free(n);
	return s;
}

/* Put the cells of a pair, and its factors on the same results, into cell. */
static void
fill_cells(const struct pairing *p, size_t a, size_t b, size_t *cell[3])
{
	const struct chart_levels *la = &p->factor[a], *lb = &p->factor[b];
	size_t i;

	for (i = 0; i < p->count; i++) {
		cell[0][i] = cell[1][i] = cell[2][i] = CHART_NO_LEVEL;
		if (isnan(p->y[i]) || la->of[i] == CHART_NO_LEVEL ||
		    lb->of[i] == CHART_NO_LEVEL)
			continue;
		cell[0][i] = la->of[i];
		cell[1][i] = lb->of[i];
		cell[2][i] = la->of[i] * lb->count + lb->of[i];
	}
}

/* Whether a pair explains clearly more than chance would. */
static int
judge_pair(const struct pairing *p, size_t a, size_t b, size_t *cell[3],
    struct chart_pair *out)
{
	enum { DEVIATIONS = 3 };
	const double least = 0.05;
	size_t one = p->factor[a].count, two = p->factor[b].count;
	struct shares sa, sb, both;
	double freedom, deviation;

	if (one < 2 || two < 2 || one > p->count / two)
		return 0; /* mostly cells with one result, or none */
	fill_cells(p, a, b, cell);
	sa = split(p, cell[0], one);
	sb = split(p, cell[1], two);
	both = split(p, cell[2], one * two);
	freedom = (double)both.cells - (double)sa.cells - (double)sb.cells + 1;
	if (both.cells >= both.n || freedom < 1 ||
	    both.total < 1e-20 * (double)both.n)
		return 0;
	*out = (struct chart_pair){.factor = {a, b}};
	out->share = (both.between - sa.between - sb.between) / both.total;
	out->chance = freedom / (double)(both.n - 1);
	deviation = sqrt(2 * freedom) / (double)(both.n - 1);
	return out->share > out->chance + fmax(DEVIATIONS * deviation, least);
}

/* Keep the pairs that explain the most beyond chance, sorted. */
static size_t
keep(struct chart_pair *kept, size_t count, size_t most, struct chart_pair new)
{
	double worth = new.share - new.chance;
	size_t i = count < most ? count++ : most;

	if (i == most && worth <= kept[i - 1].share - kept[i - 1].chance)
		return count;
	if (i == most)
		i--;
	for (; i > 0 && kept[i - 1].share - kept[i - 1].chance < worth; i--)
		kept[i] = kept[i - 1];
	kept[i] = new;
	return count;
}

size_t
chart_pairs(const struct chart_results *r, int log_scale,
    struct chart_pair *out, size_t most)
{
	struct pairing p = {0};
	struct chart_pair pair;
	size_t *cell[3], a, b, count = 0, i;

	open_values(&p, r, log_scale);
	p.factors = r->factors < FACTORS ? r->factors : FACTORS;
	p.factor = xcalloc(p.factors + 1, sizeof *p.factor);
	for (a = 0; a < p.factors; a++)
		chart_levels_make(&p.factor[a], r, a, RESULT_LEVELS);
	for (i = 0; i < 3; i++)
		cell[i] = xcalloc(r->count + 1, sizeof **cell);
	for (a = 0; a < p.factors; a++)
		for (b = a + 1; b < p.factors; b++)
			if (judge_pair(&p, a, b, cell, &pair))
				count = keep(out, count, most, pair);
	for (a = 0; a < p.factors; a++)
		chart_levels_free(&p.factor[a]);
	for (i = 0; i < 3; i++)
		free(cell[i]);
	free(p.factor);
	free(p.y);
	return count;
}
