#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result.h"
#include "plot/private.h"

/* The results of one metric, and their arrays. */
struct study {
	struct chart_results results;
	struct chart_factor *factor;
	const char **value; /* for each factor, the value of each run */
	double *best;
	char *of, *how;
};

static double
best_of(const struct plot *p, const struct plot_run *run, size_t metric)
{
	struct curve c;

	if (!plot_was_read(run))
		return run->recorded;
	c = curve_of(p, run, metric);
	return curve_best(&c);
}

/* Average over groups of runs.  The groups have no values of p->mean. */
static void
merge(struct study *s, const struct plot *p)
{
	size_t *of = xcalloc(p->runs + 1, sizeof *of), i, k;
	size_t groups = plot_groups(p, of);
	double *sum = xcalloc(groups + 1, sizeof *sum);
	size_t *members = xcalloc(groups + 1, sizeof *members);
	char *names = strlist_join(&p->mean, ",");

	for (i = 0; i < p->runs; i++) {
		sum[of[i]] += s->best[i];
		/* In place: a group's index is at most its first run's. */
		for (k = 0; k < p->param.count && members[of[i]] == 0; k++)
			s->value[k * p->runs + of[i]] =
			    strlist_have(&p->mean, p->param.word[k])
			    ? NULL
			    : s->value[k * p->runs + i];
		members[of[i]]++;
	}
	for (i = 0; i < groups; i++)
		s->best[i] = sum[i] / (double)members[i];
	s->results.count = groups;
	s->results.how = s->how = xasprintf("%zu means over %s", groups, names);
	free(names);
	free(of);
	free(sum);
	free(members);
}

/* Take the best values of a metric, and the chosen hyperparameters. */
static void
study_open(struct study *s, const struct plot *p, size_t metric,
    const size_t *wanted, size_t count)
{
	size_t i, k, params = p->param.count;

	s->factor = xcalloc(count + 1, sizeof *s->factor);
	s->value = xcalloc(params * p->runs + 1, sizeof *s->value);
	s->best = xcalloc(p->runs + 1, sizeof *s->best);
	s->of = plot_nouns(p);
	for (k = 0; k < count; k++)
		s->factor[k] = (struct chart_factor){
		    p->param.word[wanted[k]], &s->value[wanted[k] * p->runs]};
	for (i = 0; i < p->runs; i++) {
		s->best[i] = best_of(p, &p->run[i], metric);
		for (k = 0; p->run[i].value != NULL && k < params; k++)
			s->value[k * p->runs + i] = p->run[i].value[k];
	}
	s->results = (struct chart_results){.metric = p->metric.word[metric],
	    .of = s->of,
	    .higher = plot_goal(p, metric) == METRICS_MAX,
	    .best = s->best,
	    .count = p->runs,
	    .factor = s->factor,
	    .factors = count};
	s->how = NULL;
	if (p->mean.count > 0)
		merge(s, p);
}

/*
 * Find the hyperparameters of p->by, or all if there are none.  Returns their
 * numbers, to free, and sets *count; or NULL with the reason in e.
 */
static size_t *
find_params(const struct plot *p, size_t *count, struct error *e)
{
	size_t *out = xcalloc(p->by.count + p->param.count + 1, sizeof *out);
	size_t i;
	int k = 0;

	*count = p->by.count > 0 ? p->by.count : p->param.count;
	for (i = 0; i < *count && k != -1; i++) {
		k = (int)i;
		if (p->by.count > 0)
			k = text_among(p->by.word[i],
			    (const char *const *)p->param.word, p->param.count);
		if (k == -1)
			plot_no_param(&p->param, p->by.word[i], e);
		out[i] = (size_t)k;
	}
	if (p->kind != PLOT_HIST && p->param.count == 0)
		k = error_set(e,
		    "no hyperparameters are known of these "
		    "(only tasks of jobs have some)");
	if (k != -1)
		return out;
	free(out);
	return NULL;
}

static size_t
draw_gnuplot(FILE *out, enum plot_kind kind, const struct chart *look,
    const struct chart_results *r)
{
	return kind == PLOT_GRID ? chart_grid_gnuplot(out, look, r, 0, 1)
	    : kind == PLOT_BY    ? chart_by_gnuplot(out, look, r)
				 : chart_hist_gnuplot(out, look, r);
}

static int
draw_svg(struct chart_svg *svg, enum plot_kind kind, const struct chart *look,
    const struct chart_results *r, struct error *e)
{
	return kind == PLOT_GRID ? chart_grid_svg(svg, look, r, 0, 1, e)
	    : kind == PLOT_BY    ? chart_by_svg(svg, look, r, e)
				 : chart_hist_svg(svg, look, r, e);
}

static int
draw_text(const struct plot_easel *to, enum plot_kind kind,
    const struct chart *look, const struct chart_results *r, struct error *e)
{
	return kind == PLOT_GRID
	    ? chart_grid(to->out, to->notes, look, r, 0, 1, e)
	    : kind == PLOT_BY ? chart_by(to->out, to->notes, look, r, e)
			      : chart_hist(to->out, to->notes, look, r, e);
}

int
plot_results(const struct plot_easel *to, const struct plot *p,
    const struct chart *look, struct error *e)
{
	size_t count, m, *wanted = find_params(p, &count, e);
	int status = wanted == NULL ? -1 : 0;
	struct study s;

	for (m = 0; m < p->metric.count && status == 0; m++) {
		study_open(&s, p, m, wanted, count);
		if (to->drawn != NULL) {
			*to->drawn +=
			    draw_gnuplot(to->out, p->kind, look, &s.results);
		} else if (to->svg != NULL) {
			status =
			    draw_svg(to->svg, p->kind, look, &s.results, e);
		} else {
			if (m > 0)
				putc('\n', to->out);
			status = draw_text(to, p->kind, look, &s.results, e);
		}
		free(s.factor);
		free(s.value);
		free(s.best);
		free(s.of);
		free(s.how);
	}
	free(wanted);
	return status;
}

/* Write a line with the best value of a run and its hyperparameters. */
static void
write_result(FILE *out, const struct plot *p, const struct plot_run *run,
    size_t metric, const struct strlist *names)
{
	double best = best_of(p, run, metric);
	char text[NUM_TEXT];
	size_t i;
	int k;

	text_tsv(out, run->name);
	putc('\t', out);
	text_tsv(out, p->metric.word[metric]);
	fprintf(out, "\t%s", isnan(best) ? "" : num_exact(best, text));
	for (i = 0; i < names->count; i++) {
		putc('\t', out);
		k = text_among(names->word[i],
		    (const char *const *)p->param.word, p->param.count);
		if (run->value != NULL && k >= 0 && run->value[k] != NULL)
			text_tsv(out, run->value[k]);
	}
	putc('\n', out);
}

void
plot_tsv_results(FILE *out, const struct plot *p, size_t count)
{
	struct strlist names = {0};
	size_t i, k, m;

	for (i = 0; i < count; i++)
		for (k = 0; k < p[i].param.count; k++)
			if (!strlist_have(&names, p[i].param.word[k]))
				strlist_push(&names, p[i].param.word[k]);
	fputs("series\tmetric\tbest", out);
	for (k = 0; k < names.count; k++) {
		putc('\t', out);
		text_tsv(out, names.word[k]);
	}
	putc('\n', out);
	for (i = 0; i < count; i++)
		for (m = 0; m < p[i].metric.count; m++)
			for (k = 0; k < p[i].runs; k++)
				write_result(
				    out, &p[i], &p[i].run[k], m, &names);
	strlist_free(&names);
}
