/* stfm-status --cost: GPU hours by the states of tasks. */
#include <math.h>

#include "base/xalloc.h"
#include "job/usage.h"
#include "state/history.h"
#include "state/resolve.h"
#include "status/private.h"
#include "store/fact.h"

enum {
	JOB,
	TASKS,
	HOURS,
	GPU_HOURS,
	STATES,
	EARLIER = STATES + STORE_STATES,
	WASTED,
	IDLE,
	PRUNED,
	COLUMNS
};

/* A column of hours in a state; the heads are those of SHOW_STATE. */
#define HOURS_IN(column, state, short) \
	{ \
		.name = column, .head = #state, .brief = #short, .right = 1, \
		.narrow = 6 \
	}

static const struct table_column columns[COLUMNS] = {
    [JOB] = {.name = "job", .head = "JOB", .cut = 8, .least = 8},
    [TASKS] = {.name = "tasks", .head = "TASKS", .right = 1, .drop = 2},
    [HOURS] = {.name = "hours", .head = "HOURS", .right = 1, .drop = 5},
    [GPU_HOURS] = {.name = "gpu_hours",
	.head = "GPU HOURS",
	.brief = "GPU",
	.right = 1},
    [STATES + STORE_SUBMITTED] = {.name = "submitted_hours"},
    [STATES + STORE_RUNNING] = HOURS_IN("running_hours", RUNNING, RUN),
    [STATES + STORE_FINISHED] = HOURS_IN("finished_hours", FINISHED, FIN),
    [STATES + STORE_ERROR] = HOURS_IN("error_hours", ERROR, ERR),
    [STATES + STORE_STOPPED] = HOURS_IN("stopped_hours", STOPPED, STOP),
    [EARLIER] = {.name = "earlier_hours",
	.head = "EARLIER",
	.brief = "EARL",
	.right = 1,
	.narrow = 6},
    [WASTED] = {.name = "wasted", .head = "WASTED", .right = 1},
    [IDLE] = {.name = "idle_hours", .head = "IDLE", .right = 1, .optional = 1},
    [PRUNED] = {.name = "pruned_hours",
	.head = "PRUNED",
	.right = 1,
	.optional = 1},
};

/* Used seconds, of tasks and of GPUs. */
struct use {
	double time, gpus;
};

struct cost {
	uint64_t tasks;
	struct use all, in[STORE_STATES], earlier;
	struct use pruned;  /* of tasks that a search stopped */
	double idle;        /* seconds for which GPUs were idle */
	int64_t start, end; /* first start and last end, or 0 */
};

/* ---- sums ---- */

/*
 * Add the use of a run.  share is its part of an allocation that tasks share.
 */
static void
add(struct use *to, double seconds, double share, const struct store_row *row)
{
	to->time += seconds * share;
	to->gpus += seconds * share * (double)store_fact_gpus(row->gpus);
}

static void
add_idle(struct cost *c, double share, const struct store_row *row)
{
	struct usage_sum sum;

	job_usage_sum(row, &sum);
	if (sum.idle > 0)
		c->idle += sum.idle * share;
}

static void
add_span(struct cost *c, const struct store_row *row)
{
	if (row->start > 0 && (c->start == 0 || row->start < c->start))
		c->start = row->start;
	if (row->end > c->end)
		c->end = row->end;
}

/*
 * Return the sum to which a task belongs.  Pruned tasks have done what a search
 * wanted of them, so that they are not wasted as other STOPPED tasks are.
 */
static struct use *
use_of(struct cost *c, const struct store_row *row)
{
	return state_is_pruned(row) ? &c->pruned : &c->in[row->state];
}

/*
 * Add the runs before the current one.  Earlier runs of the same attempt count
 * like the current run, which continued them.
 */
static void
add_earlier(struct cost *c, struct job_view *v, uint64_t task)
{
	const struct store_row *now = job_view_row(v, task), *row;
	struct job_history runs;
	double seconds, share;
	size_t i;

	if (now->attempt == 0 && now->restart == 0)
		return;
	job_view_attempts(v, task, &runs);
	for (i = 0; i < runs.count; i++) {
		row = &runs.row[i];
		add_span(c, row);
		if (row->start == -1 || row->end <= row->start)
			continue;
		seconds = (double)(row->end - row->start);
		share = 1 / (double)job_view_packed(v, row);
		add_idle(c, share, row);
		add(&c->all, seconds, share, row);
		add(row->attempt == now->attempt ? use_of(c, now) : &c->earlier,
		    seconds, share, row);
	}
	job_history_free(&runs);
}

static void
add_task(struct cost *c, struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	int64_t elapsed = job_view_elapsed(v, task);
	double share = 1 / (double)job_view_packed(v, row);

	c->tasks++;
	add_span(c, row);
	add_idle(c, share, row);
	if (elapsed > 0) {
		add(&c->all, (double)elapsed, share, row);
		add(use_of(c, row), (double)elapsed, share, row);
	}
	add_earlier(c, v, task);
	store_table_forget(v->table, task);
}

static void
add_cost(struct cost *to, const struct cost *c)
{
	int i;

	to->tasks += c->tasks;
	to->idle += c->idle;
	to->all.time += c->all.time;
	to->all.gpus += c->all.gpus;
	to->earlier.time += c->earlier.time;
	to->earlier.gpus += c->earlier.gpus;
	to->pruned.time += c->pruned.time;
	to->pruned.gpus += c->pruned.gpus;
	for (i = 0; i < STORE_STATES; i++) {
		to->in[i].time += c->in[i].time;
		to->in[i].gpus += c->in[i].gpus;
	}
}

/* ---- output ---- */

/* Return GPU seconds, or task seconds if no GPU was used. */
static double
used(const struct cost *c, const struct use *use)
{
	return c->all.gpus > 0 ? use->gpus : use->time;
}

/* Return the wasted fraction of the cost, or nan. */
static double
wasted_part(const struct cost *c)
{
	double all = used(c, &c->all);

	if (all <= 0)
		return NAN;
	return (used(c, &c->in[STORE_ERROR]) + used(c, &c->in[STORE_STOPPED]) +
		   used(c, &c->earlier)) /
	    all;
}

static void
put_hours(struct table *t, size_t column, double seconds)
{
	char text[NUM_TEXT];
	double hours = seconds / 3600;
	int digits = hours < 0.00995 ? 4
	    : hours < 0.0995         ? 3
	    : hours < 9.95           ? 2
				     : 1;

	table_real(t, column, hours);
	snprintf(text, sizeof text, "%.*f", digits, hours);
	table_show(t, column, seconds > 0 ? text : "-");
}

static void
put_cost(struct table *t, const char *name, const struct cost *c)
{
	double wasted = wasted_part(c);
	char text[NUM_TEXT];
	size_t i;

	table_row(t);
	table_text(t, JOB, name);
	table_int(t, TASKS, (int64_t)c->tasks);
	put_hours(t, HOURS, c->all.time);
	put_hours(t, GPU_HOURS, c->all.gpus);
	for (i = 0; i < STORE_STATES; i++)
		put_hours(t, STATES + i, used(c, &c->in[i]));
	put_hours(t, EARLIER, used(c, &c->earlier));
	put_hours(t, IDLE, c->idle);
	if (c->idle <= 0)
		table_show(t, IDLE, NULL);
	put_hours(t, PRUNED, used(c, &c->pruned));
	if (c->pruned.time <= 0)
		table_show(t, PRUNED, NULL);
	if (isnan(wasted)) {
		table_show(t, WASTED, "-");
		return;
	}
	table_real(t, WASTED, wasted);
	snprintf(text, sizeof text, "%.0f%%", wasted * 100);
	table_show(t, WASTED, text);
}

static struct cost
sum_up(const struct job_tasks *tasks)
{
	struct cost cost = {0};
	size_t k;

	for (k = 0; k < tasks->count; k++)
		add_task(&cost, tasks->view, tasks->task[k]);
	if (tasks->view->table->damaged.count > 0)
		job_view_note(tasks->view,
		    "hours of damaged records are missing: run stfm-check "
		    "--store --repair");
	return cost;
}

void
show_cost(const struct job_tasks *tasks, struct show_cost *out)
{
	struct cost cost = sum_up(tasks);
	int i;

	out->hours = cost.all.time / 3600;
	out->gpu_hours = cost.all.gpus / 3600;
	out->wasted = wasted_part(&cost);
	out->seconds = cost.start > 0 && cost.end >= cost.start
	    ? (double)(cost.end - cost.start)
	    : NAN;
	out->start = cost.start;
	out->end = cost.end;
	for (i = 0; i < STORE_STATES; i++)
		out->in[i] = used(&cost, &cost.in[i]) / 3600;
	out->earlier = used(&cost, &cost.earlier) / 3600;
	out->pruned = used(&cost, &cost.pruned) / 3600;
}

int
job_show_cost(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct show_style *look, struct error *e)
{
	struct table_look how = {look->format, look->width, look->colors, NULL};
	struct table *t = table_new(out, columns, COLUMNS, &how);
	struct cost cost, all = {0};
	size_t i;

	if (show_choose(t, look, e) == -1)
		return -1;
	for (i = 0; i < count; i++) {
		cost = sum_up(&tasks[i]);
		put_cost(t, store_job_name(tasks[i].view->job), &cost);
		add_cost(&all, &cost);
	}
	if (count > 1 && look->format == TABLE_TEXT)
		put_cost(t, "all", &all);
	table_end(t);
	return 0;
}
