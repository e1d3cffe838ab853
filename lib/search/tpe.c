#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "search/tpe.h"
#include "space/draw.h"

enum { CANDIDATES = 24, MOST = 25 };

size_t
search_tpe_best(size_t n)
{
	size_t best = (n + 9) / 10;

	return best < MOST ? best : MOST;
}

/* A trial to sort. */
struct ranked {
	const struct search_trial *trial;
	double cost;
	size_t number;
};

/* The best first: trials that came furthest, by value; running ones last. */
static int
by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->trial->running != y->trial->running)
		return x->trial->running ? 1 : -1;
	if (x->trial->reached != y->trial->reached)
		return x->trial->reached > y->trial->reached ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int
by_number(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Make the estimator of some trials, oldest first. */
static struct search_parzen *
density(const struct search_dim *dim, size_t dims, struct ranked *trials,
    size_t count)
{
	double *points = xcalloc(count * dims + 1, sizeof *points);
	struct search_parzen *z;
	size_t i;

	if (count > 0)
		qsort(trials, count, sizeof *trials, by_number);
	for (i = 0; i < count; i++)
		memcpy(&points[i * dims], trials[i].trial->point,
		    dims * sizeof *points);
	z = search_parzen_new(dim, dims, points, count);
	free(points);
	return z;
}

/* Draw candidates from good, and take the one with the largest ratio. */
static void
choose(const struct search_parzen *good, const struct search_parzen *bad,
    size_t dims, uint64_t seed, uint64_t trial, double *point)
{
	double *unit = xcalloc(dims + 1, sizeof *unit);
	double *other = xcalloc(dims + 1, sizeof *other);
	double ratio, best = -INFINITY;
	char name[40];
	size_t i, d;

	for (i = 0; i < CANDIDATES; i++) {
		for (d = 0; d <= dims; d++) {
			snprintf(name, sizeof name, "tpe %zu %zu", i, d);
			unit[d] = draw_unit(draw_hash(seed, trial, name));
		}
		search_parzen_draw(good, unit, other);
		ratio = search_parzen_log(good, other) -
		    search_parzen_log(bad, other);
		if (i == 0 || ratio > best) {
			best = ratio;
			memcpy(point, other, dims * sizeof *point);
		}
	}
	free(unit);
	free(other);
}

/* Return the trials, the best first, and how many of them have a result. */
static struct ranked *
rank(const struct search_trial *trials, size_t count, int higher,
    size_t *results)
{
	struct ranked *all = xcalloc(count + 1, sizeof *all);
	double value;
	size_t i;

	*results = 0;
	for (i = 0; i < count; i++) {
		value = trials[i].value;
		all[i] = (struct ranked){&trials[i],
		    isnan(value) ? INFINITY
			: higher ? -value
				 : value,
		    i};
		*results += !trials[i].running;
	}
	if (count > 0)
		qsort(all, count, sizeof *all, by_rank);
	return all;
}

const struct search_trial **
search_ranked(const struct search_trial *trials, size_t count, int higher,
    size_t *results)
{
	struct ranked *all = rank(trials, count, higher, results);
	const struct search_trial **best = xcalloc(count + 1, sizeof *best);
	size_t i;

	for (i = 0; i < count; i++)
		best[i] = all[i].trial;
	free(all);
	return best;
}

void
search_tpe(const struct search_dim *dim, size_t dims,
    const struct search_trial *trials, size_t count, int higher, uint64_t seed,
    uint64_t trial, double *point)
{
	size_t results, best;
	struct ranked *all = rank(trials, count, higher, &results);
	struct search_parzen *good, *bad;

	best = search_tpe_best(results);
	good = density(dim, dims, all, best);
	bad = density(dim, dims, all + best, count - best);
	choose(good, bad, dims, seed, trial, point);
	search_parzen_free(good);
	search_parzen_free(bad);
	free(all);
}
