#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fs.h"
#include "job-view.h"
#include "xalloc.h"

static int
index_of(const struct words *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strcmp(names->word[i], name) == 0)
			return (int)i;
	return -1;
}

/* Who tells how many epochs a task trains. */
static void
find_epochs(struct job_view *v)
{
	static const char *const usual[] = {
	    "epochs", "max_epochs", "num_epochs", "n_epochs", "nepochs"};
	size_t i;

	v->epochs_name = -1;
	if (v->job->epochs != NULL) {
		if (!num_parse(v->job->epochs, &v->epochs) ||
		    !isfinite(v->epochs) || v->epochs < 0) {
			v->epochs = 0;
			v->epochs_name =
			    index_of(&v->job->names, v->job->epochs);
		}
		return;
	}
	v->epochs_guessed = 1;
	for (i = 0; i < sizeof usual / sizeof *usual && v->epochs_name < 0; i++)
		v->epochs_name = index_of(&v->job->names, usual[i]);
}

/* Whether the summary is one of the objective. */
static int
is_objective(const struct job_view *v, const struct metrics_summary *m)
{
	return v->job->metric != NULL || strcmp(m->metric, v->metric) == 0;
}

/* What to compare the tasks by: as the user said, or the first log has it. */
static void
find_objective(struct job_view *v)
{
	const struct store_row *row;
	uint64_t i;

	v->metric = v->job->metric;
	for (i = 0; i < v->fold->count && v->metric == NULL; i++) {
		row = store_fold_row(v->fold, i);
		if (*row->metrics.metric != '\0')
			v->metric = row->metrics.metric;
	}
	if (v->job->goal != NULL)
		v->goal = strcmp(v->job->goal, "max") == 0 ? METRICS_MAX
							   : METRICS_MIN;
	else
		v->goal = v->metric ? metrics_goal(v->metric) : METRICS_MIN;
}

const struct store_row *
job_view_row(const struct job_view *v, uint64_t task)
{
	const struct store_row *row = store_fold_row(v->fold, task);
	struct metrics_summary *m;

	if (v->metric == NULL || is_objective(v, &row->metrics))
		return row;
	m = &store_fold_edit(v->fold, task)->metrics;
	m->has_best = 0;
	m->last_kind = METRICS_BLANK;
	m->nans = 0;
	return row;
}

static void
find_best(struct job_view *v)
{
	const struct metrics_summary *m;
	double best = NAN;
	uint64_t i;

	v->best = -1;
	for (i = 0; i < v->fold->count; i++) {
		m = &job_view_row(v, i)->metrics;
		if (m->has_best && metrics_better(v->goal, m->best, best)) {
			best = m->best;
			v->best = (int64_t)i;
		}
	}
}

static void
take_fold(struct job_view *v, struct store_fold *fold, int64_t now)
{
	store_fold_free(v->fold);
	v->fold = fold;
	v->now = fold->trouble != NULL && fold->asked > 0 ? fold->asked : now;
	find_objective(v);
	find_best(v);
}

struct job_view *
job_view_new(const struct store_job *job, int64_t now, struct error *e)
{
	struct store_fold *fold = store_fold_load(job, e);
	struct job_view *v;

	if (fold == NULL)
		return NULL;
	v = xcalloc(1, sizeof *v);
	v->job = job;
	find_epochs(v);
	take_fold(v, fold, now);
	return v;
}

int
job_view_reload(struct job_view *v, int64_t now, struct error *e)
{
	struct store_fold *fold = store_fold_load(v->job, e);

	if (fold == NULL)
		return -1;
	store_chunks_free(&v->chunks);
	v->chunks_tried = 0;
	take_fold(v, fold, now);
	return 0;
}

void
job_view_free(struct job_view *v)
{
	if (v == NULL)
		return;
	store_fold_free(v->fold);
	store_chunks_free(&v->chunks);
	job_points_free(v->points);
	free(v->none);
	free(v);
}

int
job_view_is_final(const struct job_view *v)
{
	const uint64_t *in = v->fold->in_state;

	return in[STORE_SUBMITTED] == 0 && in[STORE_RUNNING] == 0;
}

/* ---- points ---- */

const char *const *
job_view_point(struct job_view *v, uint64_t task)
{
	const char *const *value = NULL;
	struct error why;

	if (!v->points_tried) {
		v->points_tried = 1;
		v->none = xcalloc(v->job->names.count + 1, sizeof *v->none);
		v->points = job_points_open(v->job, &why);
		if (v->points == NULL)
			words_push(&v->fold->damaged, why.text);
	}
	if (v->points != NULL)
		value = job_points_get(v->points, task, &why);
	if (v->points != NULL && value == NULL && !v->points_bad) {
		v->points_bad = 1;
		words_push(&v->fold->damaged, why.text);
	}
	return value != NULL ? value : v->none;
}

static int
same_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

char *
job_view_constant(struct job_view *v)
{
	size_t count = v->job->names.count, i, left = count;
	char *constant = xmalloc(count + 1);
	char **first = xcalloc(count + 1, sizeof *first);
	const char *const *value = job_view_point(v, 0);
	uint64_t task;

	memset(constant, 1, count + 1);
	for (i = 0; i < count; i++)
		first[i] = value[i] != NULL ? xstrdup(value[i]) : NULL;
	for (task = 1; task < v->job->tasks && left > 0; task++) {
		value = job_view_point(v, task);
		for (i = 0; i < count; i++)
			if (constant[i] && !same_text(first[i], value[i])) {
				constant[i] = 0;
				left--;
			}
	}
	for (i = 0; i < count; i++)
		free(first[i]);
	free(first);
	return constant;
}

/* ---- progress ---- */

/* Whether the log counts epochs, and not steps. */
static int
counts_epochs(const struct metrics_summary *m)
{
	return m->columns == 0 || *m->x_name == '\0' ||
	    strncasecmp(m->x_name, "epoch", 5) == 0;
}

static double
epochs_of(struct job_view *v, uint64_t task)
{
	const char *text;
	double n;

	if (v->epochs_guessed &&
	    !counts_epochs(&job_view_row(v, task)->metrics))
		return 0;
	if (v->epochs_name < 0)
		return v->epochs;
	text = job_view_point(v, task)[v->epochs_name];
	if (text == NULL || !num_parse(text, &n) || !isfinite(n) || n < 0)
		return 0;
	return n;
}

void
job_view_progress(struct job_view *v, uint64_t task, struct job_progress *out)
{
	const struct store_row *row = job_view_row(v, task);
	const struct metrics_summary *m = &row->metrics;

	out->epochs = epochs_of(v, task);
	out->done = m->epochs > 0 ? m->epoch : 0;
	/* Epochs are counted from 0 or from 1. */
	if (m->epochs > 0 && m->first <= 0 && counts_epochs(m))
		out->done++;
	if (row->state == STORE_FINISHED)
		out->part = 1;
	else if (out->epochs > 0)
		out->part = fmin(out->done / out->epochs, 1);
	else
		out->part = out->done > 0 ? NAN : 0;
}

double
job_view_part(struct job_view *v)
{
	double done = 0, epochs = 0, parts = 0;
	struct job_progress p;
	int all_known = 1;
	uint64_t i;

	for (i = 0; i < v->fold->count; i++) {
		job_view_progress(v, i, &p);
		all_known = all_known && p.epochs > 0;
		if (isnan(p.part))
			continue;
		parts += p.part;
		done += p.part * p.epochs;
		epochs += p.epochs;
	}
	if (all_known && epochs > 0)
		return done / epochs;
	return v->fold->count > 0 ? parts / (double)v->fold->count : 0;
}

/* ---- times ---- */

int64_t
job_view_elapsed(const struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	int64_t end = row->end;

	if (row->start == -1 || (end == -1 && store_state_is_final(row->state)))
		return -1;
	if (end == -1)
		end = v->now;
	return end > row->start ? end - row->start : 0;
}

int64_t
job_view_submitted(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	size_t i;

	if (!v->chunks_tried) {
		v->chunks_tried = 1;
		store_chunks_list(v->job, &v->chunks, NULL);
	}
	for (i = 0; i < v->chunks.count && row->array != -1; i++)
		if (v->chunks.chunk[i].array == row->array)
			return v->chunks.chunk[i].time;
	return v->job->created;
}

/* ---- places ---- */

char *
job_view_errors(const struct job_view *v, uint64_t task)
{
	const char *err = job_view_row(v, task)->err;

	return err != NULL ? xstrdup(err) : job_view_log(v, task);
}

char *
job_view_log(const struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	char *path;

	if (row->log != NULL)
		return xstrdup(row->log);
	/* A task that could not start has told nobody where its log is. */
	path = xasprintf("%s/log/%" PRId64 "_%" PRId64 ".log", v->job->path,
	    row->array, row->index);
	if (row->array != -1 && fs_exists(path))
		return path;
	free(path);
	return NULL;
}

char *
job_view_value(double value, char out[NUM_TEXT])
{
	double size = fabs(value);

	if (!isfinite(value) || (size != 0 && (size < 0.01 || size >= 1e6)))
		return num_short(value, 3, out);
	snprintf(out, NUM_TEXT, "%.*f",
	    size >= 1000      ? 1
		: size >= 100 ? 2
			      : 4,
	    value);
	return out;
}
