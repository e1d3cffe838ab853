#include <inttypes.h>
#include <math.h>

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
set_number(struct job_value *v, double number)
{
	v->kind = JOB_NUMBER;
	v->number = number;
	v->text = num_exact(number, v->room);
}

/* ---- where values come from ---- */

static void
identity(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	switch (column) {
	case JOB_ID:
		snprintf(v->room, sizeof v->room, "%s/%" PRIu64,
		    view->job->name, task);
		set_text(v, v->room);
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
	case JOB_SLURM:
		v->own = store_row_slurm(row);
		set_text(v, v->own);
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
	struct job_progress p = {.part = NAN};

	if (column == JOB_EPOCHS || column == JOB_PROGRESS)
		job_view_progress(view, task, &p);
	if (column == JOB_EPOCH && m->epochs > 0)
		set_number(v, m->epoch);
	else if (column == JOB_EPOCHS && p.epochs > 0)
		set_number(v, p.epochs);
	else if (column == JOB_PROGRESS && !isnan(p.part))
		set_number(v, p.part);
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

/* Numbers of the store, where -1 is none. */
static void
known(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);
	int64_t number = column == JOB_SUBMITTED
	    ? job_view_submitted(view, task)
	    : column == JOB_START   ? row->start
	    : column == JOB_END     ? row->end
	    : column == JOB_ELAPSED ? job_view_elapsed(view, task)
	    : column == JOB_MEMORY  ? row->memory
	    : column == JOB_CPU     ? row->cpu
	    : column == JOB_EXIT    ? row->exit
				    : row->signal;

	if (number == -1)
		return;
	set_number(
	    v, column == JOB_CPU ? (double)number / 1000 : (double)number);
	if (column == JOB_SUBMITTED || column == JOB_START || column == JOB_END)
		v->kind = JOB_TIME;
}

static void
text(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	const struct store_row *row = job_view_row(view, task);

	if (column == JOB_LOG)
		v->own = job_view_log(view, task);
	set_text(v,
	    column == JOB_CAUSE         ? row->cause
		: column == JOB_NODE    ? row->node
		: column == JOB_GPUS    ? row->gpus
		: column == JOB_ACCOUNT ? row->account
		: column == JOB_QOS     ? row->qos
		: column == JOB_METRICS ? row->metrics_path
		: column == JOB_MARK    ? job_view_mark(view, task)
		: column == JOB_LOG     ? v->own
					: job_last_line_cause(view, task));
}

static void
expected(struct job_view *view, uint64_t task, int column, struct job_value *v)
{
	struct job_eta eta;
	double value;

	if (store_state_is_final(store_table_state(view->table, task)) &&
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
	double value;

	job_usage_sum(job_view_row(view, task), &sum);
	value = column == JOB_GPU_USE  ? sum.gpu
	    : column == JOB_GPU_MEMORY ? sum.gpu_memory * MIB
	    : column == JOB_GPU_IDLE   ? sum.idle
	    : column == JOB_CPU_USE    ? usage_percent(sum.cpu, sum.cpus)
				       : sum.memory * MIB;
	if (!isnan(value))
		set_number(v, value);
}

/* ---- the columns ---- */

/* What a column is called and where its values come from. */
static const struct {
	const char *name;
	void (*get)(
	    struct job_view *, uint64_t task, int column, struct job_value *);
} fixed[JOB_COLUMNS] = {
    [JOB_ID] = {"id", identity},
    [JOB_JOB] = {"job", identity},
    [JOB_TASK] = {"task", identity},
    [JOB_STATE] = {"state", identity},
    [JOB_CAUSE] = {"cause", text},
    [JOB_EPOCH] = {"epoch", training},
    [JOB_EPOCHS] = {"epochs", training},
    [JOB_PROGRESS] = {"progress", training},
    [JOB_METRIC] = {"metric", training},
    [JOB_GOAL] = {"goal", training},
    [JOB_BEST] = {"best", training},
    [JOB_BEST_EPOCH] = {"best_epoch", training},
    [JOB_LAST] = {"last", training},
    [JOB_NAN_SINCE] = {"nan_since", training},
    [JOB_SUBMITTED] = {"submitted", known},
    [JOB_START] = {"start", known},
    [JOB_END] = {"end", known},
    [JOB_ELAPSED] = {"elapsed", known},
    [JOB_NODE] = {"node", text},
    [JOB_GPUS] = {"gpus", text},
    [JOB_MEMORY] = {"memory", known},
    [JOB_CPU] = {"cpu", known},
    [JOB_EXIT] = {"exit", known},
    [JOB_SIGNAL] = {"signal", known},
    [JOB_SLURM] = {"slurm", identity},
    [JOB_ATTEMPT] = {"attempt", identity},
    [JOB_RESTART] = {"restart", identity},
    [JOB_LOG] = {"log", text},
    [JOB_METRICS] = {"metrics", text},
    [JOB_EPOCH_TIME] = {"epoch_time", expected},
    [JOB_ETA] = {"eta", expected},
    [JOB_ROOM] = {"time_left", expected},
    [JOB_MARK] = {"mark", text},
    [JOB_GPU_USE] = {"gpu_use", use},
    [JOB_GPU_MEMORY] = {"gpu_memory", use},
    [JOB_GPU_IDLE] = {"gpu_idle", use},
    [JOB_CPU_USE] = {"cpu_use", use},
    [JOB_MEMORY_USE] = {"memory_use", use},
    [JOB_ACCOUNT] = {"account", text},
    [JOB_QOS] = {"qos", text},
    [JOB_LOG_CAUSE] = {"log_cause", text},
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

void
job_column_value(
    struct job_view *view, uint64_t task, int column, struct job_value *out)
{
	const struct store_job *job = view->job;
	size_t count = job->names.count, at = (size_t)column - JOB_COLUMNS;

	out->kind = JOB_NO_VALUE;
	out->text = NULL;
	out->own = NULL;
	out->number = NAN;
	if (column < JOB_COLUMNS)
		fixed[column].get(view, task, column, out);
	else if (at < count)
		set_text(out, job_view_point(view, task)[at]);
	else
		set_text(out,
		    store_group_value(&job->groups, task,
			job->groups.names.word[at - count]));
}

void
job_value_free(struct job_value *v)
{
	free(v->own);
	v->own = NULL;
	v->text = NULL;
}
