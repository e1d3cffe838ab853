#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "view/selection.h"

static int
choose_jobs(struct view_selection *c, int purpose, const struct strlist *words,
    struct error *e)
{
	int rc;

	if (words->count == 0)
		rc = job_select_all(c->store, &c->selection, &c->damaged, e);
	else if (purpose == STORE_READ)
		rc = job_select_readable(c->store, words->word, words->count,
		    &c->selection, &c->damaged, e);
	else
		rc = job_select(
		    c->store, words->word, words->count, &c->selection, e);
	c->unread = c->damaged.count;
	return rc;
}

static int
open_views(struct view_selection *c, int64_t now, struct error *e)
{
	const struct selected *item;
	char *why;
	size_t i;

	c->view = xcalloc(c->selection.count + 1, sizeof *c->view);
	for (i = 0; i < c->selection.count; i++) {
		item = &c->selection.item[i];
		c->view[i] = job_view_new(item->job, &item->tasks, now, e);
		if (c->view[i] == NULL)
			return error_prefix(e, store_job_name(item->job));
		c->named += idset_size(&item->tasks);
	}
	why = job_refresh_look(
	    c->store, c->view, c->selection.count, JOB_WHEN_OLD, now);
	c->trouble = job_refresh_trouble(c->view,
	    why != NULL ? c->selection.count : 0, JOB_WHEN_OLD, now, why);
	free(why);
	return 0;
}

static void
free_tasks(struct view_selection *c)
{
	while (c->jobs > 0)
		free(c->tasks[--c->jobs].task);
	free(c->tasks);
	c->left = 0;
}

static void
apply(struct view_selection *c, const struct job_filter *filter)
{
	struct job_tasks *tasks;
	size_t i;

	free_tasks(c);
	c->tasks = xcalloc(c->selection.count + 1, sizeof *c->tasks);
	for (i = 0; i < c->selection.count; i++) {
		tasks = &c->tasks[c->jobs];
		tasks->view = c->view[i];
		tasks->task = job_filter_apply(filter, tasks->view,
		    &c->selection.item[i].tasks, &tasks->count);
		c->left += tasks->count;
		if (tasks->count > 0)
			c->jobs++;
		else
			free(tasks->task);
	}
}

int
view_select(struct view_selection *c, const char *store, int purpose,
    const struct strlist *words, const struct job_filter *filter, int64_t now,
    struct error *e)
{
	memset(c, 0, sizeof *c);
	c->store = store_open(store, purpose, e);
	if (c->store == NULL)
		return -1;
	if (choose_jobs(c, purpose, words, e) == 0 &&
	    open_views(c, now, e) == 0 &&
	    job_filter_check(filter, c->view, c->selection.count, e) == 0) {
		apply(c, filter);
		return 0;
	}
	view_selection_free(c);
	return -1;
}

void
view_selection_refresh(struct view_selection *c,
    const struct job_filter *filter, enum job_refresh when, int64_t now)
{
	size_t count = c->selection.count;
	char *why = job_refresh(c->store, c->view, count, when, now);

	free(c->trouble);
	c->trouble = job_refresh_trouble(c->view, count, when, now, why);
	free(why);
	apply(c, filter);
}

void
view_selection_free(struct view_selection *c)
{
	size_t i;

	free_tasks(c);
	for (i = 0; c->view != NULL && i < c->selection.count; i++)
		job_view_free(c->view[i]);
	free(c->view);
	selection_free(&c->selection);
	store_close(c->store);
	free(c->trouble);
	strlist_free(&c->damaged);
	memset(c, 0, sizeof *c);
}

void
view_selection_damage(struct view_selection *c)
{
	const struct strlist *damaged;
	size_t i, k;

	for (i = 0; i < c->selection.count; i++) {
		damaged = &c->view[i]->table->damaged;
		for (k = 0; k < damaged->count; k++)
			strlist_take(&c->damaged,
			    xasprintf("%s: %s", store_job_name(c->view[i]->job),
				damaged->word[k]));
	}
}
