#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "plot/private.h"

/* So much of the way has to be behind a run that is to be compared there. */
static const double enough = 0.25;

/* The last x of a run, nan when nobody knows. */
static double
reach_of(const struct plot *p, const struct plot_run *run)
{
	const struct metrics_series *s;
	double last = NAN;
	size_t m, i;

	if (run->log == NULL && run->made == NULL)
		return run->told_x;
	for (m = 0; m < p->metric.count; m++) {
		s = plot_series(run, m);
		for (i = 0; i < s->count; i++)
			if (!(s->x[i] <= last))
				last = s->x[i];
	}
	return last;
}

static const char *
x_name(const struct plot *p)
{
	return p->run[0].log != NULL ? curve_x_name(&p->run[0]) : "epoch";
}

/* Of what was compared at an x: who had not come to it. */
static int
note_behind(FILE *notes, const struct plot *p)
{
	char from[NUM_TEXT], to[NUM_TEXT];
	double least = INFINITY, reach;
	size_t i, behind = 0;

	for (i = 0; i < p->runs; i++) {
		reach = reach_of(p, &p->run[i]);
		behind += reach < p->at;
		least = fmin(least, reach);
	}
	if (behind > 0)
		fprintf(notes,
		    "%zu of %zu have not come to %s %s (the last is at %s)\n",
		    behind, p->runs, x_name(p), num_exact(p->at, to),
		    num_exact(least, from));
	return behind > 0;
}

/* Best values may yet get better. */
static int
note_training(FILE *notes, const struct plot *p)
{
	double least = INFINITY, most = -INFINITY, reach;
	char at[NUM_TEXT];
	size_t i, training = 0;

	for (i = 0; i < p->runs; i++) {
		reach = reach_of(p, &p->run[i]);
		most = fmax(most, reach);
		if (!p->run[i].training)
			continue;
		training++;
		least = fmin(least, reach);
	}
	if (training == 0)
		return 0;
	fprintf(notes, "%zu of %zu still training", training, p->runs);
	if (least >= enough * most && least < most)
		fprintf(notes, " (--at %s compares at the same %s)",
		    num_exact(least, at), x_name(p));
	putc('\n', notes);
	return 1;
}

/* The best value of a curve up to an x, nan when there is none. */
static double
best_until(const struct curve *c, double x)
{
	double best = NAN;
	size_t i;

	for (i = 0; i < c->series->count; i++)
		if (c->series->x[i] <= x &&
		    metrics_better(c->goal, c->series->y[i], best))
			best = c->series->y[i];
	return best;
}

/*
 * Where one that ends earlier was better than the first of all had been until
 * then, to compare them as they are is to compare how far they came.
 */
static int
note_overtaken(FILE *notes, const struct plot *p)
{
	struct curve *curve = xcalloc(p->runs, sizeof *curve);
	const struct curve *other = NULL;
	double most, x, at = 0;
	char text[NUM_TEXT];
	size_t i;

	curves_of_metric(p, 0, curve);
	most = reach_of(p, curve[0].run);
	for (i = 1; i < p->runs; i++) {
		x = reach_of(p, curve[i].run);
		if (x < most && x >= enough * most && x > at &&
		    metrics_better(curve[0].goal, curve_best(&curve[i]),
			best_until(&curve[0], x))) {
			other = &curve[i];
			at = x;
		}
	}
	if (other != NULL)
		fprintf(notes,
		    "%s was ahead of %s at %s %s, its last (--at %s "
		    "compares there)\n",
		    other->run->name, curve[0].run->name, x_name(p),
		    num_exact(at, text), text);
	free(curve);
	return other != NULL;
}

int
plot_note_reach(FILE *notes, const struct plot *p)
{
	if (plot_is_time(p) || (p->alone && p->runs == 1))
		return 0;
	if (!isnan(p->at))
		return note_behind(notes, p);
	if (p->kind != PLOT_CURVES)
		return note_training(notes, p);
	return note_overtaken(notes, p);
}
