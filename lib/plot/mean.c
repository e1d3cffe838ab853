#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "plot/private.h"

/* ---- groups ---- */

int
plot_no_param(const struct strlist *names, const char *name, struct error *e)
{
	char *list = strlist_join(names, ", "), hint[TEXT_HINT];

	text_hint(
	    name, (const char *const *)names->word, names->count, "", hint);
	error_set(e, "%s: no such hyperparameter (%s%s%s%s)", name, hint,
	    *hint != '\0' ? " " : "",
	    names->count > 0 ? "there is " : "only tasks of jobs have some",
	    list);
	free(list);
	return -1;
}

/* A run with the key that all runs of its group share. */
struct keyed {
	char *key;
	size_t run;
};

static int
by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order != 0 ? order : x->run < y->run ? -1 : x->run > y->run;
}

/* Groups are numbered in the order of their first runs. */
size_t
plot_groups(const struct plot *p, size_t *of)
{
	struct keyed *k = xcalloc(p->runs + 1, sizeof *k);
	size_t *first = xcalloc(p->runs + 1, sizeof *first);
	size_t i, n, length, groups = 0;
	const struct plot_run *run;
	FILE *f;

	for (i = 0; i < p->runs; i++) {
		run = &p->run[i];
		k[i].run = i;
		f = xmemopen(&k[i].key, &length);
		fprintf(f, "%.*s", (int)strcspn(run->name, "/"), run->name);
		for (n = 0; run->value != NULL && n < p->param.count; n++)
			if (!strlist_have(&p->mean, p->param.word[n]))
				fprintf(f, "\n%s",
				    run->value[n] != NULL ? run->value[n]
							  : "\t");
		xmemclose(f);
	}
	if (p->runs > 0)
		qsort(k, p->runs, sizeof *k, by_key);
	for (i = 0; i < p->runs; i++)
		first[k[i].run] = i > 0 && strcmp(k[i].key, k[i - 1].key) == 0
		    ? first[k[i - 1].run]
		    : k[i].run;
	for (i = 0; i < p->runs; i++)
		of[i] = first[i] == i ? groups++ : of[first[i]];
	for (i = 0; i < p->runs; i++)
		free(k[i].key);
	free(k);
	free(first);
	return groups;
}

/* ---- means ---- */

/* A point of a run; order is its place in the log. */
struct point {
	double x, y;
	size_t order;
};

static int
by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->order < q->order ? -1 : p->order > q->order;
}

/* A run of a group: its points by x, each x once, and the point reached. */
struct member {
	struct point *point;
	size_t count, at;
};

/* Take the points of a series; the last of several points at an x counts. */
static struct member
member_of(const struct metrics_series *s)
{
	struct member m = {.point = xcalloc(s->count + 1, sizeof *m.point)};
	size_t i;

	for (i = 0; i < s->count; i++)
		m.point[i] = (struct point){s->x[i], s->y[i], i};
	if (s->count > 0)
		qsort(m.point, s->count, sizeof *m.point, by_x);
	for (i = 0; i < s->count; i++)
		if (i + 1 == s->count || m.point[i + 1].x != m.point[i].x)
			m.point[m.count++] = m.point[i];
	return m;
}

/* Advance all members to x.  Returns whether all have a value there. */
static int
all_reach(struct member *m, size_t members, double x)
{
	size_t i;

	for (i = 0; i < members; i++) {
		while (m[i].at < m[i].count && m[i].point[m[i].at].x < x)
			m[i].at++;
		if (m[i].at == m[i].count || m[i].point[m[i].at].x != x)
			return 0;
	}
	return 1;
}

static struct plot_made
mean_of(const struct plot_run *const *run, size_t runs, size_t metric)
{
	struct member *m = xcalloc(runs, sizeof *m);
	struct plot_made made = {{0}};
	struct metrics_series *s = &made.series;
	double sum, low, high, y;
	size_t i, k, points;

	for (i = 0; i < runs; i++)
		m[i] = member_of(plot_series(run[i], metric));
	points = m[0].count;
	s->x = xcalloc(points + 1, sizeof *s->x);
	s->y = xcalloc(points + 1, sizeof *s->y);
	made.low = xcalloc(points + 1, sizeof *made.low);
	made.high = xcalloc(points + 1, sizeof *made.high);
	s->start = xcalloc(1, sizeof *s->start);
	for (i = 0; i < points; i++) {
		if (!all_reach(m + 1, runs - 1, m[0].point[i].x))
			continue;
		m[0].at = i;
		sum = 0;
		low = INFINITY;
		high = -INFINITY;
		for (k = 0; k < runs; k++) {
			y = m[k].point[m[k].at].y;
			sum += y / (double)runs;
			low = fmin(low, y);
			high = fmax(high, y);
		}
		s->x[s->count] = m[0].point[i].x;
		s->y[s->count] = sum;
		made.low[s->count] = isfinite(sum) ? low : NAN;
		made.high[s->count++] = isfinite(sum) ? high : NAN;
	}
	s->starts = s->count > 0;
	for (i = 0; i < runs; i++)
		free(m[i].point);
	free(m);
	return made;
}

static double
last_x(const struct metrics_series *s)
{
	double last = -INFINITY;
	size_t i;

	for (i = 0; i < s->count; i++)
		last = fmax(last, s->x[i]);
	return last;
}

/* Note if a mean ends early because one of its runs ended early. */
static void
note_end(FILE *notes, const struct plot_run *const *run, size_t runs,
    const struct plot_made *made, const char *name)
{
	char at[NUM_TEXT];
	double most = -INFINITY;
	size_t i, least = 0;

	for (i = 0; i < runs; i++) {
		most = fmax(most, last_x(plot_series(run[i], 0)));
		if (last_x(plot_series(run[i], 0)) <
		    last_x(plot_series(run[least], 0)))
			least = i;
	}
	if (made->series.count == 0)
		fprintf(notes, "%s: no %s that all of them have\n", name,
		    curve_x_name(run[0]));
	else if (last_x(&made->series) < most)
		fprintf(notes, "%s: the mean ends at %s %s, with %s\n", name,
		    curve_x_name(run[0]), num_exact(last_x(&made->series), at),
		    run[least]->name);
}

/* Return the name of a group, "conv2d/0-2", or of its first file; to free. */
static char *
group_name(const struct plot_run *const *run, size_t runs)
{
	struct idset tasks = {0};
	const char *slash;
	char *list, *name;
	int64_t task;
	size_t i;

	for (i = 0; i < runs; i++) {
		slash = strrchr(run[i]->name, '/');
		if (run[i]->state == NULL || slash == NULL ||
		    num_int("", slash + 1, 0, INT64_MAX, &task, NULL) == -1)
			break;
		idset_add(&tasks, (uint64_t)task, (uint64_t)task);
	}
	list = idset_text(&tasks);
	slash = strrchr(run[0]->name, '/');
	if (i == runs)
		name = xasprintf("%.*s%s", (int)(slash + 1 - run[0]->name),
		    run[0]->name, list);
	else
		name = xstrdup(run[0]->name);
	free(list);
	idset_free(&tasks);
	return name;
}

/* Merge a group into a copy of its first run, and free the others. */
static struct plot_run
merge_group(
    const struct plot *p, struct plot_run *const *run, size_t runs, FILE *notes)
{
	const struct plot_run *const *all = (const void *)run;
	struct plot_run merged = *run[0];
	size_t i;

	merged.made = xcalloc(p->metric.count + 1, sizeof *merged.made);
	for (i = 0; i < p->metric.count; i++)
		merged.made[i] = mean_of(all, runs, i);
	merged.name = group_name(all, runs);
	merged.members = runs;
	for (i = 1; i < runs; i++) {
		if (run[i]->state != NULL && merged.state != NULL &&
		    strcmp(run[i]->state, merged.state) != 0)
			merged.state = "MIXED";
		merged.training |= run[i]->training;
		merged.epochs = fmax(merged.epochs, run[i]->epochs);
	}
	note_end(notes, all, runs, &merged.made[0], merged.name);
	/* Free the members of the first run that merged does not take over. */
	free(run[0]->name);
	plot_made_free(run[0]->made, p->metric.count);
	for (i = 1; i < runs; i++)
		plot_run_free(p, run[i]);
	return merged;
}

/* Drop the averaged hyperparameters: they no longer distinguish runs. */
static void
drop_params(struct plot *p)
{
	size_t i, k, kept = 0;
	char **value;
	int drop;

	for (k = 0; k < p->param.count; k++) {
		drop = strlist_have(&p->mean, p->param.word[k]);
		for (i = 0; i < p->runs; i++) {
			value = p->run[i].value;
			if (value != NULL && drop)
				free(value[k]);
			else if (value != NULL)
				value[kept] = value[k];
		}
		if (drop)
			free(p->param.word[k]);
		else
			p->param.word[kept++] = p->param.word[k];
	}
	p->param.count = kept;
}

static int
check_names(const struct plot *p, struct error *e)
{
	size_t i;

	for (i = 0; i < p->mean.count; i++)
		if (!strlist_have(&p->known, p->mean.word[i]))
			return plot_no_param(&p->known, p->mean.word[i], e);
	for (i = 0; p->kind != PLOT_CURVES && i < p->by.count; i++)
		if (strlist_have(&p->mean, p->by.word[i]))
			return error_set(e,
			    "%s: it is averaged over (--mean), and cannot be "
			    "drawn along as well",
			    p->by.word[i]);
	if (plot_is_time(p))
		return error_set(e,
		    "a mean over tasks is taken at the same "
		    "epoch or step, not along the time");
	return 0;
}

int
plot_merge(struct plot *p, FILE *notes, struct error *e)
{
	size_t *of, groups, g, i, members;
	struct plot_run **run, *merged;

	if (p->mean.count == 0 || p->runs == 0)
		return 0;
	if (check_names(p, e) == -1)
		return -1;
	/* Best values are averaged only when they are drawn. */
	if (p->kind != PLOT_CURVES)
		return 0;
	of = xcalloc(p->runs, sizeof *of);
	run = xcalloc(p->runs, sizeof *run);
	groups = plot_groups(p, of);
	merged = xcalloc(groups, sizeof *merged);
	for (g = 0; g < groups; g++) {
		for (i = members = 0; i < p->runs; i++)
			if (of[i] == g)
				run[members++] = &p->run[i];
		merged[g] = merge_group(p, run, members, notes);
	}
	p->merged = p->runs;
	free(p->run);
	p->run = merged;
	p->runs = groups;
	drop_params(p);
	free(of);
	free(run);
	return 0;
}
