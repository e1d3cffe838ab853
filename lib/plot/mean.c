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

/* What all runs of a group have in common, as text; to free. */
static char *
group_key(const struct plot *p, const struct plot_run *run)
{
	char *key = NULL;
	size_t i, length;
	FILE *f = xmemopen(&key, &length);

	fprintf(f, "%.*s", (int)strcspn(run->name, "/"), run->name);
	for (i = 0; run->value != NULL && i < p->param.count; i++)
		if (!strlist_have(&p->mean, p->param.word[i]))
			fprintf(f, "\n%s",
			    run->value[i] != NULL ? run->value[i] : "\t");
	xmemclose(f);
	return key;
}

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

/* Groups are numbered as their first runs come. */
size_t
plot_groups(const struct plot *p, size_t *of)
{
	struct keyed *k = xcalloc(p->runs + 1, sizeof *k);
	size_t *first = xcalloc(p->runs + 1, sizeof *first), i, groups = 0;

	for (i = 0; i < p->runs; i++)
		k[i] = (struct keyed){group_key(p, &p->run[i]), i};
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

/* A point of a run; of those with the same x the last one counts. */
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

/* Returns how many there are, sorted by x, each x once. */
static size_t
points_of(const struct metrics_series *s, struct point *out)
{
	size_t i, count = 0;

	for (i = 0; i < s->count; i++)
		out[i] = (struct point){s->x[i], s->y[i], i};
	if (s->count > 0)
		qsort(out, s->count, sizeof *out, by_x);
	for (i = 0; i < s->count; i++)
		if (i + 1 == s->count || out[i + 1].x != out[i].x)
			out[count++] = out[i];
	return count;
}

struct member {
	struct point *point;
	size_t count, at;
};

/* Whether all members have a value at x; they go on to it. */
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

static void
add_mean(
    struct plot_made *out, const struct member *m, size_t members, double x)
{
	double sum = 0, low = INFINITY, high = -INFINITY, y;
	size_t i, k = out->series.count++;

	for (i = 0; i < members; i++) {
		y = m[i].point[m[i].at].y;
		sum += y / (double)members;
		low = fmin(low, y);
		high = fmax(high, y);
	}
	out->series.x[k] = x;
	out->series.y[k] = sum;
	out->low[k] = isfinite(sum) ? low : NAN;
	out->high[k] = isfinite(sum) ? high : NAN;
}

static struct plot_made
mean_of(const struct plot_run *const *run, size_t runs, size_t metric)
{
	struct member *m = xcalloc(runs, sizeof *m);
	const struct metrics_series *s;
	struct plot_made made = {{0}};
	size_t i;

	for (i = 0; i < runs; i++) {
		s = plot_series(run[i], metric);
		m[i].point = xcalloc(s->count + 1, sizeof *m[i].point);
		m[i].count = points_of(s, m[i].point);
	}
	made.series.x = xcalloc(m[0].count + 1, sizeof(double));
	made.series.y = xcalloc(m[0].count + 1, sizeof(double));
	made.low = xcalloc(m[0].count + 1, sizeof(double));
	made.high = xcalloc(m[0].count + 1, sizeof(double));
	made.series.start = xcalloc(1, sizeof(size_t));
	for (i = 0; i < m[0].count; i++)
		if (all_reach(m + 1, runs - 1, m[0].point[i].x)) {
			m[0].at = i;
			add_mean(&made, m, runs, m[0].point[i].x);
		}
	made.series.starts = made.series.count > 0;
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

/* Say where a mean ends because one of its runs does. */
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

/* "conv2d/0-2"; of files the first and how many. */
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

/* What a group has to say of itself: its first run says the rest. */
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
	/* The first run keeps what is freed with it. */
	free(run[0]->name);
	plot_made_free(run[0]->made, p->metric.count);
	for (i = 1; i < runs; i++)
		plot_run_free(p, run[i]);
	return merged;
}

/* The hyperparameters that were averaged over tell no runs apart. */
static void
drop_params(struct plot *p)
{
	size_t i, k, kept = 0;

	for (k = 0; k < p->param.count; k++) {
		if (!strlist_have(&p->mean, p->param.word[k])) {
			for (i = 0; i < p->runs; i++)
				if (p->run[i].value != NULL)
					p->run[i].value[kept] =
					    p->run[i].value[k];
			p->param.word[kept++] = p->param.word[k];
			continue;
		}
		free(p->param.word[k]);
		for (i = 0; i < p->runs; i++)
			if (p->run[i].value != NULL)
				free(p->run[i].value[k]);
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
	if (plot_is_time(p))
		return error_set(e,
		    "a mean over tasks is taken at the same "
		    "epoch or step, not along the time");
	/* Best values are averaged when they are drawn. */
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
