#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/usage.h"
#include "view/columns.h"
#include "view/last-line.h"

enum { MIB = 1 << 20 };

static void
set_text(struct job_value *v, const char *text)
{
	v->kind = text != NULL ? JOB_TEXT : JOB_NO_VALUE;
	v->text = text;
}

static void
set_own(struct job_value *v, char *text)
{
	v->own = text;
	set_text(v, text);
}

static void
set_number(struct job_value *v, double number)
{
	v->kind = JOB_NUMBER;
	v->number = number;
	v->text = num_exact(number, v->room);
}

/* A number of the store, where -1 is none. */
static void
set_known(struct job_value *v, int64_t number, enum job_kind kind)
{
	if (number == -1)
		return;
	set_number(v, (double)number);
	v->kind = kind;
}

static void set_format(struct job_value *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
set_format(struct job_value *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->room, sizeof v->room, fmt, ap);
	va_end(ap);
	set_text(v, v->room);
}

static void
identity(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	switch (column) {
	case JOB_ID:
		set_format(v, "%s/%" PRIu64, view->job->name, task);
		break;
	case JOB_JOB:
		set_text(v, view->job->name);
		break;
	case JOB_TASK:
		set_number(v, (double)task);
		break;
	case JOB_STATE:
		set_text(v, store_state_name(row->state));
		break;
	case JOB_CAUSE:
		set_text(v, row->cause);
		break;
	case JOB_SLURM:
		set_own(v, store_row_slurm(row));
		break;
	case JOB_ATTEMPT:
		set_number(v, row->attempt);
		break;
	case JOB_RESTART:
		set_number(v, row->restart);
		break;
	}
}

static void
training(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct metrics_summary *m = &job_view_row(view, task)->metrics;

	if (column == JOB_EPOCH && m->epochs > 0)
		set_number(v, m->epoch);
	else if (column == JOB_METRIC)
		set_text(v, *m->metric ? m->metric : view->metric);
	else if (column == JOB_GOAL && view->metric != NULL)
		set_text(v, view->goal == METRICS_MAX ? "max" : "min");
	else if (column == JOB_BEST && m->has_best)
		set_number(v, m->best);
	else if (column == JOB_BEST_EPOCH && m->has_best)
		set_number(v, m->best_epoch);
	else if (column == JOB_LAST && m->last_kind != METRICS_BLANK)
		set_number(v, metrics_summary_last(m));
	else if (column == JOB_NAN_SINCE && m->last_kind > METRICS_NUMBER)
		set_number(v, m->nan_since);
}

static void
progress(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	struct job_progress p;

	job_view_progress(view, task, &p);
	if (column == JOB_EPOCHS && p.epochs > 0)
		set_number(v, p.epochs);
	else if (column == JOB_PROGRESS && !isnan(p.part))
		set_number(v, p.part);
}

static void
running(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	switch (column) {
	case JOB_SUBMITTED:
		set_known(v, job_view_submitted(view, task), JOB_TIME);
		break;
	case JOB_START:
		set_known(v, row->start, JOB_TIME);
		break;
	case JOB_END:
		set_known(v, row->end, JOB_TIME);
		break;
	case JOB_ELAPSED:
		set_known(v, job_view_elapsed(view, task), JOB_NUMBER);
		break;
	case JOB_MEMORY:
		set_known(v, row->memory, JOB_NUMBER);
		break;
	case JOB_CPU:
		if (row->cpu != -1)
			set_number(v, (double)row->cpu / 1000);
		break;
	case JOB_EXIT:
		set_known(v, row->exit, JOB_NUMBER);
		break;
	case JOB_SIGNAL:
		set_known(v, row->signal, JOB_NUMBER);
		break;
	}
}

static void
places(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	switch (column) {
	case JOB_NODE:
		set_text(v, row->node);
		break;
	case JOB_GPUS:
		set_text(v, row->gpus);
		break;
	case JOB_ACCOUNT:
		set_text(v, row->account);
		break;
	case JOB_QOS:
		set_text(v, row->qos);
		break;
	case JOB_LOG:
		set_own(v, job_view_log(view, task));
		break;
	case JOB_METRICS:
		set_text(v, row->metrics_path);
		break;
	case JOB_LOG_CAUSE:
		set_text(v, job_last_line_cause(view, task));
		break;
	}
}

static void
expected(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	struct job_eta eta;
	double value;

	if (column == JOB_MARK) {
		set_text(v, job_view_mark(view, task));
		return;
	}
	if (store_state_is_final(store_table_state(view->fold, task)) &&
	    column != JOB_EPOCH_TIME)
		return;
	job_view_eta(view, task, &eta);
	value = column == JOB_EPOCH_TIME ? eta.pace
	    : column == JOB_ETA          ? eta.left
					 : eta.room;
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
	case JOB_GPU_USE:
		value = sum.gpu;
		break;
	case JOB_GPU_MEMORY:
		value = sum.gpu_memory * MIB;
		break;
	case JOB_GPU_IDLE:
		value = sum.idle;
		break;
	case JOB_CPU_USE:
		value = usage_percent(sum.cpu, sum.cpus);
		break;
	case JOB_MEMORY_USE:
		value = sum.memory * MIB;
		break;
	}
	if (!isnan(value))
		set_number(v, value);
}

/* ---- the columns ---- */

/* What a column is called and where its values come from. */
struct source {
	const char *name;
	void (*get)(
	    struct job_view *, uint64_t task, int column, struct job_value *);
};

static const struct source fixed[JOB_COLUMNS] = {
    [JOB_ID] = {"id", identity},
    [JOB_JOB] = {"job", identity},
    [JOB_TASK] = {"task", identity},
    [JOB_STATE] = {"state", identity},
    [JOB_CAUSE] = {"cause", identity},
    [JOB_EPOCH] = {"epoch", training},
    [JOB_EPOCHS] = {"epochs", progress},
    [JOB_PROGRESS] = {"progress", progress},
    [JOB_METRIC] = {"metric", training},
    [JOB_GOAL] = {"goal", training},
    [JOB_BEST] = {"best", training},
    [JOB_BEST_EPOCH] = {"best_epoch", training},
    [JOB_LAST] = {"last", training},
    [JOB_NAN_SINCE] = {"nan_since", training},
    [JOB_SUBMITTED] = {"submitted", running},
    [JOB_START] = {"start", running},
    [JOB_END] = {"end", running},
    [JOB_ELAPSED] = {"elapsed", running},
    [JOB_NODE] = {"node", places},
    [JOB_GPUS] = {"gpus", places},
    [JOB_MEMORY] = {"memory", running},
    [JOB_CPU] = {"cpu", running},
    [JOB_EXIT] = {"exit", running},
    [JOB_SIGNAL] = {"signal", running},
    [JOB_SLURM] = {"slurm", identity},
    [JOB_ATTEMPT] = {"attempt", identity},
    [JOB_RESTART] = {"restart", identity},
    [JOB_LOG] = {"log", places},
    [JOB_METRICS] = {"metrics", places},
    [JOB_EPOCH_TIME] = {"epoch_time", expected},
    [JOB_ETA] = {"eta", expected},
    [JOB_ROOM] = {"time_left", expected},
    [JOB_MARK] = {"mark", expected},
    [JOB_GPU_USE] = {"gpu_use", use},
    [JOB_GPU_MEMORY] = {"gpu_memory", use},
    [JOB_GPU_IDLE] = {"gpu_idle", use},
    [JOB_CPU_USE] = {"cpu_use", use},
    [JOB_MEMORY_USE] = {"memory_use", use},
    [JOB_ACCOUNT] = {"account", places},
    [JOB_QOS] = {"qos", places},
    [JOB_LOG_CAUSE] = {"log_cause", places},
};

static const char prefix[] = "param_";

const char *
job_column_name(size_t column)
{
	return fixed[column].name;
}

static int
find_fixed(const char *name)
{
	int i;

	for (i = 0; i < JOB_COLUMNS; i++)
		if (strcmp(name, fixed[i].name) == 0)
			return i;
	return -1;
}

/* So that no two columns have one name, param_x becomes param_param_x. */
char *
job_column_param(const char *hyperparameter)
{
	int taken = find_fixed(hyperparameter) >= 0 ||
	    strncmp(hyperparameter, prefix, sizeof prefix - 1) == 0;

	return xasprintf("%s%s", taken ? prefix : "", hyperparameter);
}

int
job_column_find(const struct store_job *job, const char *name)
{
	int found = find_fixed(name);
	char *column;
	size_t i;

	for (i = 0; i < job->names.count && found == -1; i++) {
		column = job_column_param(job->names.word[i]);
		if (strcmp(column, name) == 0)
			found = JOB_COLUMNS + (int)i;
		free(column);
	}
	for (i = 0; i < job->groups.names.count && found == -1; i++)
		if (strcmp(job->groups.names.word[i], name) == 0)
			found = JOB_COLUMNS + (int)(job->names.count + i);
	return found;
}

int
job_column_unknown(struct job_view *const *views, size_t count,
    const char *name, struct error *e)
{
	const struct strlist *lists[2];
	struct strlist all = {0};
	char hint[TEXT_HINT];
	size_t i, k, n;

	for (i = 0; i < JOB_COLUMNS; i++)
		strlist_push(&all, fixed[i].name);
	for (i = 0; i < count; i++) {
		lists[0] = &views[i]->job->names;
		lists[1] = &views[i]->job->groups.names;
		for (n = 0; n < 2; n++)
			for (k = 0; k < lists[n]->count; k++)
				strlist_push(&all, lists[n]->word[k]);
	}
	error_set(e, "%s: no such column (%s)", name,
	    text_hint(name, (const char *const *)all.word, all.count,
		"the first line of -o tsv has them all", hint));
	strlist_free(&all);
	return -1;
}

/* A hyperparameter, or what the point asks of Slurm. */
static const char *
of_point(struct job_view *view, uint64_t task, int i)
{
	const struct store_job *job = view->job;
	size_t count = job->names.count, at = (size_t)i;

	if (at < count)
		return job_view_point(view, task)[at];
	return store_group_value(
	    &job->groups, task, job->groups.names.word[at - count]);
}

void
job_column_value(
    struct job_view *view, uint64_t task, int column, struct job_value *out)
{
	out->kind = JOB_NO_VALUE;
	out->text = NULL;
	out->own = NULL;
	out->number = NAN;
	if (column >= JOB_COLUMNS)
		set_text(out, of_point(view, task, column - JOB_COLUMNS));
	else
		fixed[column].get(view, task, column, out);
}

void
job_value_free(struct job_value *v)
{
	free(v->own);
	v->own = NULL;
	v->text = NULL;
}
