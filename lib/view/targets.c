#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "job/location.h"
#include "reconcile/reconcile.h"
#include "view/targets.h"

static int
aim(struct job_target *t, struct reconcile *pass,
    const struct job_filter *filter, struct error *e)
{
	struct store_table *table;
	size_t count, i;
	uint64_t *task;

	switch (reconcile_job(pass, t->job, NULL, NULL, &table, e)) {
	case -1:
		return -1;
	case 1:
		t->unwritten = xstrdup(e->text);
	}
	strlist_copy(&t->notes, &pass->notes);
	strlist_free(&pass->notes);
	strlist_copy(&t->damaged, &table->damaged);
	store_table_free(table);
	t->queue = pass->queue;
	t->view = job_view_new(t->job, NULL, time(NULL), e);
	if (t->view == NULL || job_filter_check(filter, &t->view, 1, e) == -1)
		return -1;
	task = job_filter_apply(filter, t->view, &t->named->tasks, &count);
	for (i = 0; i < count; i++)
		idset_add(&t->tasks, task[i], task[i]);
	free(task);
	return 0;
}

int
job_targets(const struct store *store, const struct selection *jobs,
    const struct job_filter *filter, struct job_target **out, struct error *e)
{
	struct reconcile *pass;
	struct job_target *t;
	int rc = 0;
	size_t i;

	*out = NULL;
	for (i = 0; i < jobs->count; i++)
		if (job_location_refuse_copy(jobs->item[i].job, e) == -1)
			return -1;
	pass = reconcile_new(store, jobs, e);
	if (pass == NULL)
		return -1;
	t = xcalloc(jobs->count + 1, sizeof *t);
	t->pass = pass;
	for (i = 0; rc == 0 && i < jobs->count; i++) {
		t[i].named = &jobs->item[i];
		t[i].job = t[i].named->job;
		rc = aim(&t[i], pass, filter, e);
	}
	if (rc == 0)
		*out = t;
	else
		job_targets_free(t, jobs->count);
	return rc;
}

void
job_targets_free(struct job_target *t, size_t count)
{
	size_t i;

	if (t != NULL)
		reconcile_free(t->pass);
	for (i = 0; t != NULL && i < count; i++) {
		job_view_free(t[i].view);
		idset_free(&t[i].tasks);
		free(t[i].unwritten);
		strlist_free(&t[i].damaged);
		strlist_free(&t[i].notes);
	}
	free(t);
}
