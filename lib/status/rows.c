#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "status/private.h"
#include "store/job.h"
#include "view/columns.h"

static void
add_names(const struct strlist *names, struct strlist *out)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (!strlist_have(out, names->word[i]))
			strlist_push(out, names->word[i]);
}

void
show_names(const struct job_tasks *tasks, size_t count, struct strlist *out)
{
	size_t i;

	memset(out, 0, sizeof *out);
	for (i = 0; i < count; i++)
		add_names(&tasks[i].view->job->names, out);
}

/* Add the names of the columns of a view with metrics. */
static void
add_metrics(const struct job_view *view, struct strlist *out)
{
	int last = job_column_count(view), i;
	char *name;

	for (i = last - (int)view->metrics.names.count; i < last; i++) {
		name = job_column_named(view, i);
		if (!strlist_have(out, name))
			strlist_push(out, name);
		free(name);
	}
}

/* List the columns of all tasks for programs; call strlist_free on out. */
static void
list_columns(const struct job_tasks *tasks, size_t count, struct strlist *out)
{
	struct strlist names;
	size_t i;

	memset(out, 0, sizeof *out);
	show_names(tasks, count, &names);
	for (i = 0; i < count; i++)
		add_names(&tasks[i].view->job->groups.names, &names);
	for (i = 0; i < JOB_COLUMNS_BEFORE; i++)
		strlist_push(out, job_column_name((int)i));
	for (i = 0; i < names.count; i++)
		strlist_take(out, job_column_param(names.word[i]));
	for (i = JOB_COLUMNS_BEFORE; i < (size_t)job_columns; i++)
		strlist_push(out, job_column_name((int)i));
	for (i = 0; i < count; i++)
		add_metrics(tasks[i].view, out);
	strlist_free(&names);
}

/* Put the values of a task; source is the number of each column, or -1. */
static void
put_task(struct table *t, size_t columns, struct job_view *view, uint64_t task,
    const int *source)
{
	size_t i;

	table_row(t);
	for (i = 0; i < columns; i++)
		if (source[i] != -1 && table_has(t, i))
			job_column_put(view, task, source[i], t, i);
	store_table_forget(view->table, task);
}

int
job_show_rows(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct show_style *look, struct error *e)
{
	struct table_look how = {look->format};
	struct table_column *column;
	struct strlist names;
	struct table *t;
	int *source, rc;
	size_t i, k;

	list_columns(tasks, count, &names);
	column = xcalloc(names.count, sizeof *column);
	source = xcalloc(names.count, sizeof *source);
	for (i = 0; i < names.count; i++)
		column[i].name = names.word[i];
	t = table_new(out, column, names.count, &how);
	rc = show_choose(t, look, e);
	for (i = 0; rc == 0 && i < count; i++) {
		for (k = 0; k < names.count; k++)
			source[k] =
			    job_column_find(tasks[i].view, names.word[k]);
		for (k = 0; k < tasks[i].count; k++)
			put_task(t, names.count, tasks[i].view,
			    tasks[i].task[k], source);
	}
	if (rc == 0)
		table_end(t);
	free(column);
	free(source);
	strlist_free(&names);
	return rc;
}

/* ---- points ---- */

/*
 * Print the point of one task, if it is chosen; names are columns of any of the
 * jobs.
 */
static int
put_point(FILE *out, struct job_view *view, uint64_t task,
    const struct strlist *names, struct error *e)
{
	struct job_value value;
	int column, rc = 0;
	size_t i;

	if (job_points_lack(view->job, job_view_row(view, task)))
		return 0;
	for (i = 0; rc == 0 && i < names->count; i++) {
		column = job_column_find(view, names->word[i]);
		if (i > 0)
			putc('\t', out);
		if (column == -1)
			continue;
		job_column_value(view, task, column, &value);
		if (value.text != NULL && *value.text == '\0')
			rc = error_set(e,
			    "%s/%" PRIu64 ": %s is empty, which points cannot "
			    "say",
			    view->job->name, task, names->word[i]);
		else if (value.text != NULL)
			text_tsv(out, value.text);
		job_value_free(&value);
	}
	putc('\n', out);
	return rc;
}

int
job_show_points(
    FILE *out, const struct job_tasks *tasks, size_t count, struct error *e)
{
	struct strlist names, columns = {0};
	size_t i, k;
	int rc = 0;

	show_names(tasks, count, &names);
	for (i = 0; i < count; i++)
		add_names(&tasks[i].view->job->groups.names, &names);
	for (i = 0; i < names.count; i++) {
		strlist_take(&columns,
		    *names.word[i] == '@' ? xstrdup(names.word[i])
					  : job_column_param(names.word[i]));
		fputs(i > 0 ? "\t" : "", out);
		text_tsv(out, names.word[i]);
	}
	putc('\n', out);
	for (i = 0; rc == 0 && i < count; i++)
		for (k = 0; rc == 0 && k < tasks[i].count; k++)
			rc = put_point(
			    out, tasks[i].view, tasks[i].task[k], &columns, e);
	strlist_free(&columns);
	strlist_free(&names);
	return rc;
}
