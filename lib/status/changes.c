#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "status/changes.h"
#include "status/private.h"
#include "sys/fs.h"
#include "view/columns.h"

/* The last look at a job: a checksum for each task, or 0 if it was not seen. */
struct job_seen {
	char *id; /* the job's id: another job may get its name later */
	uint64_t count;
	uint32_t *task;
	int64_t best;
};

void
job_changes_free(struct job_changes *c)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		free(c->seen[i].id);
		free(c->seen[i].task);
	}
	free(c->seen);
}

static struct job_seen *
seen_of(struct job_changes *c, const struct store_job *job)
{
	struct job_seen *s;
	size_t i;

	for (i = 0; i < c->count; i++)
		if (strcmp(c->seen[i].id, store_job_id(job)) == 0)
			return &c->seen[i];
	c->seen = xgrow(c->seen, c->count, sizeof *c->seen);
	s = &c->seen[c->count++];
	*s = (struct job_seen){.id = xstrdup(store_job_id(job)),
	    .count = store_job_tasks(job),
	    .task = xcalloc(store_job_tasks(job) + 1, sizeof *s->task),
	    .best = -2};
	return s;
}

/* Return a checksum of the state, the cause and the mark of a task, never 0. */
static uint32_t
sum_of(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	const char *mark = job_view_mark(v, task);
	char *text = xasprintf("%d %" PRIu32 " %" PRIu32 " %s %s",
	    (int)row->state, row->attempt, row->restart,
	    row->cause != NULL ? row->cause : "", mark != NULL ? mark : "");
	uint32_t sum = fs_crc32c(text, strlen(text));

	free(text);
	store_table_forget(v->table, task);
	return sum != 0 ? sum : 1;
}

/* Put the changed tasks of a job into out.  Returns whether there are any. */
static int
look_at(struct job_changes *c, const struct job_tasks *t, int all,
    struct job_tasks *out)
{
	struct job_seen *seen = seen_of(c, t->view->job);
	int first = seen->best == -2, is_best;
	uint32_t sum;
	size_t i;

	*out = (struct job_tasks){
	    t->view, xcalloc(t->count + 1, sizeof *out->task), 0};
	for (i = 0; i < t->count; i++) {
		if (t->task[i] >= seen->count)
			continue;
		sum = sum_of(t->view, t->task[i]);
		is_best = !first && (int64_t)t->task[i] == t->view->best &&
		    seen->best != t->view->best;
		if (first ? all : is_best || sum != seen->task[t->task[i]])
			out->task[out->count++] = t->task[i];
		seen->task[t->task[i]] = sum;
	}
	seen->best = t->view->best;
	if (out->count == 0)
		free(out->task);
	return out->count > 0;
}

void
job_changes_look(struct job_changes *c, const struct job_tasks *tasks,
    size_t count, int all, struct job_tasks *out, size_t *found)
{
	size_t i;

	*found = 0;
	for (i = 0; i < count; i++)
		*found += (size_t)look_at(c, &tasks[i], all, &out[*found]);
}

/* ---- lines ---- */

static void
put_task(FILE *out, struct job_view *v, uint64_t task, const char *when)
{
	const struct store_row *row = job_view_row(v, task);
	const struct metrics_summary *m = &row->metrics;
	char epoch[2 * NUM_TEXT], value[NUM_TEXT];
	const char *cause = row->cause;

	if (cause == NULL)
		cause = job_view_mark(v, task);
	fprintf(out, "%s  %s/%" PRIu64 "  %s", when, store_job_name(v->job),
	    task, store_state_name(row->state));
	if (cause != NULL) {
		fputs("  ", out);
		text_plain(out, cause);
	}
	job_column_epoch(v, task, epoch);
	if (strcmp(epoch, "-") != 0)
		fprintf(out, "  %s %s", show_unit(v, task), epoch);
	if (m->has_best) {
		fputs("  best ", out);
		text_plain(out, v->metric != NULL ? v->metric : m->metric);
		fprintf(out, " %s%s", job_view_value(m->best, value),
		    v->best == (int64_t)task ? " of all" : "");
	}
	putc('\n', out);
	store_table_forget(v->table, task);
}

void
job_changes_show(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct show_style *look)
{
	char when[TABLE_TIME];
	size_t i, k;

	show_time(look->now, 1, when);
	for (i = 0; i < count; i++)
		for (k = 0; k < tasks[i].count; k++)
			put_task(out, tasks[i].view, tasks[i].task[k], when);
}
