#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "plot/private.h"

const struct metrics_series *
plot_series(const struct plot_run *run, size_t metric)
{
	return run->made != NULL ? &run->made[metric].series
				 : metrics_log_series(run->log, metric);
}

static void
made_free(struct plot_made *m)
{
	free(m->series.x);
	free(m->series.y);
	free(m->series.start);
	free(m->low);
	free(m->high);
}

void
plot_made_free(struct plot_made *made, size_t count)
{
	size_t i;

	for (i = 0; made != NULL && i < count; i++)
		made_free(&made[i]);
	free(made);
}

int
plot_is_time(const struct plot *p)
{
	return p->x != NULL && strcmp(p->x, "time") == 0;
}

/* ---- one run ---- */

/* Clocks count from 1970; a training takes no ten years. */
enum { CLOCK = 315360000 };

/* The least x of all metrics where it is a time of day, else 0. */
static double
beginning(const struct plot *p, const struct plot_run *run)
{
	const struct metrics_series *s;
	double least = INFINITY;
	size_t m, i;

	for (m = 0; m < p->metric.count; m++) {
		s = metrics_log_series(run->log, m);
		for (i = 0; i < s->count; i++)
			least = fmin(least, s->x[i]);
	}
	return isfinite(least) && least > CLOCK ? least : 0;
}

/* A copy without what lies beyond an x; x counts from begin on. */
static void
copy_up_to(struct metrics_series *to, const struct metrics_series *from,
    double begin, double at)
{
	size_t i, next = 0;
	int broken = 1;

	*to = (struct metrics_series){.column = from->column};
	to->x = xcalloc(from->count + 1, sizeof *to->x);
	to->y = xcalloc(from->count + 1, sizeof *to->y);
	to->start = xcalloc(from->starts + 1, sizeof *to->start);
	for (i = 0; i < from->count; i++) {
		while (next < from->starts && from->start[next] <= i) {
			next++;
			broken = 1;
		}
		if (from->x[i] - begin > at)
			continue;
		if (broken)
			to->start[to->starts++] = to->count;
		broken = 0;
		to->x[to->count] = from->x[i] - begin;
		to->y[to->count++] = from->y[i];
	}
}

void
plot_shape(const struct plot *p, struct plot_run *run)
{
	double begin = 0, at = isnan(p->at) ? INFINITY : p->at;
	size_t i;

	if (run->log == NULL || run->made != NULL)
		return;
	if (plot_is_time(p))
		begin = beginning(p, run);
	if (begin == 0 && isinf(at))
		return;
	run->made = xcalloc(p->metric.count + 1, sizeof *run->made);
	for (i = 0; i < p->metric.count; i++)
		copy_up_to(&run->made[i].series,
		    metrics_log_series(run->log, i), begin, at);
}
