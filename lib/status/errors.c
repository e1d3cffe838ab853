/* Tasks in ERROR, those with equal ends together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/location.h"
#include "state/words.h"
#include "status/private.h"
#include "view/failure-line.h"
#include "view/last-line.h"

enum { TASKS, CAUSE, ERROR, EXAMPLE, LOG, IDS, NAMED, COLUMNS };

enum { PIECES = 60 }; /* of a list of tasks that are written for people */

static const struct table_column columns[COLUMNS] = {
    [TASKS] = {.name = "tasks"},
    [CAUSE] = {.name = "cause"},
    [ERROR] = {.name = "error"},
    [EXAMPLE] = {.name = "example"},
    [LOG] = {.name = "log"},
    [IDS] = {.name = "ids"},
    [NAMED] = {.name = "log_cause"},
};

/* A task in ERROR, and what it has in common with others. */
struct end {
	char *key;
	size_t job, order;
	uint64_t task;
};

/* Equal ends: the first is the example. */
struct group {
	const struct end *end;
	size_t count;
};

/* ---- the words of one ---- */

/* Why a task in ERROR failed, in words, to free, or NULL. */
static char *
fault_of(struct job_view *v, uint64_t task)
{
	const char *cause = job_view_row(v, task)->cause, *words;
	enum cause known = cause_of(cause, NULL);
	char *line = job_last_line(v, task);
	struct error moved;

	if (line != NULL)
		return line;
	if ((known == CAUSE_LAUNCH || known == CAUSE_UNLAUNCHED) &&
	    job_location(v->job, &moved) == JOB_MOVED)
		return xasprintf("it %s", moved.text);
	words = job_failure_line_words(cause);
	return xcopy(words);
}

static char *
key_of(struct job_view *v, uint64_t task)
{
	const char *cause = job_view_row(v, task)->cause;
	char *line = job_last_line(v, task);
	char *same = job_failure_line_key(line != NULL ? line : "");
	char *key = xasprintf("%s: %s", cause != NULL ? cause : "", same);

	free(same);
	free(line);
	return key;
}

/* ---- groups ---- */

static int
by_key(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int
by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->end->order < y->end->order ? -1
					     : x->end->order > y->end->order;
}

static size_t
gather(const struct job_tasks *tasks, size_t jobs, struct end **out)
{
	struct end *all = NULL;
	size_t count = 0, i, k;
	uint64_t task;

	for (i = 0; i < jobs; i++)
		for (k = 0; k < tasks[i].count; k++) {
			task = tasks[i].task[k];
			if (store_table_state(tasks[i].view->fold, task) !=
			    STORE_ERROR)
				continue;
			all = xgrow(all, count, sizeof *all);
			all[count] = (struct end){
			    key_of(tasks[i].view, task), i, count, task};
			store_table_forget(tasks[i].view->fold, task);
			count++;
		}
	if (count > 0)
		qsort(all, count, sizeof *all, by_key);
	*out = all;
	return count;
}

static size_t
make_groups(const struct end *end, size_t count, struct group **out)
{
	struct group *all = NULL;
	size_t groups = 0, i;

	for (i = 0; i < count; i++) {
		if (i > 0 && strcmp(end[i - 1].key, end[i].key) == 0) {
			all[groups - 1].count++;
			continue;
		}
		all = xgrow(all, groups, sizeof *all);
		all[groups++] = (struct group){&end[i], 1};
	}
	if (groups > 0)
		qsort(all, groups, sizeof *all, by_count);
	*out = all;
	return groups;
}

/* ---- written down ---- */

/* Its tasks, as commands take them: "conv2d/0-4,7 vit/1". */
static void
list_tasks(
    const struct job_tasks *tasks, const struct group *g, struct strlist *out)
{
	struct idset own = {0};
	char *text;
	size_t i;

	memset(out, 0, sizeof *out);
	for (i = 0; i < g->count; i++) {
		idset_add(&own, g->end[i].task, g->end[i].task);
		if (i + 1 < g->count && g->end[i + 1].job == g->end[i].job)
			continue;
		text = idset_text(&own);
		strlist_take(out,
		    xasprintf(
			"%s/%s", tasks[g->end[i].job].view->job->name, text));
		idset_free(&own);
		free(text);
	}
}

static void
put_tasks(struct flow *f, const struct job_tasks *tasks, const struct group *g)
{
	struct strlist lists;
	size_t i, pieces = 0;

	list_tasks(tasks, g, &lists);
	for (i = 0; i < lists.count && pieces < PIECES; i++)
		pieces +=
		    flow_list(f, i > 0 ? 1 : 2, lists.word[i], PIECES - pieces);
	strlist_free(&lists);
}

static void
put_words(struct flow *f, const char *words)
{
	size_t width = text_width(words);

	if (f->width > 0 && f->at + 2 + width > f->width)
		width = f->width > f->at + 2 ? f->width - f->at - 2 : 0;
	fputs(": ", f->out);
	text_cell(f->out, words, width, 0);
	f->at += 2 + width;
}

static void
put_group(FILE *out, const struct job_tasks *tasks, const struct group *g,
    const struct job_look *look)
{
	struct flow f = {out, look->width, 4};
	struct job_view *v = tasks[g->end->job].view;
	const char *cause = job_view_row(v, g->end->task)->cause;
	const char *named = job_last_line_cause(v, g->end->task);
	char *words = fault_of(v, g->end->task);
	char *log = job_view_errors(v, g->end->task), *text;

	text = xasprintf("%zu task%s", g->count, g->count == 1 ? "" : "s");
	flow_word(&f, 0, text);
	free(text);
	put_words(&f, words != NULL ? words : "no words in the log");
	flow_end(&f);
	flow_word(&f, 0, "  ");
	if (cause != NULL)
		flow_text(&f, 0, cause);
	if (named != NULL)
		flow_text(&f, cause != NULL ? 2 : 0, named);
	put_tasks(&f, tasks, g);
	flow_end(&f);
	if (log != NULL) {
		text =
		    xasprintf("  %s/%" PRIu64 ":", v->job->name, g->end->task);
		flow_word(&f, 0, text);
		flow_path(&f, 1, show_path(look, log));
		flow_end(&f);
		free(text);
	}
	store_table_forget(v->fold, g->end->task);
	free(words);
	free(log);
}

/* A list of tasks as one text. */
static char *
joined(const struct job_tasks *tasks, const struct group *g)
{
	struct strlist lists;
	char *text;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	list_tasks(tasks, g, &lists);
	for (i = 0; i < lists.count; i++)
		fprintf(f, "%s%s", i > 0 ? " " : "", lists.word[i]);
	xmemclose(f);
	strlist_free(&lists);
	return text;
}

static void
put_row(struct table *t, const struct job_tasks *tasks, const struct group *g)
{
	struct job_view *v = tasks[g->end->job].view;
	char *words = fault_of(v, g->end->task);
	char *log = job_view_errors(v, g->end->task);
	char *ids = joined(tasks, g);
	char *example = xasprintf("%s/%" PRIu64, v->job->name, g->end->task);

	table_row(t);
	table_int(t, TASKS, (int64_t)g->count);
	table_text(t, CAUSE, job_view_row(v, g->end->task)->cause);
	table_text(t, ERROR, words);
	table_text(t, EXAMPLE, example);
	table_text(t, LOG, log);
	table_text(t, IDS, ids);
	table_text(t, NAMED, job_last_line_cause(v, g->end->task));
	free(words);
	free(log);
	free(ids);
	free(example);
}

static void
put_rows(FILE *out, const struct job_tasks *tasks, const struct group *group,
    size_t groups, const struct job_look *look)
{
	struct table_look how = {look->format};
	struct table *t = table_new(out, columns, COLUMNS, &how);
	size_t i;

	for (i = 0; i < groups; i++)
		put_row(t, tasks, &group[i]);
	table_end(t);
}

static void
let_go(struct end *end, size_t ends, struct group *group)
{
	size_t i;

	for (i = 0; i < ends; i++)
		free(end[i].key);
	free(end);
	free(group);
}

static void
show_to(const struct job_tasks *tasks, const struct group *g, int others,
    void (*each)(void *arg, const struct show_group *), void *arg)
{
	struct job_view *v = tasks->view;
	uint64_t task = g->end->task;
	char *words = fault_of(v, task), *ids = joined(tasks, g);
	char *log = job_view_errors(v, task);
	char *example = xasprintf("%s/%" PRIu64, v->job->name, task);
	struct show_group out = {g->count, job_view_row(v, task)->cause, words,
	    log, example, ids, others};

	each(arg, &out);
	store_table_forget(v->fold, task);
	free(words);
	free(log);
	free(ids);
	free(example);
}

void
show_groups(const struct job_tasks *tasks,
    void (*each)(void *arg, const struct show_group *), void *arg)
{
	struct group *group;
	struct end *end;
	size_t ends = gather(tasks, 1, &end), i;
	size_t groups = make_groups(end, ends, &group);

	for (i = 0; i < groups; i++)
		show_to(tasks, &group[i], groups > 1, each, arg);
	let_go(end, ends, group);
}

void
job_show_errors(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct job_look *look)
{
	struct group *group;
	struct end *end;
	size_t ends = gather(tasks, count, &end), i;
	size_t groups = make_groups(end, ends, &group);

	if (look->format != TABLE_TEXT)
		put_rows(out, tasks, group, groups, look);
	for (i = 0; look->format == TABLE_TEXT && i < groups; i++)
		put_group(out, tasks, &group[i], look);
	if (look->format == TABLE_TEXT && groups == 0)
		fputs("no task is in ERROR\n", out);
	let_go(end, ends, group);
}
