#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs.h"
#include "job-args.h"
#include "job-events.h"
#include "job-metrics.h"
#include "num.h"
#include "record-files.h"
#include "xalloc.h"

/*
 * A path if there is a file, or may be one that cannot be looked at now, else
 * NULL; what is not returned is freed.
 */
static char *
if_there(char *path)
{
	if (path != NULL && !fs_exists(path) &&
	    (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) {
		free(path);
		path = NULL;
	}
	return path;
}

/* A path relative to where the tasks run; takes it over. */
static char *
in_directory(const struct store_job *job, char *path)
{
	char *place, *whole;

	if (*path == '/')
		return path;
	place = store_job_place(job);
	whole = fs_join(place, path);
	free(place);
	free(path);
	return whole;
}

static char *
results_log(const struct job_task *t)
{
	char *directory = job_args_results(t), *path;

	path = xasprintf("%s/%" PRIu64 ".csv", directory, t->task);
	free(directory);
	return path;
}

int
job_metrics_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The log that a directory holds, or NULL; path is freed or returned. */
static char *
log_in(char *path)
{
	struct record_files files;

	if (path == NULL || !job_metrics_is_directory(path))
		return path;
	if (record_files_list(&files, path, NULL) == -1 || files.count == 0) {
		free(path);
		path = NULL;
	} else if (!files.file[0].is_events) {
		free(path);
		path = xstrdup(files.file[0].path);
	}
	record_files_free(&files);
	return path;
}

char *
job_metrics_find(const struct store_job *job, const struct store_row *row,
    const char *const *values)
{
	struct job_task t = {job, row->task, row->attempt, values};
	char *path = NULL;

	if (row->metrics_path != NULL)
		path = if_there(xstrdup(row->metrics_path));
	if (path == NULL && job->metrics != NULL)
		path = log_in(if_there(
		    in_directory(job, job_args_place(&t, job->metrics))));
	if (job->metrics_regex.count > 0) {
		if (path == NULL && job->metrics == NULL && row->log != NULL)
			path = if_there(xstrdup(row->log));
		return path;
	}
	if (path == NULL)
		path = if_there(job_args_metrics(&t));
	if (path == NULL)
		path = if_there(in_directory(job, results_log(&t)));
	return path;
}

/* ---- logs of earlier attempts ---- */

/*
 * The places of its log that the training chooses, and that are of this task
 * alone: at most two, to free.
 */
static size_t
own_places(const struct job_task *t, char *place[2])
{
	const char *template = t->job->metrics;
	size_t n = 0;

	if (template != NULL && strstr(template, "{task}") != NULL)
		place[n++] = in_directory(t->job, job_args_place(t, template));
	place[n++] = in_directory(t->job, results_log(t));
	return n;
}

static char *
aside(const char *place, uint32_t attempt)
{
	return xasprintf("%s.%" PRIu32, place, attempt);
}

void
job_metrics_keep(const struct job_task *t)
{
	char *place[2], *kept;
	size_t n = own_places(t, place);

	while (n-- > 0) {
		kept = aside(place[n], t->attempt - 1);
		if (job_metrics_is_directory(place[n])) {
			if (!fs_exists(kept))
				rename(place[n], kept);
		} else if (link(place[n], kept) == 0) {
			unlink(place[n]);
		}
		free(kept);
		free(place[n]);
	}
}

char *
job_metrics_kept(const struct store_job *job, const struct store_row *row,
    const char *const *values)
{
	struct job_task t = {job, row->task, row->attempt, values};
	char *place[2], *path = NULL;
	size_t n = own_places(&t, place);

	while (n-- > 0) {
		if (path == NULL)
			path = if_there(aside(place[n], row->attempt));
		free(place[n]);
	}
	return path != NULL ? path : if_there(job_args_metrics(&t));
}

/* ---- reading a log apart from a pass ---- */

enum { PIECE = 1 << 20 };

struct record_pattern *
job_metrics_pattern(const struct store_job *job)
{
	const struct words *regex = &job->metrics_regex;

	if (regex->count == 0)
		return NULL;
	return record_pattern_new(
	    (const char *const *)regex->word, regex->count, NULL);
}

struct metrics_wish
job_metrics_wish(
    const struct store_job *job, const struct record_pattern *pattern)
{
	struct metrics_wish wish = {job->metric, METRICS_GOAL_BY_NAME, pattern};

	if (job->goal != NULL)
		wish.goal =
		    strcmp(job->goal, "max") == 0 ? METRICS_MAX : METRICS_MIN;
	return wish;
}

/* Feed one piece: whether there may be more. */
static int
feed(const struct metrics_wish *wish, const char *path,
    struct metrics_summary *m)
{
	uint64_t before = m->offset;
	struct stat st;
	size_t length;
	char *bytes;
	int rc;

	if (fs_read_from(path, before, PIECE, &bytes, &length, &st, NULL) == -1)
		return 0;
	if ((uint64_t)st.st_size < before) { /* it was begun again */
		metrics_summary_reset(m);
		free(bytes);
		return 1;
	}
	rc = metrics_summary_read(m, wish, bytes, length, 0, NULL);
	free(bytes);
	return rc == 1 || (rc == 0 && length == PIECE && m->offset > before);
}

/* A directory is read as a whole: nothing here remembers its files. */
static void
feed_directory(const struct metrics_wish *wish, const char *path,
    struct metrics_summary *m)
{
	char *marks = NULL;
	int64_t time;

	metrics_summary_reset(m);
	job_events_read(path, wish, 0, &marks, m, &time, NULL);
	free(marks);
}

void
job_metrics_read_file(
    const struct store_job *job, const char *path, struct metrics_summary *m)
{
	struct record_pattern *pattern = job_metrics_pattern(job);
	struct metrics_wish wish = job_metrics_wish(job, pattern);

	if (job_metrics_is_directory(path))
		feed_directory(&wish, path, m);
	else
		while (feed(&wish, path, m))
			continue;
	record_pattern_free(pattern);
}

int
job_metrics_read(const struct job_task *t, struct metrics_summary *m)
{
	struct store_row row = {.task = t->task,
	    .attempt = t->attempt,
	    .log = (char *)(uintptr_t)t->log};
	char *path = job_metrics_find(t->job, &row, t->value);

	if (path == NULL)
		return 0;
	job_metrics_read_file(t->job, path, m);
	free(path);
	return 1;
}

/* The epoch that was logged last, by the objective where there is one. */
static double
reached(const struct metrics_summary *m)
{
	return m->column == METRICS_NONE ? m->epoch : m->last_epoch;
}

int
job_metrics_has_epoch(const struct metrics_summary *m)
{
	if (m->columns == 0)
		return 0;
	return m->column == METRICS_NONE ? m->epochs > 0 : m->values > 0;
}

int
job_metrics_went_on(
    const struct metrics_summary *earlier, const struct metrics_summary *now)
{
	if (!job_metrics_has_epoch(now))
		return 0;
	return !job_metrics_has_epoch(earlier) ||
	    reached(now) > reached(earlier);
}

/* The value of a hyperparameter as a number, or 0. */
static double
value_of(const struct job_task *t, const char *name)
{
	double n;
	size_t i;

	for (i = 0; i < t->job->names.count; i++)
		if (strcmp(t->job->names.word[i], name) == 0 &&
		    t->value[i] != NULL && num_parse(t->value[i], &n) &&
		    isfinite(n))
			return n;
	return 0;
}

/* How many epochs the task is to train, or 0. */
static double
epochs_of(const struct job_task *t)
{
	static const char *const usual[] = {
	    "epochs", "max_epochs", "num_epochs", "n_epochs", "nepochs"};
	double n = 0;
	size_t i;

	if (t->job->epochs != NULL && num_parse(t->job->epochs, &n))
		return n;
	if (t->job->epochs != NULL)
		return value_of(t, t->job->epochs);
	for (i = 0; i < sizeof usual / sizeof *usual && n == 0; i++)
		n = value_of(t, usual[i]);
	return n;
}

int
job_metrics_is_complete(
    const struct job_task *t, const struct metrics_summary *m)
{
	double epochs = epochs_of(t);

	if (epochs <= 0 || !job_metrics_has_epoch(m))
		return 0;
	return metrics_epochs_done(m->first, reached(m),
		   metrics_summary_has_fractions(m)) >= epochs;
}
