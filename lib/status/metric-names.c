#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "job/training-log.h"
#include "metrics/metrics.h"
#include "metrics/read-files.h"
#include "metrics/reader.h"
#include "plot/plot.h"
#include "sandbox/sandbox.h"
#include "status/metric-names.h"
#include "store/job.h"
#include "store/table.h"
#include "sys/csv.h"
#include "sys/fs.h"
#include "view/view.h"

/* The most bytes to read of a file, files of a directory, and tasks. */
enum { HEAD = 64 << 10, FILES = 8, TASKS = 8 };

static void
add(struct strlist *out, const char *name)
{
	if (*name != '\0' && !strlist_have(out, name))
		strlist_push(out, name);
}

/* Add the names of a header with numbers, except that of the x axis. */
static void
add_header(const struct metrics_header *header, struct strlist *out)
{
	int x = metrics_guess_x(header);
	size_t i;

	for (i = 0; i < header->count; i++)
		if (header->kind[i] >= 0 && (int)i != x)
			add(out, header->name[i]);
}

static void
add_rows(const char *bytes, size_t length, struct strlist *out)
{
	struct metrics_header header;

	if (metrics_header_read(&header, bytes, length, NULL) == -1)
		return;
	add_header(&header, out);
	metrics_header_free(&header);
}

/* The names in the records of a file. */
struct record_names {
	enum record_format format;
	const char *prefix;
	struct strlist names;
};

static int
add_record(void *arg, const struct record *r, size_t taken)
{
	struct record_names *n = arg;
	char room[RECORD_NAME];
	size_t i;

	(void)taken;
	for (i = 0; i < r->count; i++)
		add(&n->names, record_name(n->format, n->prefix, r, i, room));
	return 0;
}

static void
add_records(enum record_format format, const struct record_pattern *pattern,
    const char *prefix, const char *bytes, size_t length, struct strlist *out)
{
	struct record_reader reader = {.format = format, .pattern = pattern};
	struct record_names n = {.format = format, .prefix = prefix};
	struct metrics_header header = {.count = 0};

	record_read(&reader, bytes, length, add_record, &n);
	header.name = n.names.word;
	header.count = n.names.count;
	header.kind = xcalloc(header.count + 1, sizeof *header.kind);
	add_header(&header, out);
	free(header.kind);
	strlist_free(&n.names);
}

static void
add_file(const char *path, const struct record_pattern *pattern,
    const char *prefix, struct strlist *out)
{
	enum record_format format;
	struct stat st;
	size_t length;
	char *bytes;

	if (fs_read_from(path, 0, HEAD, &bytes, &length, &st, NULL) == -1)
		return;
	format =
	    pattern != NULL ? RECORD_TEXT : record_recognise(bytes, length);
	if (format == RECORD_ROWS)
		add_rows(bytes, length, out);
	else
		add_records(format, pattern, prefix, bytes, length, out);
	free(bytes);
}

void
job_metric_names_log(
    const char *path, const struct record_pattern *pattern, struct strlist *out)
{
	struct record_files files;
	size_t i;
	int rc;

	if (pattern != NULL && record_pattern_names(pattern)->count > 0) {
		for (i = 0; i < record_pattern_names(pattern)->count; i++)
			add(out, record_pattern_names(pattern)->word[i]);
	} else if (job_training_log_is_directory(path)) {
		rc = record_files_list(&files, path, NULL);
		for (i = 0; rc == 0 && i < files.count && i < FILES; i++)
			add_file(files.file[i].path, NULL, files.file[i].prefix,
			    out);
		record_files_free(&files);
	} else {
		add_file(path, pattern, "", out);
	}
}

/* Add the names in a task's log.  Returns whether there were any. */
static int
add_task(const struct store_job *job, const struct store_row *row,
    struct job_points *points, struct strlist *out)
{
	const char *const *values = job_points_of(points, row, NULL);
	struct record_pattern *pattern;
	size_t before = out->count;
	char *path;

	path = values ? job_training_log_find(job, row, values) : NULL;
	if (path == NULL)
		return 0;
	pattern = job_training_log_pattern(
	    job, path, job_training_log_output(job, row));
	job_metric_names_log(path, pattern, out);
	record_pattern_free(pattern);
	free(path);
	return out->count > before;
}

void
job_metric_names_metrics(const struct store_job *job, struct strlist *out)
{
	static const struct idset none = {0};
	struct store_table *head = store_table_load_part(job, &none, NULL);
	struct store_table *table;
	struct job_points *points;
	struct idset tasks = {0};
	struct idset_walk walk = {0};
	uint64_t task, found = 0;
	int64_t namer;
	int done = 0;

	if (job->metric != NULL)
		add(out, job->metric);
	if (head == NULL)
		return;
	/* The first line of the table shows which tasks may have a log. */
	namer = head->summary.known ? head->summary.namer : -1;
	if (namer >= 0 && (uint64_t)namer < head->count)
		idset_add(&tasks, (uint64_t)namer, (uint64_t)namer);
	for (task = 0; task < head->count && found < TASKS; task++)
		if (store_table_state(head, task) != STORE_SUBMITTED) {
			idset_add(&tasks, task, task);
			found++;
		}
	table = store_table_load_part(job, &tasks, NULL);
	points = job_points_open_few(job, NULL);
	if (table != NULL && points != NULL)
		while (!done && idset_next(&tasks, &walk, &task))
			done = add_task(
			    job, store_table_row(table, task), points, out);
	job_points_free(points);
	store_table_free(table);
	idset_free(&tasks);
	store_table_free(head);
}

/* Add the names in the logs of a job, except a metric. */
static void
add_others(const struct store_job *job, const char *metric, struct strlist *out)
{
	size_t i;

	job_metric_names_metrics(job, out);
	for (i = out->count; i-- > 0;)
		if (strcmp(out->word[i], metric) == 0)
			strlist_drop(out, i);
}

char *
job_metric_names_text(const struct store_job *job, const char *metric)
{
	enum { NAMED = 8 };
	struct strlist names = {0};
	const char *near;
	char *text;
	size_t i, length;
	FILE *out = xmemopen(&text, &length);

	add_others(job, metric, &names);
	near =
	    text_nearest(metric, (const char *const *)names.word, names.count);
	if (near != NULL)
		fprintf(out, "%s", near);
	for (i = 0; i < names.count && i < NAMED; i++)
		if (names.word[i] != near)
			fprintf(out, "%s%s", i > 0 || near ? ", " : "",
			    names.word[i]);
	fputs(i < names.count ? ", ..." : "", out);
	xmemclose(out);
	strlist_free(&names);
	if (length > 0)
		return text;
	free(text);
	return NULL;
}

/* A column, and the first text in it. */
struct cell {
	size_t column;
	int rows;
	char *text;
};

static int
take_cell(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct cell *c = arg;

	(void)end;
	if (c->rows++ > 0 && c->column < count && *field[c->column] != '\0')
		c->text = xstrdup(field[c->column]);
	return c->text != NULL;
}

/* What the group of a metric matches. */
struct printed {
	const char *metric;
	char *text;
};

static int
take_printed(void *arg, const struct record *r, size_t taken)
{
	struct printed *p = arg;
	size_t i;

	(void)taken;
	for (i = 0; i < r->count && p->text == NULL; i++)
		if (strcmp(r->name[i], p->metric) == 0 && *r->value[i] != '\0')
			p->text = xstrdup(r->value[i]);
	return p->text != NULL;
}

/* Return the first text in printed output that stands for the metric. */
static char *
find_printed(const struct store_job *job, const char *path)
{
	struct record_pattern *pattern =
	    job_training_log_pattern(job, path, NULL);
	struct record_reader reader = {
	    .format = RECORD_TEXT, .pattern = pattern, .texts = 1};
	struct printed printed = {job->metric, NULL};
	struct stat st;
	size_t length;
	char *bytes;

	if (pattern != NULL && job->metric != NULL &&
	    fs_read_from(path, 0, HEAD, &bytes, &length, &st, NULL) == 0) {
		record_read(&reader, bytes, length, take_printed, &printed);
		free(bytes);
	}
	record_pattern_free(pattern);
	return printed.text;
}

char *
job_metric_names_cell(const struct store_job *job, const struct store_row *row)
{
	const struct metrics_summary *m = &row->metrics;
	struct cell cell = {.column = (size_t)m->column};
	struct rows *rows;
	struct stat st;
	size_t length;
	char *bytes;

	if (row->metrics_path != NULL && job->metrics_regex.count > 0)
		return find_printed(job, row->metrics_path);
	if (row->metrics_path == NULL || m->format != RECORD_ROWS ||
	    m->column == METRICS_NONE ||
	    fs_read_from(
		row->metrics_path, 0, HEAD, &bytes, &length, &st, NULL) == -1)
		return NULL;
	rows = rows_new((char)m->delimiter);
	rows_feed(rows, bytes, length, take_cell, &cell, NULL);
	rows_free(rows);
	free(bytes);
	return cell.text;
}

/* Refuse a metric that no log of a job has. */
static int
no_metric(const struct store_job *job, const char *metric, struct error *e)
{
	struct strlist names = {0};
	char hint[TEXT_HINT], *all;

	add_others(job, metric, &names);
	all = strlist_join(&names, ", ");
	text_hint(
	    metric, (const char *const *)names.word, names.count, "", hint);
	error_set(e, "%s: no log of %s has this metric%s%s%s %s", metric,
	    job->name, *hint != '\0' ? ": " : "", hint,
	    *hint != '\0' ? "  Its metrics are:" : "; its metrics are:", all);
	free(all);
	strlist_free(&names);
	return -1;
}

int
job_metric_names_check(const struct job_view *v, struct error *e)
{
	const struct store_summary *sum = &v->table->summary;

	if (v->job->metric == NULL || sum->without == 0 || sum->best != -1)
		return 0;
	return no_metric(v->job, v->job->metric, e);
}

int
job_metric_names_use(struct store_job *job, struct job_view *v,
    const char *metric, int64_t now, struct error *e)
{
	free(job->metric);
	free(job->goal);
	job->metric = xstrdup(metric);
	job->goal = NULL; /* that of the old metric */
	job->reading = -1;
	return job_view_look(v, now, e);
}

/* ---- more metrics than the objective ---- */

/* What is known of a metric at the epoch of the best value of a task. */
enum { ABSENT = -1, BLANK, KNOWN };

/*
 * Find the value of a metric in the row of the log that has the best value: an
 * epoch may be there again after a restart.  The best value of an earlier
 * attempt is not in the log.
 */
static int
value_at_best(const struct job_view *v, const struct store_row *row,
    const char *metric, double *out)
{
	const struct metrics_summary *m = &row->metrics;
	struct plot plot = {.goal = METRICS_GOAL_BY_NAME};
	const struct metrics_series *y;
	struct record_pattern *pattern;
	struct plot_run run = {0};
	int got = ABSENT;
	size_t i;

	if (row->metrics_path == NULL || !m->has_best)
		return ABSENT;
	pattern = job_training_log_pattern(
	    v->job, row->metrics_path, job_training_log_output(v->job, row));
	plot.pattern = pattern;
	strlist_push(&plot.metric, v->job->metric);
	strlist_push(&plot.metric, metric);
	if (plot_read_path(&plot, &run, row->metrics_path,
		store_state_is_final(row->state) ? PLOT_ENDED : PLOT_TASK,
		NULL) == 0) {
		y = metrics_log_series(run.log, 0);
		for (i = 0; i < y->count; i++)
			if (y->x[i] == m->best_epoch && y->y[i] == m->best)
				break;
		got = i < y->count && metrics_log_beside(run.log, 0, i, 1, out)
		    ? KNOWN
		    : BLANK;
	}
	plot_run_free(&plot, &run);
	plot_free(&plot);
	record_pattern_free(pattern);
	return got;
}

int
job_metric_names_add(struct job_view *v, const struct strlist *metrics,
    const struct idset *tasks, struct error *e)
{
	size_t count = metrics->count, i, at, all = v->table->count * count;
	int found, has_best, got, rc = 0;
	const struct store_row *row;
	struct idset_walk walk;
	uint64_t task;

	strlist_copy(&v->metrics.names, metrics);
	v->metrics.value = xcalloc(all + 1, sizeof *v->metrics.value);
	v->metrics.has = xcalloc(all + 1, 1);
	for (i = 0; rc == 0 && i < count; i++) {
		found = has_best = 0;
		walk = (struct idset_walk){0};
		while (idset_next(tasks, &walk, &task)) {
			row = job_view_row(v, task);
			has_best |= row->metrics.has_best;
			at = task * count + i;
			got = value_at_best(
			    v, row, metrics->word[i], &v->metrics.value[at]);
			found |= got != ABSENT;
			v->metrics.has[at] = got == KNOWN;
			store_table_forget(v->table, task);
		}
		if (has_best && !found)
			rc = no_metric(v->job, metrics->word[i], e);
	}
	return rc;
}
