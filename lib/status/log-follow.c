#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "slurm/start-time.h"
#include "state/apply-fact.h"
#include "status/log-follow.h"
#include "store/facts.h"
#include "sys/proc.h"

/*
 * Milliseconds between two looks, and minimum and maximum milliseconds between
 * two passes for new records.
 */
enum { LOOK = 1000, FIRST_GAP = 3000, LAST_GAP = 60000 };

/* Minimum and maximum milliseconds between two requests to Slurm. */
enum { ASK = 5000, LAST_ASK = 60000 };

/* Return whether a table includes a fact. */
static int
is_known(const struct store_table *table, const struct store_fact *fact)
{
	struct store_brief row = store_table_brief(table, fact->task);
	int order = store_run_compare(STORE_RUN(&row), STORE_RUN(fact));

	if (order < 0 && row.attempt == fact->attempt)
		return job_fact_is_past(store_table_row(table, row.task), fact);
	return order != 0 ? order > 0 : (row.facts & job_fact_flag(fact)) != 0;
}

/*
 * Return whether tasks of a job have left facts that the table does not
 * include.
 */
static int
has_news(const struct selected *item, const struct job_view *view)
{
	struct store_facts facts;
	int news = 0;
	size_t i;

	if (job_view_is_final(view) ||
	    store_facts_list(item->job, &view->table->packs, &facts, NULL) ==
		-1)
		return 0;
	for (i = 0; i < facts.count && !news; i++)
		news = facts.fact[i].task < store_job_tasks(item->job) &&
		    idset_has(&item->tasks, facts.fact[i].task) &&
		    !is_known(view->table, &facts.fact[i]);
	store_facts_free(&facts);
	return news;
}

/*
 * Return whether a pending task has left Slurm's queue: it has started, or
 * could not start, and then it leaves no record of its own.
 */
static int
has_left(const struct job_follow *f, const struct queue_expect *queue)
{
	const struct store_row *row;
	size_t i;

	for (i = 0; i < f->count; i++) {
		if (f->logs[i].state != STORE_SUBMITTED)
			continue;
		row = job_view_row(f->logs[i].view, f->logs[i].task);
		if (row->array > 0 &&
		    queue_expect_find(queue, row->array, row->index) == NULL)
			return 1;
	}
	return 0;
}

/*
 * Return whether a pass would find something new: tasks have left facts that no
 * table has, a task has left Slurm's queue, or a view was computed in memory,
 * so it is old at once.  Slurm is asked every few seconds at most.
 */
static int
any_news(struct job_follow *f, int64_t now)
{
	const struct view_selection *c = f->choice;
	struct queue_expect *queue;
	int left = 0;
	size_t i;

	for (i = 0; i < c->selection.count; i++)
		if (c->view[i]->looked ||
		    has_news(&c->selection.item[i], c->view[i]))
			return 1;
	for (i = 0; i < f->count; i++)
		if (f->logs[i].state == STORE_SUBMITTED)
			break;
	if (i == f->count || now - f->asked < f->pause)
		return 0;
	queue = queue_expect_load(NULL);
	if (queue != NULL)
		left = has_left(f, queue);
	f->pause = queue != NULL      ? ASK
	    : 2 * f->pause < LAST_ASK ? 2 * f->pause
				      : LAST_ASK;
	f->asked = proc_clock();
	queue_expect_free(queue);
	return left;
}

/* Refresh the views.  Passes that find nothing get rarer. */
static void
refresh(struct job_follow *f, int64_t now)
{
	struct view_selection *c = f->choice;
	enum job_refresh when = JOB_WHEN_OLD;
	char *why;

	if (now - f->passed >= f->gap && any_news(f, now)) {
		when = JOB_ALWAYS;
		f->passed = now;
		f->gap = 2 * f->gap < LAST_GAP ? 2 * f->gap : LAST_GAP;
	}
	why = job_refresh(
	    c->store, c->view, c->selection.count, when, time(NULL));
	free(c->trouble);
	c->trouble = job_refresh_trouble(
	    c->view, c->selection.count, when, time(NULL), why);
	free(why);
}

int
job_follow_look(struct job_follow *f,
    void (*changed)(void *arg, size_t log, const struct job_log *before),
    void *arg, struct error *e)
{
	const struct view_selection *c = f->choice;
	int64_t now = proc_clock();
	const struct store_row *row;
	struct job_log before, *log;
	size_t i;

	if (f->looked != 0 && now - f->looked < LOOK)
		return 0;
	if (f->gap == 0) {
		f->gap = FIRST_GAP;
		f->pause = ASK;
	}
	f->looked = now;
	refresh(f, now);
	for (i = 0; i < c->selection.count; i++)
		if (!c->view[i]->looked &&
		    job_view_reload(c->view[i], time(NULL), e) == -1)
			return error_prefix(e, store_job_name(c->view[i]->job));
	for (i = 0; i < f->count; i++) {
		log = &f->logs[i];
		row = job_view_row(log->view, log->task);
		if (log->state == row->state && log->attempt == row->attempt &&
		    (!log->waits || log->why == NULL))
			continue;
		before = *log;
		before.cause = before.node = before.path = before.errors = NULL;
		before.why = xcopy(log->why);
		if (job_log_again(log, e) == -1) {
			job_log_free(&before);
			return -1;
		}
		if (before.state != log->state ||
		    before.attempt != log->attempt ||
		    (before.why == NULL) != (log->why == NULL)) {
			f->gap = FIRST_GAP;
			changed(arg, i, &before);
		}
		job_log_free(&before);
	}
	return 0;
}

size_t
job_follow_open(const struct job_follow *f)
{
	size_t i, open = 0;

	for (i = 0; i < f->count; i++)
		open += !store_state_is_final(f->logs[i].state);
	return open;
}
