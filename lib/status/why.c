/* stfm-status --why: why tasks wait, grouped by reason. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "search/sampler.h"
#include "slurm/names.h"
#include "state/pending-reason.h"
#include "state/resolve.h"
#include "state/words.h"
#include "status/private.h"
#include "store/job.h"
#include "store/request.h"
#include "sys/fs.h"

enum { TASKS, IDS, REASON, WHY, TO_DO, START, COMMAND, COLUMNS };

enum {
	/*
	 * If a job has no time limit, Slurm plans as if it took a year.  A task
	 * with a planned start later than this, in seconds, waits for the end
	 * of such a job.
	 */
	UNPLANNED = 90 * 24 * 60 * 60,
	PIECES = 60, /* maximum parts of a list of tasks for people */
	TYPED = 60   /* maximum bytes of ids; above, only arrays are named */
};

static const struct table_column columns[COLUMNS] = {
    [TASKS] = {.name = "tasks"},
    [IDS] = {.name = "ids"},
    [REASON] = {.name = "reason"},
    [WHY] = {.name = "why"},
    [TO_DO] = {.name = "to_do"},
    [START] = {.name = "start"},
    [COMMAND] = {.name = "command"},
};

/* ---- gathering ---- */

static const char begin_time[] = "(BeginTime)";

static void
gather(const struct job_tasks *t, const struct queue_expect *expect,
    int64_t now, struct show_sets *all)
{
	const struct store_row *row;
	struct show_set *g;
	const struct queue_times *times;
	int64_t start, begin;
	size_t i;

	for (i = 0; i < t->count; i++) {
		if (store_table_state(t->view->table, t->task[i]) !=
		    STORE_SUBMITTED)
			continue;
		row = job_view_row(t->view, t->task[i]);
		times = expect == NULL
		    ? NULL
		    : queue_expect_find(expect, row->array, row->index);
		start = times != NULL ? times->start : -1;
		begin = times != NULL ? times->begin : -1;
		/*
		 * stfm knows a time of --begin before Slurm reports the reason.
		 * Slurm's planned start says nothing about --begin.
		 */
		g = show_set_of(all, t->view->job->name, row->state,
		    row->cause == NULL && begin > now ? begin_time
						      : row->cause);
		idset_add(&g->tasks, row->task, row->task);
		if (start != -1 && (g->start == -1 || start < g->start)) {
			g->start = start;
			g->begin = begin;
		}
		store_table_forget(t->view->table, t->task[i]);
	}
}

/* ---- output ---- */

/* Add the tasks of one array as scontrol takes them: "4102_0-4", "4102_7". */
static void
put_ids(struct strlist *ids, struct strlist *arrays, int64_t array,
    struct idset *index)
{
	const struct idset_run *run;
	size_t i;

	for (i = 0; i < index->count; i++) {
		run = &index->run[i];
		strlist_take(ids,
		    run->last > run->first
			? xasprintf("%" PRId64 "_%" PRIu64 "-%" PRIu64, array,
			      run->first, run->last)
			: xasprintf("%" PRId64 "_%" PRIu64, array, run->first));
	}
	if (index->count > 0)
		strlist_take(arrays, xasprintf("%" PRId64, array));
	idset_free(index);
}

/*
 * Set *id and *array to the Slurm ids of a set's tasks, to free; "" if there
 * are none.
 */
static void
find_ids(struct job_view *v, const struct show_set *g, char **id, char **array)
{
	struct strlist ids = {0}, arrays = {0};
	struct idset_walk walk = {0};
	struct idset index = {0};
	const struct store_row *row;
	int64_t last = -1;
	uint64_t task;

	while (idset_next(&g->tasks, &walk, &task)) {
		row = job_view_row(v, task);
		if (row->array != last)
			put_ids(&ids, &arrays, last, &index);
		last = row->array;
		if (row->array != -1 && row->index == -1) {
			strlist_take(&ids, xasprintf("%" PRId64, row->array));
			strlist_take(
			    &arrays, xasprintf("%" PRId64, row->array));
		} else if (row->array != -1)
			idset_add(
			    &index, (uint64_t)row->index, (uint64_t)row->index);
		store_table_forget(v->table, task);
	}
	put_ids(&ids, &arrays, last, &index);
	*id = strlist_join(&ids, " ");
	*array = strlist_join(&arrays, ",");
	strlist_free(&ids);
	strlist_free(&arrays);
}

static int
may_be_let_go(const char *cause)
{
	enum queue_hold by;

	if (cause_of(cause, NULL) == CAUSE_HELD)
		return 1;
	if (cause == NULL)
		return 0;
	by = queue_hold_of(cause + (*cause == '('));
	return by == QUEUE_HELD_BY_USER || by == QUEUE_HELD_BY_SLURM;
}

/*
 * Return the pending tasks of a job whose cause is_kept accepts and whose array
 * is before array before (-1: any array); to free, or NULL.
 */
static char *
waiting_for(struct job_view *v, int is_kept(const char *cause), int64_t before)
{
	struct show_set kept = {.job = v->job->name};
	const struct store_row *row;
	uint64_t task;
	char *ids;

	for (task = 0; task < v->table->count; task++) {
		if (store_table_state(v->table, task) != STORE_SUBMITTED)
			continue;
		row = job_view_row(v, task);
		if ((before == -1 ||
			(row->array != -1 && row->array < before)) &&
		    is_kept(row->cause))
			idset_add(&kept.tasks, task, task);
		store_table_forget(v->table, task);
	}
	ids = kept.tasks.count > 0 ? show_ids(kept.job, &kept.tasks) : NULL;
	idset_free(&kept.tasks);
	return ids;
}

/*
 * Return held tasks in earlier arrays, to free, or NULL.  With --parallel an
 * array waits for the arrays before it, which do not end while tasks of them
 * are held.
 */
static char *
find_held(struct job_view *v, const struct show_set *g)
{
	uint64_t task = idset_at(&g->tasks, 0);
	int64_t array;

	if (g->cause == NULL || strcmp(g->cause, "(Dependency)") != 0 ||
	    store_job_is_adopted(v->job) || job_view_whole(v, NULL) == -1)
		return NULL;
	array = job_view_row(v, task)->array;
	store_table_forget(v->table, task);
	return array != -1 ? waiting_for(v, may_be_let_go, array) : NULL;
}

static int
is_refused(const char *cause)
{
	return cause_of(cause, NULL) == CAUSE_REFUSED_ARRAY;
}

/*
 * Return the tasks of which Slurm refuses an array, if tasks wait behind them;
 * to free, or NULL.
 */
static char *
find_refused(struct job_view *v, const struct show_set *g)
{
	if (cause_of(g->cause, NULL) != CAUSE_BEHIND ||
	    job_view_whole(v, NULL) == -1)
		return NULL;
	return waiting_for(v, is_refused, -1);
}

/* Return whether the job in a cause "(after prep, ..." was imported. */
static int
is_after_imported(const struct store_job *job, const char *cause)
{
	struct store_job *other;
	struct cause_after after;
	char *path;
	int is = 0;

	if (cause_after_read(cause, &after) && after.one) {
		path =
		    xasprintf("%.*s%s", (int)(fs_base(job->path) - job->path),
			job->path, after.names);
		other = store_job_load_path(path, NULL);
		is = other != NULL && other->imported != NULL;
		store_job_free(other);
		free(path);
	}
	cause_after_free(&after);
	return is;
}

/* Return how the jobs in a cause "(after prep, ..." have to end. */
static int
find_after(const struct store_job *job, const char *cause)
{
	struct cause_after after;
	int any = 0, ok = 0;
	const char *word;
	size_t i, n;

	if (!cause_after_read(cause, &after))
		return AFTER_ANY;
	for (i = 0; i < job->after.count; i++) {
		word = job->after.word[i];
		n = strcspn(word, ":");
		if (after.one &&
		    (strncmp(word, after.names, n) != 0 ||
			after.names[n] != '\0'))
			continue;
		any |= text_begins(word + n, ":any:");
		ok |= text_begins(word + n, ":ok:");
	}
	cause_after_free(&after);
	return !ok ? AFTER_ANY : any ? AFTER_BOTH : AFTER_OK;
}

/*
 * Return whether tasks of a job wait only for each other: the number of running
 * tasks is limited, and the user named no dependency.
 */
static int
is_alone(const struct store_job *job)
{
	struct store_requests requests;
	int64_t limit = job->parallel;
	size_t i;

	if (store_requests_list(job, STORE_HOLDS, &requests, NULL) == 0)
		limit = store_request_limit(job, &requests);
	store_requests_free(&requests);
	if (limit <= 0)
		return 0;
	for (i = 0; i < job->options.count; i++)
		if (text_begins(job->options.word[i], "--dependency="))
			return 0;
	return job->after.count == 0 && !store_job_is_adopted(job);
}

/* Find what a set may wait for if its begin time has not come. */
static void
find_begin(
    struct job_view *v, const struct show_set *g, struct job_waiting *who)
{
	uint64_t task = idset_at(&g->tasks, 0);
	size_t i;

	for (i = 0; i < v->job->options.count; i++)
		who->begin |= text_begins(v->job->options.word[i], "--begin=");
	if (store_job_is_adopted(v->job))
		return;
	who->requeued = !who->begin || job_view_row(v, task)->restart > 0;
	store_table_forget(v->table, task);
}

/*
 * Return the cause of a set.  Slurm forgets its reason when the throttle is
 * changed, until it looks at the array again.
 */
static const char *
cause_now(struct job_view *v, const struct show_set *g)
{
	struct store_requests requests;
	int64_t limit;

	if (g->cause != NULL ||
	    store_requests_list(v->job, STORE_HOLDS, &requests, NULL) == -1)
		return g->cause;
	limit = store_request_limit(v->job, &requests);
	store_requests_free(&requests);
	return limit > 0 && v->table->in_state[STORE_RUNNING] >= (uint64_t)limit
	    ? "(JobArrayTaskLimit)"
	    : NULL;
}

/* Find the reason of a set and the command that may help. */
static void
find_reason(const struct job_tasks *tasks, size_t count,
    const struct show_set *g, struct job_pending_reason *out)
{
	char *id, *array, *ids = show_ids(g->job, &g->tasks), *held, *refused;
	struct job_waiting who = {.job = g->job, .tasks = ids};
	size_t i = 0;

	while (i + 1 < count && tasks[i].view->job->name != g->job)
		i++;
	who.imported = tasks[i].view->job->imported != NULL;
	who.learns = search_sampler_learns(tasks[i].view->job->search.sampler);
	who.after_imported = is_after_imported(tasks[i].view->job, g->cause);
	who.after = find_after(tasks[i].view->job, g->cause);
	find_begin(tasks[i].view, g, &who);
	find_ids(tasks[i].view, g, &id, &array);
	who.held = held = find_held(tasks[i].view, g);
	who.alone = is_alone(tasks[i].view->job);
	who.refused = refused = find_refused(tasks[i].view, g);
	if (*array != '\0')
		who.id = strlen(id) <= TYPED ? id : array;
	job_pending_reason(&who, cause_now(tasks[i].view, g), out);
	free(held);
	free(refused);
	free(id);
	free(array);
	free(ids);
}

/* Return the cause as a word, "Priority" for "(Priority)", to free; or NULL. */
static char *
word_of(const struct show_set *g)
{
	size_t length;
	char *word;

	if (g->cause == NULL)
		return NULL;
	word = xstrdup(g->cause + (*g->cause == '('));
	length = strlen(word);
	if (*g->cause == '(' && length > 0 && word[length - 1] == ')')
		word[length - 1] = '\0';
	return word;
}

/* Return whether Slurm's planned start depends on jobs without a time limit. */
static int
is_unplanned(const struct show_set *g, const struct show_style *look)
{
	int64_t from = g->begin > look->now ? g->begin : look->now;

	return g->start - from > UNPLANNED;
}

static void
put_start(FILE *f, const struct show_set *g, const struct show_style *look)
{
	char when[TABLE_TIME], span[NUM_TEXT];

	if (g->start == -1)
		fputs("; Slurm does not say yet when it will start", f);
	else if (is_unplanned(g, look))
		fputs("; Slurm cannot tell when, because jobs before it have "
		      "no time limit",
		    f);
	else
		fprintf(f, "; Slurm expects %s to start at %s, in %s",
		    idset_size(&g->tasks) == 1 ? "it" : "the first of them",
		    show_time(g->start, 0, when),
		    num_span(g->start - look->now, span));
}

/* Return whether a reason is stfm's: its sentence already says all of it. */
static int
is_ours(const char *word)
{
	enum cause cause = cause_of(word, NULL);

	return cause == CAUSE_AFTER || cause == CAUSE_REFUSED_ARRAY ||
	    cause == CAUSE_BEHIND || cause == CAUSE_CANARY ||
	    cause == CAUSE_CANARY_FAILED || cause == CAUSE_CANARY_STOPPED ||
	    cause == CAUSE_STOPPING;
}

/*
 * Return whether Slurm's planned start of a set is useful.  It is not for held
 * tasks, for tasks that wait for a canary or for other jobs, and for refused
 * tasks.
 */
static int
is_planned(const char *word)
{
	enum cause why = cause_of(word, NULL);

	return word == NULL ||
	    (queue_hold_of(word) == QUEUE_FREE && !is_ours(word) &&
		why != CAUSE_HELD && why != CAUSE_HELD_BESIDE);
}

/* Write a sentence about a set, and the command that helps. */
static void
put_sentence(FILE *out, const struct show_set *g,
    const struct job_pending_reason *r, const char *more,
    const struct show_style *look)
{
	struct flow f = {out, look->width, 2};
	char *ids = show_ids(g->job, &g->tasks), *text;
	size_t length;
	FILE *m = xmemopen(&text, &length);

	fprintf(m, "%s%s", r->why, more);
	if (r->to_do != NULL)
		fprintf(m, "; %c%s", ascii_lower(*r->to_do), r->to_do + 1);
	putc(r->to_do != NULL && r->command != NULL ? ':' : '.', m);
	xmemclose(m);
	flow_list(&f, 0, ids, PIECES);
	flow_text(&f, 1, text);
	free(text);
	flow_end(&f);
	if (r->command != NULL) {
		fputs("    ", out);
		f = (struct flow){out, look->width, 8, 4};
		flow_command(&f, r->command); /* a line to copy */
		flow_end(&f);
	}
	free(ids);
}

/* Write why the tasks of a set wait. */
static void
put_group(FILE *out, const struct show_set *g,
    const struct job_pending_reason *r, int asked,
    const struct show_style *look)
{
	struct job_pending_reason waits = *r;
	char *word = word_of(g), *more;
	size_t length;
	FILE *m = xmemopen(&more, &length);

	if (word != NULL && strcmp(word, r->why) != 0 && !is_ours(word))
		fprintf(m, " (%s)", word);
	if (asked && is_planned(word))
		put_start(m, g, look);
	xmemclose(m);
	waits.why = xasprintf("waits: %s", r->why);
	put_sentence(out, g, &waits, more, look);
	free(waits.why);
	free(more);
	free(word);
}

static void
put_row(struct table *t, const struct show_set *g,
    const struct job_pending_reason *r, const struct show_style *look)
{
	char *ids = show_ids(g->job, &g->tasks), *word = word_of(g);
	int known = is_planned(word) && !is_unplanned(g, look);

	table_row(t);
	table_int(t, TASKS, (int64_t)idset_size(&g->tasks));
	table_text(t, IDS, ids);
	table_text(t, REASON, word);
	table_text(t, WHY, r->why);
	table_text(t, TO_DO, r->to_do);
	table_time(t, START, known ? g->start : -1);
	table_text(t, COMMAND, r->command);
	free(ids);
	free(word);
}

/* Where reasons about a search go. */
struct reasons {
	FILE *out;
	struct table *table; /* NULL: sentences */
	const struct show_style *look;
	int some;
};

static void
put_reason(
    void *arg, const struct show_set *g, const struct job_pending_reason *r)
{
	struct reasons *to = arg;

	to->some = 1;
	if (to->table != NULL)
		put_row(to->table, g, r, to->look);
	else
		put_sentence(to->out, g, r, "", to->look);
}

int
job_show_why(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct queue_expect *expect, const struct show_style *look,
    struct error *e)
{
	struct table_look how = {look->format};
	struct show_sets all = {0};
	struct table *t = NULL;
	struct job_pending_reason r;
	struct reasons to = {out, NULL, look, 0};
	size_t i;

	if (look->format != TABLE_TEXT) {
		t = table_new(out, columns, COLUMNS, &how);
		if (show_choose(t, look, e) == -1)
			return -1;
	}
	to.table = t;
	for (i = 0; i < count; i++)
		gather(&tasks[i], expect, look->now, &all);
	for (i = 0; i < all.count; i++) {
		find_reason(tasks, count, &all.set[i], &r);
		if (t != NULL)
			put_row(t, &all.set[i], &r, look);
		else
			put_group(out, &all.set[i], &r, expect != NULL, look);
		job_pending_reason_free(&r);
	}
	for (i = 0; i < count; i++)
		show_search_why(&tasks[i], put_reason, &to);
	if (t != NULL)
		table_end(t);
	else if (all.count == 0 && !to.some)
		fputs("no task waits\n", out);
	show_sets_free(&all);
	return 0;
}
