/* stfm-status --by: mean and standard deviation over repetitions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "plot/plot.h"
#include "status/private.h"
#include "view/columns.h"

/* The columns after the job and the hyperparameters. */
enum { TASKS, COUNT, MEAN, SD, BEST, TASK, OUT, BEHIND };

static const struct table_column behind[BEHIND] = {
    [TASKS] = {.name = "tasks", .head = "TASKS", .right = 1, .drop = 2},
    [COUNT] = {.name = "n", .head = "N", .right = 1},
    [MEAN] = {.name = "mean", .head = "MEAN", .right = 1},
    [SD] = {.name = "sd", .head = "SD", .right = 1, .drop = 7},
    [BEST] = {.name = "best", .head = "BEST", .right = 1, .drop = 6},
    [TASK] = {.name = "best_task", .head = "TASK", .drop = 3},
    [OUT] = {.name = "left_out", .head = "LEFT OUT", .optional = 1, .cut = 8},
};

/* Mean of values, and sum of squared differences from it. */
struct mean {
	uint64_t count;
	double mean, squares;
};

/* A task and its values of the hyperparameters that distinguish the groups. */
struct member {
	char *key;
	uint64_t task;
};

/* Tasks that repeat each other. */
struct group {
	uint64_t task; /* the first task */
	uint64_t tasks;
	uint64_t out[STORE_STATES]; /* tasks that do not count, by state */
	uint64_t nans;              /* FINISHED tasks whose best value is nan */
	struct mean values;         /* of the objective */
	struct mean *more;          /* of each metric of view->metrics */
	int64_t best;
	double value;
};

/* The groups of one job. */
struct sheet {
	struct job_view *view;
	const struct show_style *look;
	/* For each hyperparameter, whether it distinguishes groups. */
	char *parts;
	int all; /* count tasks in any state */
	struct group *group;
	size_t groups;
};

/* ---- which hyperparameters ---- */

/* Return whether a list of names, which may start with "-", has a name. */
static int
has_name(const char *list, const char *name)
{
	size_t length = strlen(name), n;

	for (list += *list == '-'; *list != '\0'; list += n + (list[n] != 0)) {
		n = strcspn(list, ",");
		if (n == length && strncmp(list, name, n) == 0)
			return 1;
	}
	return 0;
}

/*
 * Check that one of the jobs has a hyperparameter called name.  Returns 0 or
 * -1.
 */
static int
check_name(struct job_view *const *views, size_t count, const char *name,
    struct error *e)
{
	struct strlist all = {0};
	size_t i, k;
	int rc = 0;

	for (i = 0; i < count; i++)
		for (k = 0; k < store_job_names(views[i]->job)->count; k++)
			if (!strlist_have(
				&all, store_job_names(views[i]->job)->word[k]))
				strlist_push(&all,
				    store_job_names(views[i]->job)->word[k]);
	if (!strlist_have(&all, name))
		rc = plot_no_param(&all, name, e);
	strlist_free(&all);
	return rc;
}

int
job_show_by_check(struct job_view *const *views, size_t count, const char *list,
    struct error *e)
{
	char *copy = xstrdup(list + (*list == '-')), *name, *rest = copy;
	int rc = 0;

	while (rc == 0 && (name = strsep(&rest, ",")) != NULL)
		if (*name == '\0')
			rc = error_set(e, "%s: a name is missing", list);
		else
			rc = check_name(views, count, name, e);
	free(copy);
	return rc;
}

/* ---- groups ---- */

static char *
key_of(const struct sheet *s, uint64_t task)
{
	const char *const *value = job_view_point(s->view, task);
	size_t length, i;
	char *key;
	FILE *f = xmemopen(&key, &length);

	for (i = 0; i < store_job_names(s->view->job)->count; i++)
		if (s->parts[i])
			fprintf(f, "%c%s\n", value[i] != NULL ? '=' : '-',
			    value[i] != NULL ? value[i] : "");
	xmemclose(f);
	return key;
}

static int
by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void
add_value(struct mean *m, double value)
{
	double from = value - m->mean;

	m->count++;
	m->mean += from / (double)m->count;
	m->squares += from * (value - m->mean);
}

/* Add the values of more metrics of a task to its group. */
static void
add_more(const struct sheet *s, struct group *g, uint64_t task)
{
	size_t count = s->view->metrics.names.count, at = task * count, i;

	for (i = 0; i < count; i++, at++)
		if (s->view->metrics.has[at] &&
		    isfinite(s->view->metrics.value[at]))
			add_value(&g->more[i], s->view->metrics.value[at]);
}

static void
count_task(const struct sheet *s, struct group *g, uint64_t task)
{
	const struct store_row *row = job_view_row(s->view, task);
	const struct metrics_summary *m = &row->metrics;
	int is_nan = m->last_kind > METRICS_NUMBER;

	g->tasks++;
	/* Only the values of finished trainings count, unless all is set. */
	if (!s->all && row->state != STORE_FINISHED) {
		g->out[row->state]++;
	} else if (!s->all && is_nan) {
		g->nans++;
	} else if (m->has_best) {
		add_value(&g->values, m->best);
		add_more(s, g, task);
		if (g->best == -1 ||
		    metrics_better(s->view->goal, m->best, g->value)) {
			g->best = (int64_t)task;
			g->value = m->best;
		}
	}
	store_table_forget(s->view->table, task);
}

static void
make_groups(struct sheet *s, const struct job_tasks *t)
{
	struct member *member = xcalloc(t->count + 1, sizeof *member);
	size_t more = s->view->metrics.names.count, i;

	for (i = 0; i < t->count; i++)
		member[i] = (struct member){key_of(s, t->task[i]), t->task[i]};
	qsort(member, t->count, sizeof *member, by_key);
	for (i = 0; i < t->count; i++) {
		if (i == 0 || strcmp(member[i - 1].key, member[i].key) != 0) {
			s->group = xgrow(s->group, s->groups, sizeof *s->group);
			s->group[s->groups++] =
			    (struct group){.task = member[i].task,
				.more = xcalloc(more + 1, sizeof(struct mean)),
				.best = -1};
		}
		count_task(s, &s->group[s->groups - 1], member[i].task);
	}
	for (i = 0; i < t->count; i++)
		free(member[i].key);
	free(member);
}

static int
lower_first(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if ((a->values.count == 0) != (b->values.count == 0))
		return a->values.count == 0 ? 1 : -1;
	if (a->values.count > 0 && a->values.mean != b->values.mean)
		return a->values.mean < b->values.mean ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static int
higher_first(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->values.count > 0 && b->values.count > 0 &&
	    a->values.mean != b->values.mean)
		return a->values.mean > b->values.mean ? -1 : 1;
	return lower_first(pa, pb);
}

/* ---- output ---- */

static void
put_value(struct table *t, size_t column, double value)
{
	char text[NUM_TEXT];

	table_show(t, column, "-");
	if (isnan(value))
		return;
	table_real(t, column, value);
	table_show(t, column, job_view_value(value, text));
}

/* The columns of the output, and the names that only they have. */
struct columns {
	struct table_column *column;
	size_t count;
	const struct strlist *params;  /* the hyperparameters of all jobs */
	const struct strlist *metrics; /* more metrics than the objective */
	struct strlist names;
};

/*
 * Return the name of a hyperparameter's column, which no other column has; to
 * free.
 */
static char *
param_name(const struct columns *c, const char *param)
{
	char *own = job_column_param(param), *longer;
	const char *end = strrchr(own, '_');
	int taken = 0;
	size_t i;

	for (i = 0; i < BEHIND; i++)
		taken |= strcmp(own, behind[i].name) == 0;
	for (i = 0; end != NULL && i < c->metrics->count; i++)
		taken |= strlen(c->metrics->word[i]) == (size_t)(end - own) &&
		    strncmp(c->metrics->word[i], own, (size_t)(end - own)) ==
			0 &&
		    (strcmp(end, "_mean") == 0 || strcmp(end, "_sd") == 0);
	if (!taken)
		return own;
	longer = xasprintf("param_%s", own);
	free(own);
	return longer;
}

/* Add a copy of a name, and return it. */
static const char *
name(struct columns *c, char *text)
{
	strlist_take(&c->names, text);
	return text;
}

static void
add_column(struct columns *c, const struct table_column *column)
{
	c->column[c->count++] = *column;
}

/*
 * Return whether the deviation, a column of this name, stands in the cell of
 * the mean: in papers, unless it is chosen as a column.
 */
static int
is_joined(const struct show_style *look, const char *sd)
{
	return table_is_paper(look->format) &&
	    !(look->columns != NULL && strlist_have(look->columns, sd));
}

/* Add the mean and the deviation of a metric; papers have both in one cell. */
static void
add_metric(struct columns *c, const char *metric, const struct show_style *look)
{
	struct table_column mean = {.right = 1, .drop = 6};
	struct table_column sd = {.head = "SD", .right = 1, .drop = 7};

	mean.name = name(c, xasprintf("%s_mean", metric));
	sd.name = name(c, xasprintf("%s_sd", metric));
	mean.head = metric;
	if (is_joined(look, sd.name)) {
		mean.head = name(c, xasprintf("%s \u00b1 SD", metric));
		sd.head = NULL;
	}
	add_column(c, &mean);
	add_column(c, &sd);
}

/* Make the columns: the job, hyperparameters, results and more metrics. */
static void
make_columns(struct columns *c, const struct show_style *look)
{
	static const struct table_column job = {.name = "job"};
	struct table_column param = {.right = 1,
	    .optional = 1,
	    .narrow = 1,
	    .merge = 4,
	    .cut = 5,
	    .least = 8};
	size_t i;

	c->column =
	    xcalloc(1 + c->params->count + BEHIND + 2 * c->metrics->count,
		sizeof *c->column);
	add_column(c, &job);
	for (i = 0; i < c->params->count; i++) {
		param.name = name(c, param_name(c, c->params->word[i]));
		param.head = c->params->word[i];
		add_column(c, &param);
	}
	for (i = 0; i < BEHIND; i++)
		add_column(c, &behind[i]);
	if (is_joined(look, behind[SD].name)) {
		c->column[1 + c->params->count + MEAN].head = "MEAN \u00b1 SD";
		c->column[1 + c->params->count + SD].head = NULL;
	}
	for (i = 0; i < c->metrics->count; i++)
		add_metric(c, c->metrics->word[i], look);
}

/*
 * Write a deviation as job_view_value does, but also a number from 0.0001 to
 * 0.01 with four decimals, so that a column has the same number of them.
 */
static void
deviation(double sd, char out[NUM_TEXT])
{
	if (sd >= 0.5e-4 && sd < 0.01)
		snprintf(out, NUM_TEXT, "%.4f", sd);
	else
		job_view_value(sd, out);
}

/*
 * Return "0.9525 \u00b1 0.0672", both with the decimals of the mean unless the
 * deviation needs more; to free.
 */
static char *
spread(double mean, double sd)
{
	char left[NUM_TEXT], right[NUM_TEXT];
	const char *point;
	int decimals;

	job_view_value(mean, left);
	point = strchr(left, '.');
	decimals = point != NULL ? (int)strlen(point + 1) : 0;
	if (strchr(left, 'e') != NULL || sd < 0.5 * pow(10, -decimals))
		deviation(sd, right);
	else
		snprintf(right, sizeof right, "%.*f", decimals, sd);
	return xasprintf("%s \u00b1 %s", left, right);
}

/*
 * Put a mean and its standard deviation into column at and the next one, or
 * joined into the first.
 */
static void
put_mean(struct table *t, size_t at, int joined, struct mean m)
{
	double mean = m.count > 0 ? m.mean : NAN;
	double sd = m.count > 1 ? sqrt(m.squares / (double)(m.count - 1)) : NAN;
	char text[NUM_TEXT], *both;

	put_value(t, at, mean);
	put_value(t, at + 1, sd);
	if (isnan(sd))
		return;
	deviation(sd, text);
	table_show(t, at + 1, text);
	if (!joined)
		return;
	both = spread(mean, sd);
	table_show(t, at, both);
	free(both);
}

static int
is_metric_joined(const struct sheet *s, size_t metric)
{
	char *sd = xasprintf("%s_sd", s->view->metrics.names.word[metric]);
	int joined = is_joined(s->look, sd);

	free(sd);
	return joined;
}

static void
put_group(struct table *t, const struct sheet *s, const struct group *g,
    const struct strlist *names)
{
	const struct strlist *own = store_job_names(s->view->job);
	const char *const *value = job_view_point(s->view, g->task);
	static const struct mean none = {0};
	size_t at = 1 + names->count, length, i, k;
	const char *gap = "";
	char *text;
	FILE *out;

	table_row(t);
	table_text(t, 0, store_job_name(s->view->job));
	for (i = 0; i < names->count; i++)
		for (k = 0; k < own->count; k++)
			if (s->parts[k] &&
			    strcmp(names->word[i], own->word[k]) == 0)
				table_value(t, 1 + i, value[k]);
	table_int(t, at + TASKS, (int64_t)g->tasks);
	table_int(t, at + COUNT, (int64_t)g->values.count);
	put_mean(t, at + MEAN, is_joined(s->look, behind[SD].name), g->values);
	/* A mean of fewer tasks than the objective's is another statement. */
	for (i = 0; i < s->view->metrics.names.count; i++)
		put_mean(t, at + BEHIND + 2 * i, is_metric_joined(s, i),
		    g->more[i].count == g->values.count ? g->more[i] : none);
	if (table_is_paper(s->look->format) && g == s->group &&
	    g->values.count > 0)
		table_best(t, at + MEAN);
	put_value(t, at + BEST, g->best != -1 ? g->value : NAN);
	/* Tasks whose values are left out: "1 ERROR, 2 RUNNING". */
	out = xmemopen(&text, &length);
	for (i = 0; i < STORE_STATES; i++)
		if (g->out[i] > 0) {
			fprintf(out, "%s%" PRIu64 " %s", gap, g->out[i],
			    store_state_name((enum store_state)i));
			gap = ", ";
		}
	if (g->nans > 0)
		fprintf(out, "%s%" PRIu64 " nan", gap, g->nans);
	xmemclose(out);
	table_text(t, at + OUT, *text != '\0' ? text : NULL);
	free(text);
	if (g->best == -1)
		return;
	text = xasprintf("%s/%" PRId64, store_job_name(s->view->job), g->best);
	table_text(t, at + TASK, text);
	free(text);
}

static void
put_job(struct table *t, const struct job_tasks *tasks, const struct job_by *by,
    const struct strlist *names, const struct show_style *look)
{
	struct sheet s = {.view = tasks->view, .look = look, .all = by->all};
	int people = look->format == TABLE_TEXT || table_is_paper(look->format);
	const struct strlist *own = store_job_names(s.view->job);
	/*
	 * Tables for people omit hyperparameters that are equal in all tasks.
	 */
	char *constant = people ? job_view_constant(s.view) : NULL;
	int kept = *by->names == '-';
	size_t i;

	s.parts = xcalloc(own->count + 1, 1);
	for (i = 0; i < own->count; i++)
		s.parts[i] = (char)(has_name(by->names, own->word[i]) == kept &&
		    (!people || !constant[i]));
	free(constant);
	make_groups(&s, tasks);
	qsort(s.group, s.groups, sizeof *s.group,
	    s.view->goal == METRICS_MAX ? higher_first : lower_first);
	for (i = 0; i < s.groups && (by->limit == 0 || i < by->limit); i++)
		put_group(t, &s, &s.group[i], names);
	for (i = 0; i < s.groups; i++)
		free(s.group[i].more);
	free(s.group);
	free(s.parts);
}

/* Refuse a chosen column whose hyperparameter is averaged over. */
static int
check_chosen(const struct columns *c, const struct job_by *by,
    const struct strlist *chosen, struct error *e)
{
	int kept = *by->names == '-', rc = 0;
	size_t i;
	char *own;

	for (i = 0; chosen != NULL && rc == 0 && i < c->params->count; i++) {
		own = job_column_param(c->params->word[i]);
		if (strlist_have(chosen, own) &&
		    has_name(by->names, c->params->word[i]) != kept)
			rc = error_set(e,
			    "%s: --by %s averages over it, so it has no value",
			    own, by->names);
		free(own);
	}
	return rc;
}

static int
put_table(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct job_by *by, const struct show_style *look, struct error *e)
{
	static const struct strlist none = {0};
	struct table_look how = {look->format, look->width, look->colors, NULL};
	struct strlist params;
	struct columns c = {.params = &params, .metrics = &none};
	struct table *t;
	size_t i;
	int rc;

	show_names(tasks, count, &params);
	if (count > 0) /* the same in all jobs */
		c.metrics = &tasks[0].view->metrics.names;
	if (check_chosen(&c, by, look->columns, e) == -1) {
		strlist_free(&params);
		return -1;
	}
	make_columns(&c, look);
	t = table_new(out, c.column, c.count, &how);
	rc = show_choose(t, look, e);
	for (i = 0; rc == 0 && i < count; i++)
		put_job(t, &tasks[i], by, &params, look);
	if (rc == 0)
		table_end(t);
	free(c.column);
	strlist_free(&c.names);
	strlist_free(&params);
	return rc;
}

int
job_show_by(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct job_by *by, const struct show_style *look, struct error *e)
{
	const struct job_view *v;
	struct flow f;
	char *objective, *mixed;
	size_t i;
	int rc = 0;

	if (look->format != TABLE_TEXT || look->columns != NULL)
		return put_table(out, tasks, count, by, look, e);
	for (i = 0; rc == 0 && i < count; i++) {
		v = tasks[i].view;
		if (i > 0)
			putc('\n', out);
		f = (struct flow){out, look->width, 2, 0};
		flow_word(&f, 0, store_job_name(v->job));
		if (v->metric != NULL) {
			objective = show_objective(v);
			flow_word(&f, 3, objective);
			free(objective);
		}
		flow_end(&f);
		rc = put_table(out, &tasks[i], 1, by, look, e);
		mixed = rc == 0 ? show_mixed_code(&tasks[i]) : NULL;
		if (mixed != NULL) {
			f = (struct flow){out, look->width, 2, 0};
			flow_text(&f, 0, mixed);
			flow_end(&f);
		}
		free(mixed);
	}
	return rc;
}
