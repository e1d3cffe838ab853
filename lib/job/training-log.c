#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "job/argv.h"
#include "job/tensorboard-log.h"
#include "job/training-log.h"
#include "metrics/metrics.h"
#include "metrics/read-files.h"
#include "metrics/reader.h"
#include "store/job.h"
#include "store/table-row.h"
#include "sys/fs.h"

/*
 * Return path if a file exists there, or may exist but cannot be examined now.
 * Otherwise free path and return NULL.
 */
static char *
if_there(char *path)
{
	if (path != NULL && fs_is_gone(path)) {
		free(path);
		path = NULL;
	}
	return path;
}

/*
 * As if_there, for a path that the user did not give: a directory without
 * access is no sign of a log.
 */
static char *
if_guessed(char *path)
{
	path = if_there(path);
	if (path != NULL && !fs_exists(path) && errno == EACCES) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Return an absolute path, from the tasks' directory on; takes over path. */
static char *
in_directory(const struct job_task *t, char *path)
{
	char *place, *whole;

	if (*path == '/')
		return path;
	place = store_job_place_of(t->job, t->code);
	whole = fs_join(place, path);
	free(place);
	free(path);
	return whole;
}

static char *
results_log(const struct job_task *t)
{
	char *directory = job_argv_results(t), *path;

	path = xasprintf("%s/%" PRIu64 ".csv", directory, t->task);
	free(directory);
	return path;
}

int
job_training_log_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Return the log in a directory, or NULL; path is freed or returned. */
static char *
log_in(char *path)
{
	struct record_files files;
	int rc;

	if (path == NULL || !job_training_log_is_directory(path))
		return path;
	rc = record_files_list(&files, path, NULL);
	if (rc == -1 ? fs_says_absent(errno) : files.count == 0) {
		free(path);
		path = NULL;
	} else if (rc == 0 && !files.file[0].is_events) {
		free(path);
		path = xstrdup(files.file[0].path);
	}
	record_files_free(&files);
	return path;
}

/* Return whether metrics may be guessed from what the job's tasks print. */
static int
may_guess(const struct store_job *job)
{
	return job->metrics_regex.count == 0 &&
	    (job->metrics == NULL || job_argv_metrics_path(job) != NULL);
}

int
job_training_log_is_guessed(
    const struct store_job *job, const struct metrics_summary *m)
{
	return m->columns > 0 && m->format == RECORD_TEXT &&
	    job->metrics_regex.count == 0;
}

const char *
job_training_log_output(
    const struct store_job *job, const struct store_row *row)
{
	if (!may_guess(job))
		return NULL;
	/* A run that is put back has no output until it starts. */
	if (row->log == NULL && job_training_log_is_guessed(job, &row->metrics))
		return row->metrics_path;
	return row->log;
}

char *
job_training_log_find(const struct store_job *job, const struct store_row *row,
    const char *const *values)
{
	struct job_task t = {
	    job, row->task, row->attempt, values, .code = row->code};
	int begun = job_training_log_has_begun(row);
	const char *printed = job_training_log_output(job, row);
	const char *given = job_argv_metrics_path(job);
	char *path = NULL;

	/* Any other log is better than the output. */
	if (row->metrics_path != NULL &&
	    (printed == NULL || strcmp(row->metrics_path, printed) != 0))
		path = if_there(xstrdup(row->metrics_path));
	if (path == NULL && begun && given != NULL)
		path = log_in(
		    if_there(in_directory(&t, job_argv_place(&t, given))));
	if (job->metrics_regex.count > 0) {
		if (path == NULL && given == NULL && row->log != NULL)
			path = if_there(xstrdup(row->log));
		return path;
	}
	if (path == NULL)
		path = if_there(job_argv_metrics(&t));
	if (path == NULL && begun)
		path = if_guessed(in_directory(&t, results_log(&t)));
	if (path == NULL && printed != NULL)
		path = if_guessed(xstrdup(printed));
	return path;
}

/* ---- logs of earlier attempts ---- */

/*
 * List the paths to which the training may write its log and that only this
 * task uses.  Returns how many there are, at most two, to free.
 */
static size_t
own_places(const struct job_task *t, char *place[2])
{
	const char *template = t->job->metrics;
	size_t n = 0, length;

	if (template != NULL && strstr(template, "{task}") != NULL) {
		place[n] = in_directory(t, job_argv_place(t, template));
		length = strlen(place[n]);
		while (length > 1 && place[n][length - 1] == '/')
			place[n][--length] = '\0';
		n++;
	}
	place[n++] = in_directory(t, results_log(t));
	return n;
}

/* List the log paths of a run of an attempt: own_places and $STFM_METRICS. */
static size_t
run_places(const struct job_task *t, char *place[3])
{
	size_t n = own_places(t, place);

	place[n++] = job_argv_metrics(t);
	return n;
}

static char *
aside(const char *place, uint32_t attempt)
{
	return xasprintf("%s.%" PRIu32, place, attempt);
}

/* Return the name for the log of one run, if all runs write to one path. */
static char *
aside_run(const char *place, uint32_t attempt, uint32_t restart)
{
	return xasprintf("%s.%" PRIu32 ".%" PRIu32, place, attempt, restart);
}

/*
 * Rename a file or directory without replacing another.  Returns 0, or -1 with
 * errno EEXIST if the name is taken.
 */
static int
rename_new(const char *from, const char *to)
{
	struct stat st, taken;

	if (lstat(from, &st) == -1)
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		if (link(from, to) == 0)
			return unlink(from);
		if (errno == EEXIST && lstat(to, &taken) == 0 &&
		    taken.st_dev == st.st_dev && taken.st_ino == st.st_ino)
			return unlink(from); /* was killed before unlink */
		if (errno != EPERM && errno != EOPNOTSUPP)
			return -1;
	}
	if (lstat(to, &taken) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

void
job_training_log_keep(
    const struct job_task *t, uint32_t attempt, uint32_t restart)
{
	int again = attempt == t->attempt;
	char *place[3], *kept;
	size_t n = again ? run_places(t, place) : own_places(t, place);

	while (n-- > 0) {
		kept = again ? aside_run(place[n], attempt, restart)
			     : aside(place[n], attempt);
		rename_new(place[n], kept);
		free(kept);
		free(place[n]);
	}
}

char *
job_training_log_kept_run(const struct store_job *job,
    const struct store_row *row, const char *const *values)
{
	struct job_task t = {
	    job, row->task, row->attempt, values, .code = row->code};
	char *place[3], *path = NULL;
	size_t n = run_places(&t, place);

	while (n-- > 0) {
		if (path == NULL)
			path = if_there(
			    aside_run(place[n], row->attempt, row->restart));
		free(place[n]);
	}
	return path;
}

char *
job_training_log_kept(const struct store_job *job, const struct store_row *row,
    const char *const *values, int in_place)
{
	struct job_task t = {
	    job, row->task, row->attempt, values, .code = row->code};
	char *place[2], *path = NULL;
	size_t n = job_training_log_has_begun(row) ? own_places(&t, place) : 0;

	while (n-- > 0) {
		if (path == NULL)
			path = if_guessed(aside(place[n], row->attempt));
		if (path == NULL && in_place)
			path = if_guessed(xstrdup(place[n]));
		free(place[n]);
	}
	return path != NULL ? path : if_there(job_argv_metrics(&t));
}

/* ---- files in the way of a log ---- */

/*
 * List the paths where other trainings may have left files: where the task's
 * log will be, and where the log of this run will be kept later.  Returns how
 * many there are, at most six, to free; the first *logs are paths of the log.
 */
static size_t
left_places(const struct job_task *t, char *left[6], size_t *logs)
{
	size_t n = own_places(t, left), i;

	*logs = n;
	for (i = 0; i < *logs; i++) {
		left[n++] = aside(left[i], t->attempt);
		left[n++] = aside_run(left[i], t->attempt, t->restart);
	}
	return n;
}

int
job_training_log_is_taken(const struct job_task *t)
{
	char *left[6];
	size_t logs, n = left_places(t, left, &logs);
	int taken = 0;

	while (n-- > 0) {
		taken |= fs_exists(left[n]);
		free(left[n]);
	}
	return taken;
}

/*
 * Rename the file or directory path, which is place or below it, adding
 * ".before-" and the job's id to place.  Returns the new name of place, to
 * free, or NULL with errno.
 */
static char *
put_aside(const struct job_task *t, const char *place, const char *path)
{
	char *to = xasprintf("%s.before-%s", place, t->job->id), *whole;
	char *parent;
	unsigned n = 0;
	int rc, reason;

	for (;;) {
		whole = xasprintf("%s%s", to, path + strlen(place));
		parent = xstrndup(whole, (size_t)(fs_base(whole) - whole));
		rc = path != place ? fs_make_dirs(parent, NULL) : 0;
		if (rc == 0)
			rc = rename_new(path, whole);
		reason = errno;
		free(parent);
		free(whole);
		if (rc == 0)
			return to;
		free(to);
		errno = reason;
		if (reason != EEXIST)
			return NULL;
		to = xasprintf("%s.before-%s.%u", place, t->job->id, ++n);
	}
}

/* Rename the logs in a directory as put_aside does; other files stay. */
static char *
put_files_aside(const struct job_task *t, const char *place)
{
	struct record_files files;
	char *to = NULL;
	size_t i, count;
	int reason;

	do {
		errno = 0;
		record_files_list(&files, place, NULL);
		reason = errno != 0 ? errno : ENOENT;
		count = files.count;
		for (i = 0; i < files.count && count > 0; i++) {
			free(to);
			to = put_aside(t, place, files.file[i].path);
			if (to == NULL) {
				reason = errno;
				count = 0;
			}
		}
		record_files_free(&files);
	} while (count > 0);
	errno = reason;
	return to;
}

void
job_training_log_set_aside(
    const struct job_task *t, int is_first, struct strlist *notes)
{
	char *left[6], *to, *top = store_job_place_of(t->job, t->code);
	size_t logs, n = left_places(t, left, &logs), i;
	const char *shown;

	for (i = 0; i < n; i++) {
		if (i >= logs || is_first) {
			to = i < logs && job_training_log_is_directory(left[i])
			    ? put_files_aside(t, left[i])
			    : put_aside(t, left[i], left[i]);
			shown = fs_from(top, left[i]);
			if (to != NULL)
				strlist_take(notes,
				    xasprintf("%s was there before: now %s",
					shown, fs_base(to)));
			else if (!fs_says_absent(errno))
				strlist_take(notes,
				    xasprintf("%s was there before, and is in "
					      "the way: %s",
					shown, strerror(errno)));
			free(to);
		}
		free(left[i]);
	}
	free(top);
}

/* ---- reading a log outside a reconcile pass ---- */

enum { PIECE = 1 << 20 };

struct record_pattern *
job_training_log_pattern(
    const struct store_job *job, const char *path, const char *output)
{
	const struct strlist *regex = &job->metrics_regex;

	if (regex->count == 0 && (output == NULL || strcmp(path, output) != 0))
		return NULL;
	return record_pattern_new(
	    (const char *const *)regex->word, regex->count, NULL);
}

struct metrics_request
job_training_log_request(
    const struct store_job *job, const struct record_pattern *pattern)
{
	struct metrics_request request = {
	    job->metric, METRICS_GOAL_BY_NAME, pattern};

	if (job->goal != NULL)
		request.goal =
		    strcmp(job->goal, "max") == 0 ? METRICS_MAX : METRICS_MIN;
	return request;
}

/* Read one piece of a log.  Returns 1 if there may be more, 0, or -1. */
static int
feed(const struct metrics_request *request, const char *path,
    struct metrics_summary *m, struct error *e)
{
	uint64_t before = m->offset;
	struct stat st;
	size_t length;
	char *bytes;
	int rc;

	if (fs_read_from(path, before, PIECE, &bytes, &length, &st, e) == -1)
		return -1;
	if ((uint64_t)st.st_size < before) { /* it was started over */
		metrics_summary_reset(m);
		free(bytes);
		return 1;
	}
	rc = metrics_summary_read(m, request, bytes, length, 0, NULL);
	free(bytes);
	return rc == 1 || (rc == 0 && length == PIECE && m->offset > before);
}

/* The function of a struct metrics_request. */
struct follower {
	void (*epoch)(void *arg, const struct metrics_summary *);
	void *arg;
};

static int
read_file(const struct store_job *job, const char *path, const char *output,
    const struct follower *f, struct metrics_summary *m, struct error *e)
{
	struct record_pattern *pattern =
	    job_training_log_pattern(job, path, output);
	struct metrics_request request = job_training_log_request(job, pattern);
	char *marks = NULL;
	double time;
	int rc;

	request.epoch = f->epoch;
	request.arg = f->arg;
	errno = 0;
	if (job_training_log_is_directory(path)) {
		/* Read everything: nothing here keeps marks of the files. */
		metrics_summary_reset(m);
		rc = job_tensorboard_log_read(
		    path, &request, 0, &marks, m, &time, e);
	} else {
		while ((rc = feed(&request, path, m, e)) == 1)
			continue;
	}
	if (rc == -1)
		rc = fs_says_absent(errno) ? 0 : -1;
	else
		rc = 1;
	free(marks);
	record_pattern_free(pattern);
	return rc;
}

int
job_training_log_read_file(const struct store_job *job, const char *path,
    const char *output, struct metrics_summary *m, struct error *e)
{
	return read_file(
	    job, path, output, &(struct follower){NULL, NULL}, m, e);
}

int
job_training_log_follow(const struct job_task *t, struct metrics_summary *m,
    void (*epoch)(void *arg, const struct metrics_summary *), void *arg,
    struct error *e)
{
	const struct store_row row = {.task = t->task,
	    .attempt = t->attempt,
	    .facts = STORE_HAS_S,
	    .log = (char *)(uintptr_t)t->log};
	char *path = job_training_log_find(t->job, &row, t->value);
	int rc = 0;

	if (path != NULL)
		rc = read_file(t->job, path,
		    job_training_log_output(t->job, &row),
		    &(struct follower){epoch, arg}, m, e);
	free(path);
	return rc;
}

int
job_training_log_read(
    const struct job_task *t, struct metrics_summary *m, struct error *e)
{
	int rc;
	struct store_row row = {.task = t->task,
	    .attempt = t->attempt,
	    .facts = STORE_HAS_S,
	    .log = t->job->metrics_regex.count > 0 ? (char *)(uintptr_t)t->log
						   : NULL};
	char *path = job_training_log_find(t->job, &row, t->value);

	if (path == NULL)
		return 0;
	rc = job_training_log_read_file(t->job, path, NULL, m, e);
	free(path);
	return rc;
}

/* Return the last epoch logged, with the objective if there is one. */
static double
reached(const struct metrics_summary *m)
{
	return m->column == METRICS_NONE ? m->epoch : m->last_epoch;
}

int
job_training_log_has_epoch(const struct metrics_summary *m)
{
	if (m->columns == 0)
		return 0;
	return m->column == METRICS_NONE ? m->epochs > 0 : m->values > 0;
}

int
job_training_log_went_on(
    const struct metrics_summary *earlier, const struct metrics_summary *now)
{
	if (!job_training_log_has_epoch(now))
		return 0;
	return !job_training_log_has_epoch(earlier) ||
	    reached(now) > reached(earlier);
}

/* Return the value of a hyperparameter as a number, or 0. */
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

/* Return how many epochs the task is to train, or 0. */
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
job_training_log_is_complete(
    const struct job_task *t, const struct metrics_summary *m)
{
	double epochs = epochs_of(t);

	if (epochs <= 0 || !job_training_log_has_epoch(m))
		return 0;
	return metrics_epochs_done(m->first, reached(m),
		   metrics_summary_has_fractions(m)) >= epochs;
}

char *
job_output(const struct store_job *job, const struct store_row *row)
{
	char *path;

	if (row->log != NULL)
		return xstrdup(row->log);
	if (row->array == -1)
		return NULL;
	/* A task that could not start has not recorded its log. */
	path = xasprintf("%s/log/%" PRId64 "_%" PRId64 ".log", job->path,
	    row->array, row->index);
	if (fs_exists(path))
		return path;
	free(path);
	return NULL;
}
