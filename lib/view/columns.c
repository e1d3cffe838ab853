#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/usage.h"
#include "state/resolve.h"
#include "state/search.h"
#include "store/job.h"
#include "view/columns.h"
#include "view/failure-line.h"

/*
 * The fixed columns, in the order of -o tsv.  Tables show the hyperparameters
 * after CAUSE.  A function below that forgets one of its columns leaves it
 * without a value.
 */
enum {
	ID,
	JOB,
	TASK,
	STATE,
	CAUSE,
	EPOCH,
	EPOCHS,
	PROGRESS,
	METRIC,
	GOAL,
	BEST,
	BEST_EPOCH,
	LAST,
	NAN_SINCE,
	SUBMITTED,
	START,
	END,
	ELAPSED,
	NODE,
	GPUS,
	MEMORY,
	CPU,
	EXIT,
	SIGNAL,
	SLURM,
	ATTEMPT,
	RESTART,
	LOG,
	METRICS,
	EPOCH_TIME,
	ETA,
	ROOM,
	MARK,
	GPU_USE,
	GPU_MEMORY,
	GPU_IDLE,
	CPU_USE,
	MEMORY_USE,
	ACCOUNT,
	QOS,
	LOG_CAUSE,
	CODE,
	RUNG,
	PRUNED,
	SAMPLER,
	BRACKET,
	COLUMNS
};

enum { MIB = 1 << 20 };

static void
set_text(struct job_value *v, const char *text)
{
	v->kind = text != NULL ? JOB_TEXT : JOB_NO_VALUE;
	v->text = text;
}

static void
set_number(struct job_value *v, double number)
{
	v->kind = JOB_NUMBER;
	v->number = number;
	v->text = num_exact(number, v->room);
}

/* ---- values of columns ---- */

/* Set what says which task and which run of it this is, and its state. */
static void
identity(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	switch (column) {
	case ID:
		snprintf(v->room, sizeof v->room, "%s/%" PRIu64,
		    view->job->name, task);
		set_text(v, v->room);
		break;
	case JOB:
		set_text(v, view->job->name);
		break;
	case TASK:
		set_number(v, (double)task);
		break;
	case STATE:
		set_text(v, store_state_name(row->state));
		v->number = row->state; /* the sort rank */
		break;
	case SLURM:
		v->own = store_row_slurm(row);
		set_text(v, v->own);
		break;
	case ATTEMPT:
		set_number(v, row->attempt);
		break;
	case RESTART:
		set_number(v, row->restart);
		break;
	case CODE:
		if (job_view_code(view, task) != -1)
			set_number(v, (double)job_view_code(view, task));
		break;
	}
}

static void
training(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct metrics_summary *m = &job_view_row(view, task)->metrics;
	struct job_progress p = {.part = NAN};

	if (column == EPOCHS || column == PROGRESS)
		job_view_progress(view, task, &p);
	if (column == EPOCH && m->epochs > 0)
		set_number(v, job_summary_epoch(m, m->epoch));
	else if (column == EPOCHS && p.epochs > 0)
		set_number(v, p.epochs);
	else if (column == PROGRESS && !isnan(p.part))
		set_number(v, p.part);
	else if (column == METRIC)
		set_text(v, *m->metric ? m->metric : view->metric);
	else if (column == GOAL && view->metric != NULL)
		set_text(v, view->goal == METRICS_MAX ? "max" : "min");
	else if (column == BEST && m->has_best)
		set_number(v, m->best);
	else if (column == BEST_EPOCH && m->has_best)
		set_number(v, job_summary_epoch(m, m->best_epoch));
	else if (column == LAST && m->last_kind != METRICS_BLANK)
		set_number(v, metrics_summary_last(m));
	else if (column == NAN_SINCE && m->last_kind > METRICS_NUMBER)
		set_number(v, job_summary_epoch(m, m->nan_since));
}

/* Set numbers from the store, where -1 means that there is no value. */
static void
known(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);
	int64_t number = -1;

	switch (column) {
	case SUBMITTED:
		number = job_view_submitted(view, task);
		break;
	case START:
		number = row->start;
		break;
	case END:
		number = row->end;
		break;
	case ELAPSED:
		number = job_view_elapsed(view, task);
		break;
	case MEMORY:
		number = row->memory;
		break;
	case CPU: /* milliseconds */
		number = row->cpu;
		break;
	case EXIT:
		number = row->exit;
		break;
	case SIGNAL:
		number = row->signal;
		break;
	}
	if (number == -1)
		return;
	set_number(v, column == CPU ? (double)number / 1000 : (double)number);
	if (column == SUBMITTED || column == START || column == END)
		v->kind = JOB_TIME;
}

/* Set texts from the store, and paths. */
static void
text(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	switch (column) {
	case CAUSE:
		set_text(v, row->cause);
		break;
	case NODE:
		set_text(v, row->node);
		break;
	case GPUS:
		set_text(v, row->gpus);
		break;
	case LOG:
		v->own = job_view_log(view, task);
		set_text(v, v->own);
		break;
	case METRICS:
		set_text(v, row->metrics_path);
		break;
	case MARK:
		set_text(v, job_view_mark(view, task));
		break;
	case ACCOUNT:
		set_text(v, row->account);
		break;
	case QOS:
		set_text(v, row->qos);
		break;
	case LOG_CAUSE:
		set_text(v, job_last_line_cause(view, task));
		break;
	}
}

/* What a search did with a task. */
static void
searched(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);
	struct stop_pruned why = {.epoch = 0};
	struct store_rung rung = {.epoch = 0};
	const char *rungs = row->rungs;
	struct job_search search;

	switch (column) {
	case BRACKET:
		if (job_search_of(view->job, &search) && search.epochs > 0 &&
		    search.pruner.kind == SEARCH_HYPERBAND)
			set_number(
			    v, (double)job_search_bracket(&search, task));
		break;
	case RUNG:
		while (job_rungs_next(&rungs, &rung))
			set_number(v, (double)rung.epoch);
		break;
	case PRUNED:
		if (!state_is_pruned(row))
			break;
		stop_pruned_read(row->cause, &why);
		set_number(v, (double)why.epoch);
		break;
	case SAMPLER:
		if (row->point != NULL)
			set_text(v,
			    row->sampler != NULL ? row->sampler
						 : view->job->search.sampler);
		break;
	}
}

static void
expected(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	struct job_eta eta;
	double value = NAN;

	if (store_state_is_final(store_table_state(view->table, task)) &&
	    column != EPOCH_TIME)
		return;
	job_view_eta(view, task, &eta);
	switch (column) {
	case EPOCH_TIME:
		value = eta.pace;
		break;
	case ETA:
		value = eta.left;
		break;
	case ROOM:
		value = eta.room;
		break;
	}
	if (!isnan(value))
		set_number(v, value);
}

static void
use(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	struct usage_sum sum;
	double value = NAN;

	job_usage_sum(job_view_row(view, task), &sum);
	switch (column) {
	case GPU_USE:
		value = sum.gpu;
		break;
	case GPU_MEMORY:
		value = sum.gpu_memory * MIB;
		break;
	case GPU_IDLE:
		value = sum.idle;
		break;
	case CPU_USE:
		value = usage_percent(sum.cpu, sum.cpus);
		break;
	case MEMORY_USE:
		value = sum.memory * MIB;
		break;
	}
	if (!isnan(value))
		set_number(v, value);
}

/* Return the number of the first column with a metric of view->metrics. */
static int
first_metric(const struct job_view *view)
{
	return COLUMNS +
	    (int)(view->job->names.count + view->job->groups.names.count);
}

static void
set_metric(
    const struct job_view *view, uint64_t task, int metric, struct job_value *v)
{
	size_t at = task * view->metrics.names.count + (size_t)metric;

	if (view->metrics.has[at])
		set_number(v, view->metrics.value[at]);
}

/* ---- cells for people ---- */

char *
job_column_epoch(
    struct job_view *view, uint64_t task, char out[JOB_COLUMN_TEXT])
{
	const struct store_row *row = job_view_row(view, task);
	char done[NUM_TEXT], epochs[NUM_TEXT];
	struct job_progress p;

	job_view_progress(view, task, &p);
	num_short(p.done, 9, done);
	if (row->metrics.epochs == 0 &&
	    (p.epochs == 0 || store_state_is_final(row->state)))
		snprintf(out, JOB_COLUMN_TEXT, "-");
	else if (p.epochs == 0)
		snprintf(out, JOB_COLUMN_TEXT, "%s", done);
	else
		snprintf(out, JOB_COLUMN_TEXT, "%s/%s", done,
		    num_short(p.epochs, 9, epochs));
	return out;
}

/* Write bytes as Slurm writes sizes: "11.2G". */
static char *
size_text(double bytes, char *out)
{
	static const char units[] = "MGT";
	char digits[NUM_TEXT];
	double size = bytes / MIB;
	size_t i;

	/* num_short would write three digits of 999.5 or more as 1e+03. */
	for (i = 0; size >= 999.5 && units[i + 1] != '\0'; i++)
		size /= 1024;
	snprintf(
	    out, JOB_COLUMN_TEXT, "%s%c", num_short(size, 3, digits), units[i]);
	return out;
}

/* Return the text of a cell whose column has a value, made in out if needed. */
static const char *
cell(struct job_view *view, uint64_t task, int column,
    const struct job_value *value, char *out)
{
	char text[NUM_TEXT];

	switch (column) {
	case BEST:
		snprintf(out, JOB_COLUMN_TEXT, "%s ",
		    job_view_value(value->number, text));
		return out;
	case BEST_EPOCH:
		return num_short(value->number, 9, out);
	case LAST:
		return job_view_value(value->number, out);
	case ELAPSED:
		return num_span((int64_t)value->number, out);
	case ETA:
		return store_table_state(view->table, task) == STORE_RUNNING
		    ? num_span((int64_t)ceil(value->number), out)
		    : NULL;
	case GPU_USE:
	case CPU_USE:
		snprintf(out, JOB_COLUMN_TEXT, "%.0f", value->number);
		return out;
	case MEMORY:
	case GPU_MEMORY:
	case MEMORY_USE:
		return size_text(value->number, out);
	default:
		if (value->kind == JOB_TIME)
			return table_iso_time((int64_t)value->number, out);
		return column >= first_metric(view)
		    ? job_view_value(value->number, out)
		    : value->text;
	}
}

/* ---- the columns ---- */

/* The name of each fixed column and the function that sets its value. */
static const struct {
	const char *name;
	void (*get)(
	    struct job_view *, uint64_t task, int column, struct job_value *);
} fixed[COLUMNS] = {
    [ID] = {"id", identity},
    [JOB] = {"job", identity},
    [TASK] = {"task", identity},
    [STATE] = {"state", identity},
    [CAUSE] = {"cause", text},
    [EPOCH] = {"epoch", training},
    [EPOCHS] = {"epochs", training},
    [PROGRESS] = {"progress", training},
    [METRIC] = {"metric", training},
    [GOAL] = {"goal", training},
    [BEST] = {"best", training},
    [BEST_EPOCH] = {"best_epoch", training},
    [LAST] = {"last", training},
    [NAN_SINCE] = {"nan_since", training},
    [SUBMITTED] = {"submitted", known},
    [START] = {"start", known},
    [END] = {"end", known},
    [ELAPSED] = {"elapsed", known},
    [NODE] = {"node", text},
    [GPUS] = {"gpus", text},
    [MEMORY] = {"memory", known},
    [CPU] = {"cpu", known},
    [EXIT] = {"exit", known},
    [SIGNAL] = {"signal", known},
    [SLURM] = {"slurm_id", identity},
    [ATTEMPT] = {"attempt", identity},
    [RESTART] = {"restart", identity},
    [LOG] = {"log", text},
    [METRICS] = {"metrics", text},
    [EPOCH_TIME] = {"epoch_time", expected},
    [ETA] = {"eta", expected},
    [ROOM] = {"time_left", expected},
    [MARK] = {"mark", text},
    [GPU_USE] = {"gpu_use", use},
    [GPU_MEMORY] = {"gpu_memory", use},
    [GPU_IDLE] = {"gpu_idle", use},
    [CPU_USE] = {"cpu_use", use},
    [MEMORY_USE] = {"memory_use", use},
    [ACCOUNT] = {"account", text},
    [QOS] = {"qos", text},
    [LOG_CAUSE] = {"log_cause", text},
    [CODE] = {"code", identity},
    [RUNG] = {"rung", searched},
    [PRUNED] = {"pruned", searched},
    [SAMPLER] = {"sampler", searched},
    [BRACKET] = {"bracket", searched},
};

const int job_columns = COLUMNS;

/*
 * The columns of the table for people after the hyperparameters, in order, and
 * the text of a cell without a value.
 */
static const struct {
	int column;
	const char *none;
	struct table_column layout;
} people[] = {
    {EPOCH, "-", {.head = "EPOCH", .right = 1, .drop = 13}},
    {JOB_COLUMN_BAR},
    {BEST, "- ", {.head = "BEST", .right = 1}},
    {BEST_EPOCH, "-", {.head = "AT", .right = 1, .drop = 11}},
    {LAST, "-", {.head = "LAST", .right = 1, .drop = 8}},
    {JOB_COLUMN_SPARK},
    {ELAPSED, "-", {.head = "ELAPSED", .right = 1, .drop = 6}},
    {ETA, NULL, {.head = "ETA", .right = 1, .optional = 1, .drop = 10}},
    {GPU_USE, NULL, {.head = "GPU%", .right = 1, .optional = 1, .drop = 7}},
    {GPU_MEMORY, NULL,
	{.head = "GPUMEM", .right = 1, .optional = 1, .drop = 2}},
    {CPU_USE, NULL, {.head = "CPU%", .right = 1, .optional = 1, .drop = 4}},
    {MEMORY_USE, NULL, {.head = "MEM", .right = 1, .optional = 1, .drop = 2}},
    {NODE, NULL,
	{.head = "NODE", .optional = 1, .cut = 3, .least = 8, .drop = 3}},
};

const size_t job_columns_shown = sizeof people / sizeof *people;

static const char prefix[] = "param_";

const char *
job_column_name(int column)
{
	return fixed[column].name;
}

static int
find_fixed(const char *name)
{
	int i;

	for (i = 0; i < COLUMNS; i++)
		if (strcmp(name, fixed[i].name) == 0)
			return i;
	return -1;
}

/*
 * The prefix repeats (param_x becomes param_param_x) so that names stay unique.
 */
char *
job_column_param(const char *hyperparameter)
{
	int taken = find_fixed(hyperparameter) >= 0 ||
	    strncmp(hyperparameter, prefix, sizeof prefix - 1) == 0;

	return xasprintf("%s%s", taken ? prefix : "", hyperparameter);
}

int
job_column_count(const struct job_view *view)
{
	return first_metric(view) + (int)view->metrics.names.count;
}

/* Return whether a name is that of a column before those of metrics. */
static int
is_taken(const struct job_view *view, const char *name)
{
	const struct strlist *names = &view->job->names;
	int taken = find_fixed(name) >= 0 ||
	    strlist_have(&view->job->groups.names, name);
	size_t i;
	char *own;

	for (i = 0; i < names->count && !taken; i++) {
		own = job_column_param(names->word[i]);
		taken =
		    strcmp(own, name) == 0 || strcmp(names->word[i], name) == 0;
		free(own);
	}
	return taken;
}

/* Return the name of the column of a metric, to free. */
static char *
metric_name(const struct job_view *view, const char *metric)
{
	static const char own[] = "metric_";
	const size_t length = sizeof own - 1;
	char *name = xstrdup(metric), *longer;

	/* metric_best is the column of best, if both are there. */
	while (is_taken(view, name) ||
	    (strcmp(name, metric) == 0 && strncmp(name, own, length) == 0 &&
		strlist_have(&view->metrics.names, name + length))) {
		longer = xasprintf("%s%s", own, name);
		free(name);
		name = longer;
	}
	return name;
}

char *
job_column_named(const struct job_view *view, int column)
{
	const struct strlist *names = &view->job->names;
	size_t i = (size_t)(column - COLUMNS);

	if (column < COLUMNS)
		return xstrdup(fixed[column].name);
	if (i < names->count)
		return job_column_param(names->word[i]);
	if (column < first_metric(view))
		return xstrdup(view->job->groups.names.word[i - names->count]);
	return metric_name(
	    view, view->metrics.names.word[column - first_metric(view)]);
}

int
job_column_find(const struct job_view *view, const char *name)
{
	int found = find_fixed(name), i;
	char *own;

	for (i = COLUMNS; i < job_column_count(view) && found == -1; i++) {
		own = job_column_named(view, i);
		if (strcmp(own, name) == 0)
			found = i;
		free(own);
	}
	return found;
}

/* Return the name of the column under this head, or NULL. */
static const char *
name_under(const char *head)
{
	const char *name = NULL;
	size_t i;

	for (i = 0; i < job_columns_shown && name == NULL; i++)
		if (people[i].layout.head != NULL &&
		    ascii_casecmp(people[i].layout.head, head) == 0)
			name = fixed[people[i].column].name;
	return name;
}

int
job_column_unknown(struct job_view *const *views, size_t count,
    const char *name, struct error *e)
{
	const struct strlist *lists[3];
	struct strlist all = {0};
	const char *near = name_under(name);
	char hint[TEXT_HINT];
	size_t i, k, n;
	int c, is_objective = 0;

	for (c = 0; c < COLUMNS; c++)
		strlist_push(&all, fixed[c].name);
	for (i = 0; i < count; i++) {
		lists[0] = &views[i]->job->names;
		lists[1] = &views[i]->job->groups.names;
		lists[2] = &views[i]->metrics.names;
		for (n = 0; n < 3; n++)
			for (k = 0; k < lists[n]->count; k++)
				strlist_push(&all, lists[n]->word[k]);
	}
	for (i = 0; i < count && !is_objective; i++)
		is_objective = views[i]->metric != NULL &&
		    strcmp(views[i]->metric, name) == 0;
	if (near == NULL)
		near = text_nearest(
		    name, (const char *const *)all.word, all.count);
	error_set(e, "%s: no such column (%s)", name,
	    is_objective ? "it is the objective: write best or last"
			 : text_hint_of("", near, "",
			       "the first line of -o tsv has them all", hint));
	strlist_free(&all);
	return -1;
}

void
job_column_value(
    struct job_view *view, uint64_t task, int column, struct job_value *out)
{
	const struct store_job *job = view->job;
	size_t count = job->names.count, at = (size_t)(column - COLUMNS);

	out->kind = JOB_NO_VALUE;
	out->text = NULL;
	out->own = NULL;
	out->number = NAN;
	if (column < COLUMNS)
		fixed[column].get(view, task, column, out);
	else if (column >= first_metric(view))
		set_metric(view, task, column - first_metric(view), out);
	else
		set_text(out,
		    at < count ? job_view_point(view, task)[at]
			       : store_group_value(&job->groups, task,
				     job->groups.names.word[at - count]));
}

void
job_column_put(struct job_view *view, uint64_t task, int column,
    struct table *t, size_t at)
{
	struct job_value value;

	job_column_value(view, task, column, &value);
	if (value.kind == JOB_NUMBER)
		table_real(t, at, value.number);
	else if (value.kind == JOB_TIME)
		table_time(t, at, (int64_t)value.number);
	else if (column >= COLUMNS)
		table_value(t, at, value.text);
	else
		table_text(t, at, value.text);
	job_value_free(&value);
}

int
job_column_falls(const struct job_view *view, int column)
{
	if (column < first_metric(view))
		return (column == BEST || column == LAST) &&
		    view->goal == METRICS_MAX;
	return metrics_goal(
		   view->metrics.names.word[column - first_metric(view)]) ==
	    METRICS_MAX;
}

int
job_column_shown(size_t i, struct table_column *layout)
{
	int column = people[i].column;

	*layout = people[i].layout;
	layout->name = column == JOB_COLUMN_BAR ? fixed[PROGRESS].name
	    : column == JOB_COLUMN_SPARK        ? "curve"
						: fixed[column].name;
	return column;
}

/* Return the text of a cell of the column for people that has no value. */
static const char *
none_of(int column)
{
	size_t i;

	for (i = 0; i < job_columns_shown; i++)
		if (people[i].column == column)
			return people[i].none;
	return column >= COLUMNS ? "-" : NULL;
}

void
job_column_show(struct job_view *view, uint64_t task, int column,
    struct table *t, size_t at)
{
	char text[JOB_COLUMN_TEXT];
	struct job_value value;

	if (column == EPOCH) { /* shown even if the task's log has no row */
		table_show(t, at, job_column_epoch(view, task, text));
		return;
	}
	job_column_value(view, task, column, &value);
	table_show(t, at,
	    value.kind == JOB_NO_VALUE
		? none_of(column)
		: cell(view, task, column, &value, text));
	if (column == BEST && value.kind != JOB_NO_VALUE &&
	    (int64_t)task == view->best)
		table_best(t, at);
	job_value_free(&value);
}

void
job_value_free(struct job_value *v)
{
	free(v->own);
	v->own = NULL;
	v->text = NULL;
}
