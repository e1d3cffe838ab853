#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "plot-own.h"
#include "rows.h"
#include "text.h"
#include "xalloc.h"

struct plot
plot_like(const struct plot *like)
{
	struct plot p = {.kind = like->kind,
	    .goal = like->goal,
	    .x = like->x,
	    .partner = like->partner,
	    .alone = like->alone,
	    .best = like->best};
	size_t i;

	for (i = 0; i < like->metric.count; i++)
		words_push(&p.metric, like->metric.word[i]);
	for (i = 0; i < like->by.count; i++)
		words_push(&p.by, like->by.word[i]);
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
	metrics_header_free(&run->header);
	metrics_log_free(run->log);
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
	words_free(&p->metric);
	words_free(&p->by);
	words_free(&p->param);
	*p = (struct plot){0};
}

enum metrics_goal
plot_goal(const struct plot *p, size_t metric)
{
	return p->goal == METRICS_GOAL_BY_NAME
	    ? metrics_goal(p->metric.word[metric])
	    : (enum metrics_goal)p->goal;
}

/* ---- columns ---- */

/* Say which columns there are, for people who mistyped one; to free. */
static char *
list_columns(const struct metrics_header *h)
{
	enum { MOST = 20 };
	char *list = NULL;
	size_t length, i, shown = 0;
	FILE *f = xmemopen(&list, &length);

	for (i = 0; i < h->count && shown < MOST; i++)
		if (*h->name[i] != '\0')
			fprintf(f, "%s%s", shown++ > 0 ? ", " : "", h->name[i]);
	fputs(shown == MOST ? ", ..." : "", f);
	xmemclose(f);
	return list;
}

static int
no_column(const struct metrics_header *h, const char *name, struct error *e)
{
	const char *near =
	    text_nearest(name, (const char *const *)h->name, h->count);
	char *list = list_columns(h);

	error_set(e, "no column '%s' (%s%s%sit has %s)", name,
	    near ? "did you mean " : "", near ? near : "", near ? "? " : "",
	    list);
	free(list);
	return -1;
}

/* The column of that name, which must have numbers. */
static int
find_column(
    const struct metrics_header *h, const char *name, int *out, struct error *e)
{
	int column = metrics_column(h, name);

	if (column == METRICS_NONE)
		return no_column(h, name, e);
	if (h->kind[column] < 0)
		return error_set(e, "column '%s' has no numbers", name);
	*out = column;
	return 0;
}

/* What the first log tells: the objective, its partner where one is wanted. */
static int
guess_metrics(struct plot *p, const struct metrics_header *h, struct error *e)
{
	int column, partner;

	if (p->metric.count == 0) {
		column = metrics_guess_objective(h);
		if (column == METRICS_NONE)
			return error_set(e,
			    "no column of numbers (comma, tab or semicolon "
			    "between the columns?)");
		words_push(&p->metric, h->name[column]);
	}
	column = metrics_column(h, p->metric.word[0]);
	if (!p->partner || column == METRICS_NONE)
		return 0;
	partner = metrics_partner(h, column);
	if (partner != METRICS_NONE && h->kind[partner] >= 0)
		words_push(&p->metric, h->name[partner]);
	p->partner = 0;
	return 0;
}

static int
choose_columns(struct plot *p, struct plot_run *run, struct error *e)
{
	int *column, status = 0;
	size_t i;

	run->x = metrics_guess_x(&run->header);
	if (p->x != NULL && find_column(&run->header, p->x, &run->x, e) < 0)
		return -1;
	if (guess_metrics(p, &run->header, e) < 0)
		return -1;
	column = xcalloc(p->metric.count, sizeof *column);
	for (i = 0; i < p->metric.count && status == 0; i++)
		status =
		    find_column(&run->header, p->metric.word[i], &column[i], e);
	if (status == 0)
		run->log = metrics_log_new(
		    &run->header, run->x, column, p->metric.count);
	free(column);
	return status;
}

/* ---- reading ---- */

/* Fill the buffer as far as there is something.  Returns the bytes, or -1. */
static ssize_t
read_full(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;

	while (used < size && n > 0) {
		n = read(fd, buffer + used, size - used);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -1;
		else
			used += (size_t)n;
	}
	return (ssize_t)used;
}

static int
read_log(struct plot *p, struct plot_run *run, int fd, char *buffer, ssize_t n,
    struct error *e)
{
	if (metrics_header_read(&run->header, buffer, (size_t)n, e) < 0 ||
	    choose_columns(p, run, e) < 0)
		return -1;
	while (n > 0) {
		if (metrics_log_feed(run->log, buffer, (size_t)n, e) < 0)
			return -1;
		n = read_full(fd, buffer, ROWS_RECORD);
	}
	return n < 0 ? error_errno(e, "reading") : 0;
}

int
plot_read(struct plot *p, struct plot_run *run, int fd, enum plot_source source,
    struct error *e)
{
	char *buffer = xmalloc(ROWS_RECORD);
	ssize_t n = read_full(fd, buffer, ROWS_RECORD);
	int status;

	if (n < 0)
		status = error_errno(e, "reading");
	else if (source >= PLOT_TASK && memchr(buffer, '\n', (size_t)n) == NULL)
		status = 1;
	else
		status = read_log(p, run, fd, buffer, n, e);
	if (status == 0 && (source == PLOT_PIPE || source == PLOT_ENDED))
		status = metrics_log_finish(run->log, e);
	free(buffer);
	if (status == -1) {
		metrics_header_free(&run->header);
		metrics_log_free(run->log);
		run->log = NULL;
	}
	return status;
}

int
plot_counts_epochs(const struct plot_run *run)
{
	return run->x == METRICS_NONE ||
	    strncasecmp(run->header.name[run->x], "epoch", 5) == 0;
}

int
plot_has_values(const struct plot *p, const struct plot_run *run)
{
	size_t i, count = 0;

	for (i = 0; i < p->metric.count; i++)
		count += metrics_log_series(run->log, i)->count;
	return count > 0;
}

void
plot_add(struct plot *p, const struct plot_run *run)
{
	p->run = xgrow(p->run, p->runs, sizeof *run);
	p->run[p->runs++] = *run;
}

void
plot_shorten_names(struct plot_run *run, size_t count)
{
	size_t common = 0, i, k;
	const char *slash;

	if (count < 2)
		return;
	slash = strrchr(run[0].name, '/');
	if (slash != NULL)
		common = (size_t)(slash - run[0].name) + 1;
	for (i = 1; i < count; i++) {
		for (k = 0; k < common && run[i].name[k] == run[0].name[k];)
			k++;
		while (k > 0 && run[0].name[k - 1] != '/')
			k--;
		common = k;
	}
	for (i = 0; i < count; i++)
		memmove(run[i].name, run[i].name + common,
		    strlen(run[i].name) - common + 1);
}

/* ---- curves ---- */

struct curve
curve_of(const struct plot *p, const struct plot_run *run, size_t metric)
{
	struct curve c = {.run = run,
	    .metric = p->metric.word[metric],
	    .goal = plot_goal(p, metric),
	    .series = metrics_log_series(run->log, metric)};

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
	    .count = c->series->count,
	    .start = c->series->start,
	    .starts = c->series->starts,
	    .best = c->facts.best};
}
