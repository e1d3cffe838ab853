/* stfm-status -e: tasks in ERROR, grouped by failure. */
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

enum { TASKS, CAUSE, ERROR, EXAMPLE, LOG, IDS, NAMED, COLUMNS };

enum { PIECES = 60 }; /* maximum parts of a list of tasks for people */

static const struct table_column columns[COLUMNS] = {
    [TASKS] = {.name = "tasks"},
    [CAUSE] = {.name = "cause"},
    [ERROR] = {.name = "error"},
    [EXAMPLE] = {.name = "example"},
    [LOG] = {.name = "log"},
    [IDS] = {.name = "ids"},
    [NAMED] = {.name = "log_cause"},
};

/* ---- equal failures ---- */

char *
show_failure_key(const char *job, const char *cause, const char *line)
{
	char *same = job_failure_line_key(line != NULL ? line : "");
	char *key =
	    xasprintf("%s/%s: %s", job, cause != NULL ? cause : "", same);

	free(same);
	return key;
}

static int
by_key(const void *a, const void *b)
{
	const struct show_failure *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int
by_order(const void *a, const void *b)
{
	const struct show_equal *x = a, *y = b;

	return x->failure->order < y->failure->order ? -1 : 1;
}

static int
by_count(const void *a, const void *b)
{
	const struct show_equal *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_order(a, b);
}

size_t
show_equal(struct show_failure *all, size_t count, int largest_first,
    struct show_equal **out)
{
	struct show_equal *equal = xcalloc(count + 1, sizeof *equal);
	size_t groups = 0, i;

	if (count > 0)
		qsort(all, count, sizeof *all, by_key);
	for (i = 0; i < count; i++) {
		if (i == 0 || strcmp(all[i - 1].key, all[i].key) != 0)
			equal[groups++].failure = &all[i];
		equal[groups - 1].count++;
	}
	qsort(
	    equal, groups, sizeof *equal, largest_first ? by_count : by_order);
	*out = equal;
	return groups;
}

void
show_equal_free(
    struct show_failure *all, size_t count, struct show_equal *equal)
{
	while (count > 0)
		free(all[--count].key);
	free(all);
	free(equal);
}

/* Return why a task in ERROR failed, in words, to free; or NULL. */
static char *
words_of(struct job_view *v, uint64_t task)
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

static size_t
gather(const struct job_tasks *tasks, size_t jobs, struct show_failure **out)
{
	struct show_failure *all = NULL;
	size_t count = 0, i, k;
	struct job_view *v;
	uint64_t task;
	char *line;

	for (i = 0; i < jobs; i++)
		for (k = 0; k < tasks[i].count; k++) {
			v = tasks[i].view;
			task = tasks[i].task[k];
			if (store_table_state(v->table, task) != STORE_ERROR)
				continue;
			line = job_last_line(v, task);
			all = xgrow(all, count, sizeof *all);
			all[count] = (struct show_failure){
			    show_failure_key(
				"", job_view_row(v, task)->cause, line),
			    i, count, task};
			free(line);
			store_table_forget(v->table, task);
			count++;
		}
	*out = all;
	return count;
}

/* Return tasks as commands take them, "conv2d/0-4,7 vit/1", to free. */
static char *
list_tasks(const struct job_tasks *tasks, const struct show_equal *g)
{
	const struct show_failure *failure = g->failure;
	struct idset own = {0};
	const char *gap = "";
	char *text, *ids;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < g->count; i++) {
		idset_add(&own, failure[i].task, failure[i].task);
		if (i + 1 < g->count && failure[i + 1].job == failure[i].job)
			continue;
		ids = show_ids(
		    store_job_name(tasks[failure[i].job].view->job), &own);
		fprintf(f, "%s%s", gap, ids);
		gap = " ";
		idset_free(&own);
		free(ids);
	}
	xmemclose(f);
	return text;
}

size_t
show_groups(const struct job_tasks *tasks, size_t jobs,
    void (*each)(void *arg, const struct show_group *), void *arg)
{
	struct show_failure *all;
	struct show_equal *equal;
	struct show_group g;
	size_t count = gather(tasks, jobs, &all), i;
	size_t groups = show_equal(all, count, 1, &equal);

	for (i = 0; i < groups; i++) {
		g = (struct show_group){.count = equal[i].count,
		    .view = tasks[equal[i].failure->job].view,
		    .task = equal[i].failure->task,
		    .ids = list_tasks(tasks, &equal[i]),
		    .others = groups > 1};
		g.cause = job_view_row(g.view, g.task)->cause;
		g.words = words_of(g.view, g.task);
		g.log = job_view_errors(g.view, g.task);
		g.example = xasprintf(
		    "%s/%" PRIu64, store_job_name(g.view->job), g.task);
		each(arg, &g);
		store_table_forget(g.view->table, g.task);
		free(g.words);
		free(g.log);
		free(g.example);
		free(g.ids);
	}
	show_equal_free(all, count, equal);
	return groups;
}

/* ---- output ---- */

/* The output of the groups. */
struct sheet {
	FILE *out;
	const struct show_style *look;
	struct table *table; /* table for programs; NULL for people */
};

static void
put_group(const struct sheet *s, const struct show_group *g)
{
	struct flow f = {s->out, s->look->width, 4};
	const char *named = job_last_line_cause(g->view, g->task);
	const char *words =
	    g->words != NULL ? g->words : "no output in the log";
	char *ids = xstrdup(g->ids), *part, *rest = ids;
	size_t width = text_width(words), gap = 2, pieces = 0;

	show_word(&f, 0, "%zu task%s", g->count, g->count == 1 ? "" : "s");
	if (f.width > 0 && f.at + 2 + width > f.width)
		width = f.width > f.at + 2 ? f.width - f.at - 2 : 0;
	fputs(": ", f.out);
	text_cell(f.out, words, width, 0);
	f.at += 2 + width;
	flow_end(&f);
	flow_word(&f, 0, "  ");
	if (g->cause != NULL)
		flow_text(&f, 0, g->cause);
	if (named != NULL)
		flow_text(&f, g->cause != NULL ? 2 : 0, named);
	while (pieces < PIECES && (part = strsep(&rest, " ")) != NULL) {
		pieces += flow_list(&f, gap, part, PIECES - pieces);
		gap = 1;
	}
	flow_end(&f);
	if (g->log != NULL) {
		show_word(&f, 0, "  %s:", g->example);
		flow_path(&f, 1, show_path(s->look, g->log));
		flow_end(&f);
	}
	free(ids);
}

static void
put(void *arg, const struct show_group *g)
{
	const struct sheet *s = arg;

	if (s->table == NULL) {
		put_group(s, g);
		return;
	}
	table_row(s->table);
	table_int(s->table, TASKS, (int64_t)g->count);
	table_text(s->table, CAUSE, g->cause);
	table_text(s->table, ERROR, g->words);
	table_text(s->table, EXAMPLE, g->example);
	table_text(s->table, LOG, g->log);
	table_text(s->table, IDS, g->ids);
	table_text(s->table, NAMED, job_last_line_cause(g->view, g->task));
}

int
job_show_errors(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct show_style *look, struct error *e)
{
	struct table_look how = {look->format};
	struct sheet s = {out, look, NULL};

	if (look->format != TABLE_TEXT) {
		s.table = table_new(out, columns, COLUMNS, &how);
		if (show_choose(s.table, look, e) == -1)
			return -1;
	}
	if (show_groups(tasks, count, put, &s) == 0 && s.table == NULL)
		fputs("no task is in ERROR\n", out);
	if (s.table != NULL)
		table_end(s.table);
	return 0;
}
