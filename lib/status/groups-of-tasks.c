/*
 * Groups of similar tasks: pages of large jobs print one line for each group.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "state/words.h"
#include "status/private.h"

enum { TASKS, STATE, CAUSE, BEST, BEST_TASK, IDS, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [TASKS] = {.head = "TASKS", .right = 1},
    [STATE] = {.head = "STATE"},
    [CAUSE] = {.head = "CAUSE", .optional = 1, .cut = 5, .least = 7, .drop = 9},
    [BEST] =
	{.head = "BEST", .right = 1, .optional = 1, .narrow = 1, .drop = 8},
    [BEST_TASK] = {.head = "TASK", .optional = 1, .drop = 3},
    [IDS] = {.head = "NUMBERS", .cut = 2, .least = 8},
};

static int
is_alike(const struct show_set *s, enum store_state state, const char *cause)
{
	return s->state == state && text_same(s->cause, cause);
}

/* Most often the set is the one that the last call found. */
struct show_set *
show_set_of(struct show_sets *all, const char *job, enum store_state state,
    const char *cause)
{
	struct show_set *s = all->count > 0 ? &all->set[all->last] : NULL;
	size_t i;

	if (s != NULL && s->job == job && is_alike(s, state, cause))
		return s;
	for (i = all->count; i > 0 && all->set[i - 1].job == job; i--)
		if (is_alike(&all->set[i - 1], state, cause))
			return &all->set[all->last = i - 1];
	all->set = xgrow(all->set, all->count, sizeof *all->set);
	s = &all->set[all->last = all->count++];
	*s = (struct show_set){
	    .job = job, .state = state, .best = -1, .start = -1, .begin = -1};
	s->cause = xcopy(cause);
	return s;
}

void
show_sets_free(struct show_sets *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		idset_free(&all->set[i].tasks);
		free(all->set[i].cause);
	}
	free(all->set);
	*all = (struct show_sets){0};
}

void
show_sets_add(struct show_sets *all, struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	const struct metrics_summary *m = &row->metrics;
	char brief[STOP_BRIEF];
	const char *cause = stop_brief(row->cause, brief);
	struct show_set *g;

	if (cause == NULL)
		cause = job_view_mark(v, task);
	g = show_set_of(all, store_job_name(v->job), row->state, cause);
	idset_add(&g->tasks, task, task);
	if (m->has_best &&
	    (g->best == -1 || metrics_better(v->goal, m->best, g->value))) {
		g->best = (int64_t)task;
		g->value = m->best;
	}
}

/* The order of the states: running tasks and failures are most interesting. */
static const int order[STORE_STATES] = {
    [STORE_RUNNING] = 0,
    [STORE_ERROR] = 1,
    [STORE_SUBMITTED] = 2,
    [STORE_FINISHED] = 3,
    [STORE_STOPPED] = 4,
};

/* Compare by state, then by the first task. */
static int
by_state(const void *a, const void *b)
{
	const struct show_set *x = a, *y = b;

	if (x->state != y->state)
		return order[x->state] < order[y->state] ? -1 : 1;
	return x->tasks.run[0].first < y->tasks.run[0].first ? -1 : 1;
}

size_t
show_apart(const struct job_tasks *tasks, uint64_t *out)
{
	uint64_t *plain = xcalloc(tasks->count + 1, sizeof *plain), task;
	struct job_view *v = tasks->view;
	size_t i, marked = 0, rest = 0;

	for (i = 0; i < tasks->count; i++) {
		task = tasks->task[i];
		if (store_table_state(v->table, task) != STORE_RUNNING)
			continue;
		if (job_view_mark(v, task) != NULL)
			out[marked++] = task;
		else
			plain[rest++] = task;
		store_table_forget(v->table, task);
	}
	memcpy(&out[marked], plain, rest * sizeof *out);
	free(plain);
	return marked + rest;
}

void
show_alike(FILE *out, struct show_sets *all, const struct show_style *look)
{
	struct table_look how = {TABLE_TEXT, look->width, look->colors, NULL};
	const struct show_set *g;
	char text[NUM_TEXT], *ids;
	struct table *t;
	size_t i;

	if (all->count == 0)
		return;
	qsort(all->set, all->count, sizeof *all->set, by_state);
	t = table_new(out, columns, COLUMNS, &how);
	for (i = 0; i < all->count; i++) {
		g = &all->set[i];
		ids = idset_text(&g->tasks);
		table_row(t);
		table_int(t, TASKS, (int64_t)idset_size(&g->tasks));
		table_show(t, STATE, store_state_name(g->state));
		table_paint(t, STATE, show_color(g->state));
		table_show(t, CAUSE, g->cause);
		table_show(t, IDS, ids);
		free(ids);
		if (g->best == -1)
			continue;
		table_show(t, BEST, job_view_value(g->value, text));
		ids = xasprintf("%s/%" PRId64, g->job, g->best);
		table_show(t, BEST_TASK, ids);
		free(ids);
	}
	table_end(t);
}
