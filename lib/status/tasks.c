#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/chart.h"
#include "job/training-log.h"
#include "state/words.h"
#include "status/curve.h"
#include "status/no-metrics.h"
#include "status/metric-names.h"
#include "status/private.h"
#include "store/job.h"
#include "store/once.h"
#include "store/policy.h"
#include "sys/fs.h"
#include "view/columns.h"

/*
 * The columns before the hyperparameters; view/columns has the columns after
 * them.
 */
enum { TASK, STATE, CAUSE, BEFORE };

enum {
	OLD = 10, /* seconds after which a view's age is printed */
	BAR_LEAST = 5,
	BAR_MOST = 10,
	SPARK_LEAST = 8,
	SPARK_MOST = 24,
	SPARK_ROWS = 2000,    /* maximum logs to read for sparklines */
	SPARK_LOG = 16 << 20, /* maximum bytes of a log to read */
	LONG_NAME = 20,       /* longest job name to repeat in rows */
	NARROW = 40,          /* width below which rows have no job name */
	MANY = 100,           /* more tasks than this are grouped */
	RUNNING = 100, /* maximum running tasks with lines of their own */
	FEW = 3,       /* the best tasks of a search have lines, too */
	NOTES = 5,
	ENDS = 1000, /* maximum tasks in ERROR whose ends are compared */
	WORDS = 12   /* minimum columns for the words of a failure */
};

/* A table of tasks being made. */
struct sheet {
	const struct job_tasks *tasks;
	const struct show_style *look;
	struct job_view *view;
	struct table *table;
	struct table_column *column;
	int *source; /* for each column: a column of view/columns, or a picture
		      */
	size_t columns;
	struct strlist names; /* names of columns that view/columns allocates */
	int sparks;
};

static const struct store_row *
row_of(const struct sheet *s, size_t i)
{
	return job_view_row(s->view, s->tasks->task[i]);
}

/* ---- pictures ---- */

static size_t
draw_bar(FILE *out, void *arg, uint64_t row, size_t width)
{
	const struct sheet *s = arg;
	struct job_progress p;

	job_view_progress(s->view, s->tasks->task[row], &p);
	store_table_forget(s->view->table, s->tasks->task[row]);
	return chart_bar(out, p.part, width, s->look->charset);
}

static size_t
draw_spark(FILE *out, void *arg, uint64_t row, size_t width)
{
	const struct sheet *s = arg;
	const char *path = row_of(s, row)->metrics_path;
	const struct metrics_series *y;
	struct record_pattern *pattern;
	struct strlist earlier = {0};
	struct job_curve curve;
	size_t used = 0;

	if (path == NULL)
		return 0;
	pattern = job_training_log_pattern(s->view->job, path,
	    job_training_log_output(s->view->job, row_of(s, row)));
	job_curve_before(s->view, row_of(s, row), &earlier);
	if (job_curve_read(&curve, path, &earlier, s->view->metric, pattern,
		SPARK_LOG, store_state_is_final(row_of(s, row)->state),
		NULL) == 0) {
		y = curve.series;
		used = chart_spark(
		    out, y->y, y->count, width, s->look->charset, NULL);
		job_curve_free(&curve);
	}
	record_pattern_free(pattern);
	strlist_free(&earlier);
	return used;
}

/* ---- columns ---- */

static const struct table_column before[BEFORE] = {
    [TASK] = {.name = "id", .head = "TASK", .cut = 14, .least = 6},
    [STATE] = {.name = "state", .head = "STATE"},
    [CAUSE] = {.name = "cause",
	.head = "CAUSE",
	.optional = 1,
	.cut = 5,
	.least = 7,
	.drop = 9},
};

static const struct table_column param = {
    .right = 1, .narrow = 2, .merge = 4, .cut = 10, .least = 8};

static const struct table_column metric = {.right = 1, .narrow = 6, .drop = 8};

static const struct table_column bar = {.name = "progress",
    .head = "",
    .optional = 1,
    .drop = 1,
    .draw = draw_bar,
    .least = BAR_LEAST,
    .most = BAR_MOST};

static const struct table_column spark = {.name = "curve",
    .optional = 1,
    .drop = 12,
    .draw = draw_spark,
    .least = SPARK_LEAST,
    .most = SPARK_MOST};

/* Return what the logs count; the first task with a log decides for all. */
static const char *
unit_of(const struct job_tasks *tasks)
{
	struct job_view *v = tasks->view;
	uint64_t task;
	size_t i;

	for (i = 0; i < tasks->count; i++) {
		task = tasks->task[i];
		if (store_table_state(v->table, task) == STORE_SUBMITTED)
			continue;
		if (job_view_row(v, task)->metrics.columns > 0)
			return show_unit(v, task);
		store_table_forget(v->table, task);
	}
	return "epoch";
}

static void
add_column(struct sheet *s, int source, const struct table_column *layout)
{
	s->column[s->columns] = *layout;
	s->source[s->columns++] = source;
}

/* Add a column whose name depends on the job. */
static void
add_named(struct sheet *s, int source, const struct table_column *layout)
{
	struct table_column column = *layout;

	strlist_take(&s->names, job_column_named(s->view, source));
	column.name = s->names.word[s->names.count - 1];
	if (source >= job_columns)
		column.head = column.name;
	add_column(s, source, &column);
}

/* Add the hyperparameters; constant ones only for the user to choose. */
static void
add_params(struct sheet *s, const char *constant)
{
	const struct strlist *names = &s->view->job->names;
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (constant[i] && s->look->columns == NULL)
			continue;
		add_named(s, job_columns + (int)i, &param);
		s->column[s->columns - 1].head = names->word[i];
	}
}

static void
add_metrics(struct sheet *s)
{
	int all = job_column_count(s->view);
	int i = all - (int)s->view->metrics.names.count;

	for (; i < all; i++)
		add_named(s, i, &metric);
}

/* Add the columns that people see only if they choose them. */
static void
add_others(struct sheet *s)
{
	static const struct table_column other = {0};
	int all = job_column_count(s->view), i;
	size_t k;

	for (i = 0; i < all; i++) {
		for (k = 0; k < s->columns && s->source[k] != i; k++)
			;
		if (k == s->columns)
			add_named(s, i, &other);
	}
}

static void
make_columns(struct sheet *s, const char *constant)
{
	size_t most = (size_t)job_column_count(s->view) + 2, i;
	int last = job_column_find(s->view, "last"), source;
	struct table_column layout;

	s->column = xcalloc(most, sizeof *s->column);
	s->source = xcalloc(most, sizeof *s->source);
	for (i = 0; i < BEFORE; i++)
		add_column(
		    s, job_column_find(s->view, before[i].name), &before[i]);
	add_params(s, constant);
	for (i = 0; i < job_columns_shown; i++) {
		source = job_column_shown(i, &layout);
		if (i == 0 && *unit_of(s->tasks) != 'e')
			layout.head = "STEP";
		if (source == JOB_COLUMN_SPARK) {
			layout = spark;
			layout.head =
			    s->view->metric != NULL ? s->view->metric : "";
		}
		add_column(
		    s, source, source == JOB_COLUMN_BAR ? &bar : &layout);
		if (source == last)
			add_metrics(s);
	}
	if (s->look->columns != NULL)
		add_others(s);
}

/* ---- rows ---- */

/* Return whether to omit the job's name from rows because it is too long. */
static int
is_narrow(const struct sheet *s)
{
	return strlen(s->view->job->name) > LONG_NAME ||
	    (s->look->width > 0 && s->look->width < NARROW);
}

/* Put the cause of a task's state, or its mark if it has no cause. */
static void
put_cause(struct sheet *s, const struct store_row *row)
{
	const char *mark =
	    row->cause == NULL ? job_view_mark(s->view, row->task) : NULL;

	char brief[STOP_BRIEF];

	table_show(s->table, CAUSE,
	    mark != NULL ? mark : stop_brief(row->cause, brief));
	if (mark != NULL)
		table_paint(s->table, CAUSE, TABLE_YELLOW);
}

/* Put the columns before the hyperparameters. */
static void
put_before(struct sheet *s, const struct store_row *row)
{
	char *id = xasprintf("%s/%" PRIu64, s->view->job->name, row->task);

	table_show(s->table, TASK, is_narrow(s) ? fs_base(id) : id);
	free(id);
	table_show(s->table, STATE, store_state_name(row->state));
	table_paint(s->table, STATE, show_color(row->state));
	put_cause(s, row);
}

static void
put_task(struct sheet *s, size_t i)
{
	const struct store_row *row = row_of(s, i);
	struct job_progress p;
	size_t k;

	table_row(s->table);
	put_before(s, row);
	job_view_progress(s->view, row->task, &p);
	for (k = BEFORE; k < s->columns; k++) {
		if (!table_has(s->table, k))
			continue;
		if (s->source[k] >= 0)
			job_column_show(
			    s->view, row->task, s->source[k], s->table, k);
		else if (s->source[k] == JOB_COLUMN_BAR
			? p.part > 0
			: row->metrics.values > 0 && s->sparks)
			table_show(s->table, k, "");
	}
	store_table_forget(s->view->table, s->tasks->task[i]);
}

/* ---- above the table ---- */

static void
put_counts(struct flow *f, const struct job_view *v)
{
	char text[2 * NUM_TEXT];
	size_t used, gap = 3;
	int i;

	used = (size_t)snprintf(text, sizeof text,
	    "%" PRIu64 " task%s: ", v->table->count,
	    v->table->count == 1 ? "" : "s");
	for (i = 0; i < STORE_STATES; i++) {
		if (v->table->in_state[i] == 0)
			continue;
		snprintf(text + used, sizeof text - used, "%" PRIu64 " %s",
		    v->table->in_state[i],
		    store_state_name((enum store_state)i));
		flow_word(f, gap, text);
		used = 0;
		gap = 2;
	}
}

static void
put_left(struct flow *f, struct job_view *v)
{
	struct job_outlook o;
	char span[NUM_TEXT];

	if (!job_view_outlook(v, &o) || isnan(o.left))
		return;
	num_span((int64_t)ceil(o.left), span);
	if (o.stalled > 0)
		show_word(f, 3, "ETA %s without %" PRIu64 " STALLED", span,
		    o.stalled);
	else
		show_word(f, 3, "ETA %s", span);
}

static void
put_best(struct flow *f, const struct job_view *v, const char *unit)
{
	char value[NUM_TEXT], epoch[NUM_TEXT], *objective, *others;
	int64_t without = v->table->summary.without;

	if (v->metric == NULL)
		return;
	objective = show_objective(v);
	flow_word(f, 3, objective);
	free(objective);
	if (without > 0) {
		others = v->best == -1
		    ? job_metric_names_text(v->job, v->metric)
		    : NULL;
		show_text(f, 1, "(not in the log of %" PRId64 " task%s%s%s)",
		    without, without == 1 ? "" : "s",
		    others != NULL ? ", which has " : "",
		    others != NULL ? others : "");
		free(others);
	}
	if (v->best == -1)
		return;
	show_word(f, 3, "best %s %s/%" PRId64 " at %s %s",
	    job_view_value(v->best_value, value), v->job->name, v->best, unit,
	    num_short(v->best_epoch, 9, epoch));
}

/* Print the hyperparameters that are equal in all tasks. */
static void
put_constants(struct flow *f, struct job_view *v, const char *constant)
{
	const char *const *value = job_view_point(v, 0);
	size_t i, gap = 0;

	for (i = 0; i < v->job->names.count; i++) {
		if (!constant[i] || value[i] == NULL)
			continue;
		show_word(f, gap, "%s=%s", v->job->names.word[i], value[i]);
		gap = 2;
	}
	if (gap > 0)
		flow_end(f);
}

/* Print a sentence about nodes, unless there are none. */
static void
put_nodes(struct flow *f, const char *what, const struct strlist *nodes,
    const char *why)
{
	size_t i;

	if (nodes->count == 0)
		return;
	flow_word(f, 0, what);
	for (i = 0; i < nodes->count; i++)
		flow_text(f, 1, nodes->word[i]);
	flow_word(f, 0, why);
	flow_end(f);
}

/* Print the nodes on which tasks failed immediately. */
static void
put_bad_nodes(struct flow *f, const struct store_job *job)
{
	struct strlist avoided = {0}, kept = {0};

	if (job->policy.avoid == 0 ||
	    store_once_nodes(job, &avoided, &kept, NULL) == -1)
		return;
	put_nodes(f, "avoids", &avoided, ", where tasks failed at once");
	put_nodes(
	    f, "keeps the last node", &kept, ", where tasks failed at once");
	strlist_free(&avoided);
	strlist_free(&kept);
}

static void
put_head(FILE *out, const struct job_tasks *tasks, const char *constant,
    const struct show_style *look)
{
	struct job_view *v = tasks->view;
	struct flow f = {out, look->width, 2};
	char time[TABLE_TIME], span[NUM_TEXT];
	int64_t age = job_view_age(v);

	flow_word(&f, 0, v->job->name);
	if (v->job->description != NULL && *v->job->description != '\0')
		flow_text(&f, 3, v->job->description);
	show_tags(&f, v->job);
	show_word(&f, 3, "%s %s",
	    v->job->imported != NULL ? "imported" : "submitted",
	    show_time(v->job->created, 0, time));
	put_counts(&f, v);
	put_left(&f, v);
	put_best(&f, v, unit_of(tasks));
	if (!job_view_is_final(v) && v->table->trouble == NULL && age >= OLD) {
		if (age < 120)
			snprintf(span, sizeof span, "%d s", (int)age);
		else
			num_span(age, span);
		show_word(&f, 3, "as of %s ago", span);
	}
	flow_end(&f);
	put_constants(&f, v, constant);
	if (v->job->container != NULL) {
		flow_word(&f, 0, "in");
		flow_path(&f, 1, v->job->container);
		flow_word(&f, 1, "by");
		flow_word(&f, 1, v->job->container_runtime);
		flow_end(&f);
	}
	put_bad_nodes(&f, v->job);
	show_search(out, v, look);
}

/* ---- below the table ---- */

/* Write the failure line of a task, cut so that the path fits after it. */
static void
put_words(struct flow *f, const char *words, size_t path)
{
	size_t width = text_width(words), room = f->width, most;

	if (room > 0) {
		most = room > f->at + 2 ? room - f->at - 2 : 0;
		room = most > path + 2 + WORDS ? most - path - 2 : most;
		if (room < WORDS)
			return;
		width = width < room ? width : room;
	}
	fputs(": ", f->out);
	text_cell(f->out, words, width, 0);
	f->at += width + 2;
}

/* Print how many tasks are not named. */
static void
put_more(
    FILE *out, size_t count, const char *what, const struct show_style *look)
{
	struct flow f = {out, look->width, 2};

	if (count == 0)
		return;
	show_text(&f, 0, "and %zu more %s", count, what);
	flow_end(&f);
}

/* The output of failures of tasks. */
struct errors {
	FILE *out;
	const struct show_style *look;
	size_t lines, tasks; /* number shown so far */
};

/*
 * Print what happened, the failure line and the log's path, on one line if
 * possible.
 */
static void
put_error(void *arg, const struct show_group *g)
{
	struct errors *all = arg;
	const struct show_style *look = all->look;
	const char *log = g->log != NULL ? show_path(look, g->log) : "";
	struct flow f = {all->out, look->width, 2};

	if (all->lines == NOTES)
		return;
	all->lines++;
	all->tasks += g->count;
	flow_word(&f, 0, g->example);
	if (g->count > 1)
		show_text(&f, 1, "and %zu more", g->count - 1);
	flow_text(&f, 2, g->cause != NULL ? g->cause : "failed");
	if (g->words != NULL)
		put_words(&f, g->words, text_width(log));
	if (*log != '\0')
		flow_path(&f, 2, log);
	flow_end(&f);
}

/* Print equal failures on one line; read only the first ENDS logs. */
static void
put_errors(FILE *out, const struct sheet *s)
{
	struct job_tasks some = {s->view, xcalloc(ENDS, sizeof *some.task), 0};
	struct errors all = {out, s->look, 0, 0};
	size_t i, count = 0;

	for (i = 0; i < s->tasks->count; i++) {
		if (store_table_state(s->view->table, s->tasks->task[i]) !=
		    STORE_ERROR)
			continue;
		count++;
		if (some.count < ENDS)
			some.task[some.count++] = s->tasks->task[i];
	}
	show_groups(&some, 1, put_error, &all);
	put_more(out, count - all.tasks, "in ERROR", s->look);
	free(some.task);
}

/* Write tasks of a job in a sentence: "conv2d/0-3,7". */
static void
flow_tasks(struct flow *f, const struct store_job *job, const struct idset *r)
{
	enum { PARTS = 10 };
	char *ids = show_ids(job->name, r);

	flow_list(f, 0, ids, PARTS);
	free(ids);
}

/* Tasks whose last values are nan or infinite since the same epoch. */
struct nans {
	uint64_t first;
	struct idset tasks;
};

static void
put_nan(FILE *out, const struct sheet *s, const struct nans *nans)
{
	const struct metrics_summary *m =
	    &job_view_row(s->view, nans->first)->metrics;
	char epoch[NUM_TEXT], value[NUM_TEXT];
	struct flow f = {out, s->look->width, 2};

	flow_tasks(&f, s->view->job, &nans->tasks);
	show_text(&f, 2, "%s is %s since %s %s", m->metric,
	    num_short(metrics_summary_last(m), 3, value),
	    show_unit(s->view, nans->first),
	    num_short(job_summary_epoch(m, m->nan_since), 9, epoch));
	flow_end(&f);
}

/* A line about tasks that are so. */
static const struct those {
	int (*is_so)(struct job_view *, uint64_t);
	const char *what;
	/* NULL: it says which metrics were guessed. */
	char *(*advise)(const struct store_job *);
} those[] = {
    {job_unlogged, "no metrics:", job_unlogged_advice},
    {job_illegible, "no metrics:", job_illegible_log_advice},
    {job_unread, "log not read:", job_unread_advice},
    {job_guessed, "metrics:", NULL},
};

enum { THOSE = sizeof those / sizeof *those };

/* What a page says about many tasks. */
struct notes {
	uint64_t best[FEW + 1]; /* the best tasks that are over */
	size_t bests;
	struct show_sets sets; /* of the other tasks, if they are shown so */
	struct nans nans[NOTES];
	size_t ways; /* groups of nans */
	size_t more; /* further tasks without a number */
	struct idset those[THOSE];
};

/* Add a task to the group of tasks that lack numbers as it does. */
static void
note_nan(struct notes *n, struct job_view *v, uint64_t task)
{
	const struct metrics_summary *m = &job_view_row(v, task)->metrics;
	const struct metrics_summary *first;
	size_t i;

	if (m->last_kind <= METRICS_NUMBER)
		return;
	for (i = 0; i < n->ways; i++) {
		first = &job_view_row(v, n->nans[i].first)->metrics;
		if (m->last_kind == first->last_kind &&
		    m->nan_since == first->nan_since)
			break;
	}
	if (i == NOTES) {
		n->more++;
		return;
	}
	if (i == n->ways)
		n->nans[n->ways++].first = task;
	idset_add(&n->nans[i].tasks, task, task);
}

/* Print the groups of nans, at most NOTES of them. */
static void
put_nans(FILE *out, const struct sheet *s, struct notes *n)
{
	size_t i;

	for (i = 0; i < n->ways; i++) {
		put_nan(out, s, &n->nans[i]);
		idset_free(&n->nans[i].tasks);
	}
	put_more(out, n->more, "without a number", s->look);
}

/* Print a sentence for each running task with a mark. */
static void
put_marks(FILE *out, const struct sheet *s)
{
	struct flow f = {out, s->look->width, 2};
	size_t i, shown = 0, more = 0;
	char *text;

	for (i = 0; i < s->tasks->count; i++) {
		if (job_view_mark(s->view, s->tasks->task[i]) == NULL)
			continue;
		if (shown == NOTES) {
			more++;
			continue;
		}
		shown++;
		text = show_mark(s->view, s->tasks->task[i]);
		show_word(&f, 0, "%s/%" PRIu64, s->view->job->name,
		    s->tasks->task[i]);
		flow_text(&f, 2, text);
		flow_end(&f);
		free(text);
	}
	put_more(out, more, "STALLED, LATE or IDLE", s->look);
}

static void
put_those(FILE *out, const struct sheet *s, struct notes *n)
{
	struct flow f = {out, s->look->width, 2};
	struct idset *tasks;
	char *advice;
	size_t i;

	for (i = 0; i < THOSE; i++) {
		tasks = &n->those[i];
		if (tasks->count == 0)
			continue;
		advice = those[i].advise != NULL
		    ? those[i].advise(s->view->job)
		    : job_guessed_advice(s->view, tasks->run[0].first);
		flow_tasks(&f, s->view->job, tasks);
		flow_text(&f, 2, those[i].what);
		flow_text(&f, 1, advice);
		flow_end(&f);
		free(advice);
		idset_free(tasks);
	}
}

/* Print a table with a line for each of these tasks. */
static int
put_table(FILE *out, const struct job_tasks *tasks, const char *constant,
    const struct show_style *look, struct error *e)
{
	enum table_format format =
	    table_is_paper(look->format) ? look->format : TABLE_TEXT;
	struct sheet s = {tasks, look, tasks->view};
	struct table_look how = {format, look->width, look->colors, &s};
	size_t i;
	int rc;

	make_columns(&s, constant);
	s.sparks = tasks->count <= SPARK_ROWS;
	s.table = table_new(out, s.column, s.columns, &how);
	rc = show_choose(s.table, look, e);
	for (i = 0; rc == 0 && i < tasks->count; i++)
		put_task(&s, i);
	if (rc == 0)
		table_end(s.table);
	free(s.column);
	free(s.source);
	strlist_free(&s.names);
	return rc;
}

/* ---- the page ---- */

/* A job's page being fitted to the screen. */
struct page {
	const struct job_tasks *tasks;
	const struct show_style *look;
	char *constant;
	uint64_t *apart; /* running tasks in the order of show_apart */
	size_t count;    /* number of tasks with lines of their own */
};

/* Put a task into its place among the best, if it is one of them. */
static void
note_best(struct notes *n, struct job_view *v, size_t most, uint64_t task)
{
	const struct metrics_summary *m = &job_view_row(v, task)->metrics;
	double value = m->best;
	size_t at = n->bests;

	if (!m->has_best || store_table_state(v->table, task) == STORE_RUNNING)
		return;
	while (at > 0 &&
	    metrics_better(
		v->goal, value, job_view_row(v, n->best[at - 1])->metrics.best))
		at--;
	if (at == most)
		return;
	n->bests += n->bests < most;
	memmove(&n->best[at + 1], &n->best[at],
	    (n->bests - 1 - at) * sizeof *n->best);
	n->best[at] = task;
}

/*
 * Note what the page says about all tasks, in one pass over the rows: there may
 * be a million.
 */
static void
take_notes(const struct page *p, int alike, struct notes *n)
{
	struct job_view *v = p->tasks->view;
	size_t most = store_search_is_given(store_job_search(v->job)) ? FEW
	    : p->look->rows > 0                                       ? 1
								      : 0;
	struct idset apart = {0};
	uint64_t task;
	size_t i, k;

	for (i = 0; i < p->count; i++)
		idset_add(&apart, p->apart[i], p->apart[i]);
	for (i = 0; i < p->tasks->count; i++) {
		task = p->tasks->task[i];
		if (alike && most > 0)
			note_best(n, v, most, task);
		if (alike && !idset_has(&apart, task))
			show_sets_add(&n->sets, v, task);
		note_nan(n, v, task);
		for (k = 0; k < THOSE; k++)
			if (those[k].is_so(v, task))
				idset_add(&n->those[k], task, task);
		store_table_forget(v->table, task);
	}
	idset_free(&apart);
}

/* Print the tasks with lines of their own, and groups of the others. */
static void
put_alike(FILE *out, const struct page *p, struct notes *n)
{
	struct job_tasks apart = {p->tasks->view,
	    xcalloc(p->count + n->bests + 1, sizeof *apart.task),
	    p->count + n->bests};

	memcpy(apart.task, p->apart, p->count * sizeof *apart.task);
	memcpy(&apart.task[p->count], n->best, n->bests * sizeof *n->best);
	if (apart.count > 0)
		put_table(out, &apart, p->constant, p->look, NULL);
	show_alike(out, &n->sets, p->look);
	free(apart.task);
}

/*
 * Return the page, to free.  It has a line for each task; if alike is true, it
 * has lines for some running tasks and the best, and groups of similar tasks.
 */
static char *
page_text(const struct page *p, int alike, size_t *rows)
{
	const struct job_tasks *tasks = p->tasks;
	struct job_view *v = tasks->view;
	struct sheet s = {tasks, p->look, v};
	struct notes notes = {0};
	struct flow f = {NULL, p->look->width, 2};
	size_t length;
	char *text, *at, *clash;
	FILE *out = xmemopen(&text, &length);

	put_head(out, tasks, p->constant, p->look);
	take_notes(p, alike, &notes);
	if (alike)
		put_alike(out, p, &notes);
	else
		put_table(out, tasks, p->constant, p->look, NULL);
	show_sets_free(&notes.sets);
	put_errors(out, &s);
	put_nans(out, &s, &notes);
	put_marks(out, &s);
	put_those(out, &s, &notes);
	f.out = out;
	clash = job_unlogged_clash(v->job);
	f.out = out;
	if (clash != NULL) {
		flow_text(&f, 0, clash);
		flow_end(&f);
	}
	free(clash);
	xmemclose(out);
	*rows = 0;
	for (at = text; (at = strchr(at, '\n')) != NULL; at++)
		++*rows;
	return text;
}

/*
 * Return a page, to free, with fewer and fewer lines for running tasks until it
 * fits.
 */
static char *
page_that_fits(struct page *p)
{
	size_t rows, most = p->look->rows, over;
	char *text;

	p->apart = xcalloc(p->tasks->count + 1, sizeof *p->apart);
	p->count = show_apart(p->tasks, p->apart);
	if (p->count > RUNNING)
		p->count = most < RUNNING ? most : 0;
	job_view_read_logs(p->tasks->view, p->apart, p->count);
	text = page_text(p, 1, &rows);
	while (most > 0 && rows > most && p->count > 0) {
		over = rows - most;
		p->count = over < p->count ? p->count - over : 0;
		free(text);
		text = page_text(p, 1, &rows);
	}
	free(p->apart);
	return text;
}

int
job_show_tasks(FILE *out, const struct job_tasks *tasks,
    const struct show_style *look, struct error *e)
{
	struct page p = {tasks, look, job_view_constant(tasks->view), NULL, 0};
	int large = look->alike && tasks->count > MANY, rc;
	char *text = NULL;
	size_t rows = 0;

	/* The curves are current, so the values beside them must be, too. */
	if (!large && tasks->count <= SPARK_ROWS)
		job_view_read_logs(tasks->view, tasks->task, tasks->count);
	if (table_is_paper(look->format) || look->columns != NULL) {
		rc = put_table(out, tasks, p.constant, look, e);
		free(p.constant);
		return rc;
	}
	if (!large)
		text = page_text(&p, 0, &rows);
	if (large || (look->alike && look->rows > 0 && rows > look->rows)) {
		free(text);
		text = page_that_fits(&p);
	}
	fputs(text, out);
	free(text);
	free(p.constant);
	return 0;
}
