#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "plot/private.h"

struct plot
plot_like(const struct plot *like)
{
	struct plot p = {.kind = like->kind,
	    .goal = like->goal,
	    .x = like->x,
	    .at = like->at,
	    .points = like->points,
	    .pattern = like->pattern,
	    .usage = like->usage,
	    .so_far = like->so_far,
	    .partner = like->partner,
	    .alone = like->alone,
	    .is_paper = like->is_paper,
	    .best = like->best};

	strlist_copy(&p.metric, &like->metric);
	strlist_copy(&p.by, &like->by);
	strlist_copy(&p.mean, &like->mean);
	return p;
}

void
plot_run_free(const struct plot *p, struct plot_run *run)
{
	size_t i;

	for (i = 0; run->value != NULL && i < p->param.count; i++)
		free(run->value[i]);
	free(run->value);
	free(run->name);
	strlist_free(&run->before);
	metrics_header_free(&run->header);
	metrics_log_free(run->log);
	plot_made_free(run->made, p->metric.count);
	*run = (struct plot_run){0};
}

void
plot_free(struct plot *p)
{
	size_t i;

	for (i = 0; i < p->runs; i++)
		plot_run_free(p, &p->run[i]);
	free(p->run);
	free(p->of);
	free(p->rung);
	strlist_free(&p->metric);
	strlist_free(&p->by);
	strlist_free(&p->mean);
	strlist_free(&p->known);
	strlist_free(&p->param);
	*p = (struct plot){0};
}

int
plot_goal_known(const struct plot *p, size_t metric)
{
	return p->goal != METRICS_GOAL_BY_NAME ||
	    metrics_goal_known(p->metric.word[metric]);
}

int
plot_counts_epochs(const struct plot_run *run)
{
	return run->x == METRICS_NONE ||
	    ascii_ncasecmp(run->header.name[run->x], "epoch", 5) == 0;
}

int
plot_has_values(const struct plot *p, const struct plot_run *run)
{
	size_t i, count = 0;

	for (i = 0; i < p->metric.count; i++)
		count += plot_series(run, i)->count;
	return count > 0;
}

/* Copy a series up to x = at; x is counted from begin. */
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
	if (from->weight != NULL) {
		to->weight = xcalloc(from->count + 1, sizeof *to->weight);
		to->excess = xcalloc(from->count + 1, sizeof *to->excess);
	}
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
		if (from->weight != NULL) {
			to->weight[to->count] = from->weight[i];
			to->excess[to->count] = from->excess[i];
		}
		to->x[to->count] = from->x[i] - begin;
		to->y[to->count++] = from->y[i];
	}
}

/*
 * Return the x value from which a run is drawn: the first time of a clock, and
 * -1 for a task whose log counts epochs from 0; else 0.
 */
static double
begin_of(const struct plot *p, const struct plot_run *run)
{
	/* Larger times are since 1970: no training takes 10 years. */
	enum { CLOCK = 315360000 };
	const struct metrics_series *s;
	double least = INFINITY;
	int fractions = 0;
	size_t i, k;

	for (k = 0; k < p->metric.count; k++) {
		s = metrics_log_series(run->log, k);
		for (i = 0; i < s->count; i++) {
			least = fmin(least, s->x[i]);
			fractions |= s->x[i] != floor(s->x[i]);
		}
	}
	if (plot_is_time(p))
		return isfinite(least) && least > CLOCK ? least : 0;
	if (run->state == NULL || !plot_counts_epochs(run))
		return 0;
	return least - metrics_epochs_done(least, least, fractions);
}

/*
 * Make the values of a run for drawing: times from 0, epochs of tasks from 1,
 * values up to p->at.
 */
static void
shape_run(const struct plot *p, struct plot_run *run)
{
	double begin, at = isnan(p->at) ? INFINITY : p->at;
	size_t i;

	if (run->log == NULL || run->made != NULL)
		return;
	begin = begin_of(p, run);
	if (begin == 0 && isinf(at))
		return;
	run->made = xcalloc(p->metric.count + 1, sizeof *run->made);
	for (i = 0; i < p->metric.count; i++)
		copy_up_to(&run->made[i].series,
		    metrics_log_series(run->log, i), begin, at);
}

void
plot_add(struct plot *p, const struct plot_run *run)
{
	p->run = xgrow(p->run, p->runs, sizeof *run);
	p->run[p->runs] = *run;
	shape_run(p, &p->run[p->runs++]);
}

const struct metrics_series *
plot_series(const struct plot_run *run, size_t metric)
{
	return run->made != NULL ? &run->made[metric].series
				 : metrics_log_series(run->log, metric);
}

void
plot_made_free(struct plot_made *made, size_t count)
{
	size_t i;

	for (i = 0; made != NULL && i < count; i++) {
		free(made[i].series.x);
		free(made[i].series.y);
		free(made[i].series.start);
		free(made[i].series.weight);
		free(made[i].series.excess);
		free(made[i].low);
		free(made[i].high);
	}
	free(made);
}

int
plot_is_time(const struct plot *p)
{
	return p->x != NULL && strcmp(p->x, "time") == 0;
}

char *
plot_x_text(const struct plot *p, double x, char out[NUM_TEXT])
{
	return plot_is_time(p) ? num_span((int64_t)x, out) : num_exact(x, out);
}

int
plot_was_read(const struct plot_run *run)
{
	return run->log != NULL || run->made != NULL;
}

/* ---- curves ---- */

struct curve
curve_of(const struct plot *p, const struct plot_run *run, size_t metric)
{
	struct curve c = {.run = run,
	    .metric = p->metric.word[metric],
	    .goal = plot_goal(p, metric),
	    .series = plot_series(run, metric),
	    .made = run->made != NULL ? &run->made[metric] : NULL};

	metrics_series_facts(c.series, c.goal, &c.facts);
	return c;
}

double
curve_best(const struct curve *c)
{
	return c->facts.best == METRICS_NO_POINT ? NAN
						 : c->series->y[c->facts.best];
}

static int
by_best(const void *a, const void *b)
{
	const struct curve *c = a, *d = b;
	double x = curve_best(c), y = curve_best(d);

	if (metrics_better(c->goal, x, y))
		return -1;
	if (metrics_better(c->goal, y, x))
		return 1;
	return c->run < d->run ? -1 : c->run > d->run;
}

size_t
curves_of_metric(const struct plot *p, size_t metric, struct curve *out)
{
	size_t i;

	for (i = 0; i < p->runs; i++)
		out[i] = curve_of(p, &p->run[i], metric);
	if (p->runs > 0)
		qsort(out, p->runs, sizeof *out, by_best);
	return p->best > 0 && p->best < p->runs ? p->best : p->runs;
}

const char *
curve_x_name(const struct plot_run *run)
{
	return run->x == METRICS_NONE ? "row" : run->header.name[run->x];
}

struct chart_line
curve_line(const struct curve *c)
{
	return (struct chart_line){.x = c->series->x,
	    .y = c->series->y,
	    .low = c->made != NULL ? c->made->low : NULL,
	    .high = c->made != NULL ? c->made->high : NULL,
	    .weight = c->series->weight,
	    .excess = c->series->excess,
	    .count = c->series->count,
	    .start = c->series->start,
	    .starts = c->series->starts,
	    .best = c->facts.best};
}

size_t
plot_count_tasks(const struct plot *p)
{
	size_t i, tasks = 0;

	for (i = 0; i < p->runs; i++)
		tasks += p->run[i].state != NULL;
	return tasks;
}

char *
plot_nouns(const struct plot *p)
{
	size_t files = p->runs - plot_count_tasks(p);
	size_t tasks = p->runs - files + p->left;
	char *some, *text;

	if (p->so_far)
		return xasprintf("best so far of %zu job%s", p->runs,
		    p->runs == 1 ? "" : "s");
	if (p->merged > 0) {
		files = 0;
		tasks = p->merged;
	}
	some = xasprintf("%zu task%s of %s", tasks, tasks == 1 ? "" : "s",
	    p->of != NULL ? p->of : "");
	if (tasks > 0 && files == 0)
		return some;
	text = xasprintf("%s%s%zu file%s", tasks > 0 ? some : "",
	    tasks > 0 ? ", " : "", files, files == 1 ? "" : "s");
	free(some);
	return text;
}
