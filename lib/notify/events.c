#include <math.h>
#include <string.h>

#include "base/text.h"
#include "notify/events.h"

/* The conditions of events about tasks. */
struct kind {
	enum store_state state; /* only tasks in this state */
	const char *mark;       /* only tasks with this mark, or NULL */
	int idle;               /* only tasks with an idle GPU */
	int any_restart;        /* notify once for all runs of an attempt */
};

static const struct kind kinds[NOTIFIED_EVENTS] = {
    [NOTIFIED_ERROR] = {.state = STORE_ERROR},
    [NOTIFIED_STALLED] = {.state = STORE_RUNNING, .mark = "STALLED"},
    [NOTIFIED_LATE] = {.state = STORE_RUNNING,
	.mark = "LATE",
	.any_restart = 1},
    [NOTIFIED_IDLE] = {.state = STORE_RUNNING, .idle = 1},
};

void
notify_event_free(struct notify_event *event)
{
	idset_free(&event->tasks);
}

/*
 * Return whether a task meets a kind's conditions.  The mark of a STALLED or
 * LATE task does not show that it is idle, too.
 */
static int
is_of(const struct kind *kind, struct job_view *v, uint64_t task)
{
	struct job_eta eta;

	if (kind->mark != NULL)
		return text_same(job_view_mark(v, task), kind->mark);
	if (!kind->idle)
		return 1;
	job_view_eta(v, task, &eta);
	return eta.idle;
}

static int
find_tasks(struct job_view *v, const struct kind *kind,
    struct notified_about *about, struct idset *out)
{
	struct store_brief brief;
	int64_t restart;
	uint64_t task;

	if (v->table->in_state[kind->state] == 0)
		return 0;
	for (task = 0; task < v->table->count; task++) {
		if (store_table_state(v->table, task) != kind->state)
			continue;
		brief = store_table_brief(v->table, task);
		restart = kind->any_restart ? 0 : brief.restart;
		if (notified_has(about, brief.attempt, restart, task) ||
		    !is_of(kind, v, task))
			continue;
		notified_add(about, brief.attempt, restart, task);
		idset_add(out, task, task);
	}
	return out->count > 0;
}

static int
find_best(
    struct job_view *v, struct notified_about *about, struct notify_event *out)
{
	char old[NUM_TEXT], new[NUM_TEXT];

	if (v->best == -1 || v->metric == NULL || isnan(v->best_value))
		return 0;
	out->had_best = text_same(about->metric, v->metric);
	out->before = about->value;
	if (out->had_best &&
	    ((v->goal == METRICS_MAX ? v->best_value <= about->value
				     : v->best_value >= about->value) ||
		strcmp(job_view_value(about->value, old),
		    job_view_value(v->best_value, new)) == 0))
		return 0;
	notified_set_best(about, v->metric, v->best_value);
	idset_add(&out->tasks, (uint64_t)v->best, (uint64_t)v->best);
	return 1;
}

/* Find the end of the job.  Restarting a task increases one of the sums. */
static int
find_end(struct job_view *v, struct notified_about *about)
{
	int64_t attempts = 0, restarts = 0;
	struct store_brief brief;
	uint64_t task;

	if (!job_view_is_final(v))
		return 0;
	for (task = 0; task < v->table->count; task++) {
		brief = store_table_brief(v->table, task);
		attempts += brief.attempt;
		restarts += brief.restart;
	}
	if (notified_has_run(about, attempts, restarts))
		return 0;
	notified_set_run(about, attempts, restarts);
	return 1;
}

int
notify_event_find(struct job_view *v, enum notified_event event,
    struct notified_about *about, struct notify_event *out)
{
	memset(out, 0, sizeof *out);
	out->event = event;
	about->known = 1;
	if (event == NOTIFIED_BEST)
		return find_best(v, about, out);
	if (event == NOTIFIED_FINISHED)
		return find_end(v, about);
	return find_tasks(v, &kinds[event], about, &out->tasks);
}
