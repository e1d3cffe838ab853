/* The table of a job's tasks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "report/private.h"
#include "status/texts.h"
#include "store/load.h"
#include "view/columns.h"

/* How the value of a column is shown. */
enum kind { TEXT, TASK, STATE, PARAM, EPOCH, VALUE, COUNT, SPAN, TIME };

struct column {
	const char *name, *head;
	enum kind kind;
};

/* The columns before and after the hyperparameters. */
static const struct column before[] = {{"task", "Task", TASK},
    {"state", "State", STATE}, {"cause", "Cause", TEXT},
    {"epoch", "Epoch", EPOCH}};
static const struct column after[] = {{"best", "Best", VALUE},
    {"best_epoch", "At", COUNT}, {"last", "Last", VALUE},
    {"start", "Start", TIME}, {"elapsed", "Time", SPAN},
    {"node", "Node", TEXT}};

enum {
	BEFORE = sizeof before / sizeof *before,
	AFTER = sizeof after / sizeof *after
};

/* A table being written: its columns, by their number in the job. */
struct sheet {
	FILE *out;
	struct job_view *view;
	struct column *column;
	int *source;
	char *used; /* whether a column has any value */
	size_t count;
	char **own; /* names to free */
};

static void
add_column(struct sheet *s, const struct column *column, char *own)
{
	int source = job_column_find(s->view, column->name);

	s->column[s->count] = *column;
	s->source[s->count] = source;
	s->own[s->count++] = own;
}

/* Choose the columns: hyperparameters that all tasks share are left out. */
static void
open_sheet(struct sheet *s, FILE *out, struct job_view *view)
{
	const struct strlist *names = store_job_names(view->job);
	const struct strlist *more = &view->metrics.names;
	size_t most = BEFORE + names->count + AFTER + more->count, i, k;
	char *constant = job_view_constant(view), *name;
	struct column param = {.kind = PARAM}, metric = {.kind = VALUE};
	int first = job_column_count(view) - (int)more->count;

	*s = (struct sheet){.out = out, .view = view};
	s->column = xcalloc(most, sizeof *s->column);
	s->source = xcalloc(most, sizeof *s->source);
	s->used = xcalloc(most, 1);
	s->own = xcalloc(most, sizeof *s->own);
	for (i = 0; i < BEFORE; i++)
		add_column(s, &before[i], NULL);
	for (i = 0; i < names->count; i++) {
		if (constant[i] && store_job_tasks(view->job) > 1)
			continue;
		param.name = name = job_column_param(names->word[i]);
		param.head = names->word[i];
		add_column(s, &param, name);
	}
	for (i = 0; i < AFTER; i++) {
		add_column(s, &after[i], NULL);
		if (after[i].kind != COUNT)
			continue;
		/* Other metrics, at the epoch of the best value. */
		for (k = 0; k < more->count; k++) {
			metric.name = name =
			    job_column_named(view, first + (int)k);
			metric.head = more->word[k];
			add_column(s, &metric, name);
		}
	}
	free(constant);
}

static void
close_sheet(struct sheet *s)
{
	size_t k;

	for (k = 0; k < s->count; k++)
		free(s->own[k]);
	free(s->column);
	free(s->source);
	free(s->used);
	free(s->own);
}

/* Return whether people compare the values of a column by their digits. */
static int
is_number(enum kind kind)
{
	return kind != TEXT && kind != STATE && kind != TASK;
}

/* Write the text of a value that there is. */
static void
write_value(
    const struct sheet *s, size_t k, uint64_t task, const struct job_value *v)
{
	char text[JOB_COLUMN_TEXT], time[TABLE_TIME];

	switch (s->column[k].kind) {
	case TASK:
		fprintf(s->out, "%" PRIu64, task);
		break;
	case STATE:
		report_state(s->out, store_table_state(s->view->table, task));
		break;
	case EPOCH:
		fputs(job_column_epoch(s->view, task, text), s->out);
		break;
	case VALUE:
		fputs(job_view_value(v->number, text), s->out);
		break;
	case SPAN:
		fputs(num_span((int64_t)v->number, text), s->out);
		break;
	case TIME:
		fputs(show_time((int64_t)v->number, 0, time), s->out);
		break;
	default:
		text_xml(s->out, v->text);
	}
}

static void
write_cell(const struct sheet *s, size_t k, uint64_t task)
{
	const char *tag = s->column[k].kind == TASK ? "th" : "td";
	struct job_value v;

	job_column_value(s->view, task, s->source[k], &v);
	fprintf(s->out, "<%s%s%s", tag,
	    s->column[k].kind == TASK ? " scope=\"row\"" : "",
	    s->column[k].kind == PARAM         ? " class=\"n p\""
		: is_number(s->column[k].kind) ? " class=\"n\""
					       : "");
	/*
	 * A number as text is sorted as a number; other texts by words.  nan
	 * and inf are last, as rows without a value.
	 */
	if (v.text != NULL && is_number(s->column[k].kind)) {
		fputs(" data-v=\"", s->out);
		if (v.kind == JOB_TIME)
			fprintf(s->out, "%.0f", v.number);
		else if (v.kind != JOB_NUMBER || isfinite(v.number))
			text_xml(s->out, v.text);
		putc('"', s->out);
	}
	putc('>', s->out);
	if (v.text != NULL)
		write_value(s, k, task, &v);
	fprintf(s->out, "</%s>", tag);
	job_value_free(&v);
}

static void
find_used(struct sheet *s, const struct job_tasks *t, size_t rows)
{
	struct job_value v;
	size_t i, k;

	for (i = 0; i < rows; i++) {
		for (k = 0; k < s->count; k++) {
			if (s->used[k] || s->source[k] == -1)
				continue;
			job_column_value(t->view, t->task[i], s->source[k], &v);
			s->used[k] = v.text != NULL;
			job_value_free(&v);
		}
		store_table_forget(t->view->table, t->task[i]);
	}
}

void
report_tasks(FILE *out, const struct job_tasks *t, size_t most)
{
	size_t rows = most > 0 && most < t->count ? most : t->count, i, k;
	struct sheet s;

	open_sheet(&s, out, t->view);
	find_used(&s, t, rows);
	fputs("<h3>Tasks</h3>\n", out);
	if (rows < t->count)
		fprintf(out, "<p class=\"soft\">The first %zu of %zu.</p>\n",
		    rows, t->count);
	report_table_begin(out, "Tasks", "sort");
	fputs("<thead><tr>", out);
	for (k = 0; k < s.count; k++) {
		if (!s.used[k])
			continue;
		fprintf(out, "<th scope=\"col\"%s>",
		    is_number(s.column[k].kind) ? " class=\"n\"" : "");
		text_xml(out, s.column[k].head);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (i = 0; i < rows; i++) {
		fputs("<tr>", out);
		for (k = 0; k < s.count; k++)
			if (s.used[k])
				write_cell(&s, k, t->task[i]);
		fputs("</tr>\n", out);
		store_table_forget(t->view->table, t->task[i]);
	}
	fputs("</tbody>\n", out);
	report_table_end(out);
	close_sheet(&s);
}
