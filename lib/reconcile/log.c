#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/checkpoint-dir.h"
#include "job/tensorboard-log.h"
#include "job/training-log.h"
#include "metrics/reader.h"
#include "reconcile/private.h"
#include "state/eta.h"
#include "state/history.h"
#include "state/search.h"
#include "store/job.h"

enum { PIECE = 8 << 20, OVERLAP = 64, LOGS = 5 };

/* Report that points cannot be read; unless damaged, they may be later. */
static void
note_points(struct job_pass *s, const struct error *why)
{
	s->points_due = why->number != 0 && why->code != ERROR_DAMAGED &&
	    why->code != ERROR_ABSENT;
	strlist_push(&s->table->damaged, why->text);
}

/* Return the point of a task, or NULL if it cannot be read. */
const char *const *
reconcile_point(void *arg, uint64_t task)
{
	struct job_pass *s = arg;
	const char *const *value;
	struct error why;

	if (s->points == NULL && !s->points_tried) {
		s->points = job_points_open(s->job, &why);
		if (s->points == NULL)
			note_points(s, &why);
	}
	s->points_tried = 1;
	if (s->points == NULL)
		return NULL;
	value = job_points_of(s->points, store_table_row(s->table, task), &why);
	if (value == NULL && !s->points_bad)
		note_points(s, &why);
	s->points_bad |= value == NULL;
	return value;
}

/* Report an unreadable log; a few are enough, as one bad disk has many. */
static void
note_log(struct job_pass *s, const struct error *why)
{
	if (s->logs_unread++ < LOGS)
		strlist_push(&s->table->damaged, why->text);
}

int
reconcile_carry(struct job_pass *s, const struct task_pass *v)
{
	struct store_row *row = v->row;
	struct job_task t = {
	    .job = s->job, .task = row->task, .attempt = row->attempt};
	struct error why;

	if (v->chunk == NULL || !v->chunk->resume ||
	    v->chunk->attempt != row->attempt || row->metrics.continues != 0)
		return 0;
	if (s->job->metrics != NULL)
		t.value = reconcile_point(s, row->task);
	if (s->job->metrics != NULL && t.value == NULL)
		return s->points_due ? -1 : 0;
	t.code = v->chunk->code;
	t.origin = job_checkpoint_origin(&s->chunks, row->task, row->attempt);
	if (job_history_carry(&t, 1, &row->metrics, &why) == -1) {
		note_log(s, &why);
		return -1;
	}
	row->metrics_inode = -1;
	free(row->metrics_marks);
	row->metrics_marks = NULL;
	return 0;
}

/* Return how many bytes before the offset are read again. */
static size_t
overlap(uint64_t offset)
{
	return offset < OVERLAP ? (size_t)offset : OVERLAP;
}

/*
 * Return whether the log continues what was read before: a training that
 * started over may have replaced the log, or written over it.
 */
static int
goes_on(const struct store_row *row, const char *bytes, size_t length,
    const struct stat *st)
{
	size_t before = overlap(row->metrics.offset);

	if (length < before)
		return 0;
	return row->metrics_inode == -1 ||
	    (row->metrics_inode == (int64_t)st->st_ino &&
		row->metrics_check == fs_crc32c(bytes, before));
}

/*
 * Read one piece of the log.  Returns 1 if there may be more, 0, or -1.  *st is
 * set to the state of the log if there is one.
 */
static int
read_piece(const struct metrics_request *request, struct store_row *row,
    int ended, struct stat *st, struct error *e)
{
	struct metrics_summary *m = &row->metrics;
	uint64_t before = m->offset, from = before - overlap(before);
	size_t length, old;
	char *bytes;
	int rc;

	st->st_mode = 0;
	if (fs_read_from(
		row->metrics_path, from, PIECE, &bytes, &length, st, e) == -1)
		return -1;
	if (!goes_on(row, bytes, length, st)) {
		metrics_summary_reset(m);
		row->metrics_inode = -1;
		free(bytes);
		return 1;
	}
	old = overlap(before);
	rc = metrics_summary_read(
	    m, request, bytes + old, length - old, ended && length < PIECE, e);
	if (rc == 1) {
		row->metrics_inode = -1;
		free(bytes);
		return 1;
	}
	row->metrics_inode = (int64_t)st->st_ino;
	row->metrics_check =
	    fs_crc32c(bytes + (m->offset - from) - overlap(m->offset),
		overlap(m->offset));
	free(bytes);
	if (rc == -1)
		return error_prefix(e, row->metrics_path);
	return length == PIECE && m->offset > before;
}

/*
 * Read the new part of the log.  reached takes the values at the rungs, or is
 * NULL.  Returns 0, or -1 with a reason that begins with a path; e->number is
 * ENOENT if the log is gone.
 */
static int
read_log(struct job_pass *s, struct store_row *row,
    const struct record_pattern *pattern, struct job_search_reader *reached,
    int ended, double *time, struct error *e)
{
	struct metrics_request request =
	    job_training_log_request(s->job, pattern);
	struct stat st;
	int more;

	if (reached != NULL) {
		request.epoch = job_search_epoch;
		request.arg = reached;
	}
	do
		more = read_piece(&request, row, ended, &st, e);
	while (more == 1);
	if (more == -1 && S_ISDIR(st.st_mode))
		return job_tensorboard_log_read(row->metrics_path, &request,
		    ended, &row->metrics_marks, &row->metrics, time, e);
	if (st.st_mode != 0)
		*time = fs_written(&st);
	return more;
}

/*
 * Read the new part of the log of a search as read_log does.  A last line
 * without its end may be half a line, so that it tells no value at a rung.
 */
static int
read_searched(struct job_pass *s, struct store_row *row,
    const struct record_pattern *pattern, struct job_search_reader *reached,
    int ended, double *time, struct error *e)
{
	int rc = read_log(s, row, pattern, reached, 0, time, e);

	if (rc == -1 || !ended)
		return rc;
	job_search_epoch(reached, &row->metrics);
	return read_log(s, row, pattern, NULL, 1, time, e);
}

/* Forget what was read of the log, so that the next pass reads all of it. */
static void
read_again(struct store_row *row)
{
	metrics_summary_reset(&row->metrics);
	row->metrics_inode = -1;
	free(row->metrics_marks);
	row->metrics_marks = NULL;
}

/*
 * Record the values at the rungs that the log has reached.  One that cannot be
 * recorded must be found again, because only the log has it.
 */
static void
record_rungs(
    struct job_pass *s, struct store_row *row, struct job_search_reader *r)
{
	struct store_fact fact = {row->task, row->attempt, row->restart, ""};
	struct store_fact_body body = store_fact_body();
	struct error why;
	size_t i;

	body.time = s->pass->now;
	body.offset = (int64_t)row->metrics.offset;
	for (i = 0; i < r->count && !s->pass->looks; i++) {
		store_fact_set_rung(&fact, r->rung[i]);
		if (store_fact_publish(s->job, &fact, &body, &why) == -1) {
			strlist_push(&s->table->damaged, why.text);
			read_again(row);
			row->facts |= STORE_LOG_DUE;
			s->search_due = 1;
			break;
		}
		job_rungs_add(&row->rungs, &fact);
	}
}

void
reconcile_note_logs(struct job_pass *s)
{
	if (s->logs_unread > LOGS)
		strlist_take(&s->table->damaged,
		    xasprintf("%" PRIu64 " more logs cannot be read",
			s->logs_unread - LOGS));
}

/*
 * Return the pattern for a row's log, or NULL, kept until the end of the pass.
 * A log whose output was read before begins at its first byte.
 */
static const struct record_pattern *
pattern_of(struct job_pass *s, struct store_row *row)
{
	const char *output = job_training_log_output(s->job, row);

	if (s->pattern == NULL)
		s->pattern =
		    job_training_log_pattern(s->job, row->metrics_path, output);
	if (s->job->metrics_regex.count > 0 ||
	    (output != NULL && strcmp(row->metrics_path, output) == 0))
		return s->pattern;
	if (row->metrics.format == RECORD_TEXT) {
		metrics_summary_reset(&row->metrics);
		row->metrics_inode = -1;
	}
	return NULL;
}

void
reconcile_read_log(struct job_pass *s, struct store_row *row, int ended)
{
	struct metrics_summary before;
	const struct record_pattern *pattern;
	const char *const *point = NULL;
	struct error why;
	struct job_search_reader reached = {.search = &s->search,
	    .task = row->task,
	    .is_later = row->attempt > 0 || row->restart > 0,
	    .known = row->rungs};
	double time = 0;
	char *path;
	int rc, number, guesses;
	int is_new = row->metrics_path == NULL ||
	    job_training_log_is_guessed(s->job, &row->metrics);

	if (is_new && s->job->metrics != NULL) /* part of the log's name */
		point = reconcile_point(s, row->task);
	if (is_new && (point != NULL || s->job->metrics == NULL)) {
		path = job_training_log_find(s->job, row, point);
		free(row->metrics_path);
		row->metrics_path = path;
	}
	row->facts &= ~STORE_LOG_DUE;
	if (row->metrics_path == NULL) {
		if (ended && s->job->metrics != NULL && s->points_due)
			row->facts |= STORE_LOG_DUE;
		return;
	}
	pattern = pattern_of(s, row);
	before = row->metrics;
	guesses = pattern != NULL && record_pattern_names(pattern)->count == 0;
	rc = s->searches
	    ? read_searched(s, row, pattern, &reached, ended, &time, &why)
	    : read_log(s, row, pattern, NULL, ended, &time, &why);
	number = rc == -1 ? why.number : 0;
	job_eta_note(row, &before, time);
	if (ended && number != 0 && number != ENOENT)
		row->facts |= STORE_LOG_DUE;
	record_rungs(s, row, &reached);
	job_search_reader_free(&reached);
	/* An output may have any bytes. */
	if (rc == -1 && number != ENOENT && !(guesses && number == 0))
		note_log(s, &why);
	/*
	 * The new log cannot be read, or is an output without metrics so far:
	 * look for it again in the next pass.
	 */
	if ((rc == -1 && number != 0 && is_new) ||
	    (guesses && row->metrics.columns == 0)) {
		free(row->metrics_path);
		row->metrics_path = NULL;
	}
}

void
reconcile_look_at_log(const struct store_job *job, struct store_table *table,
    struct store_row *row)
{
	struct reconcile pass = {.looks = 1};
	/* The next pass reports a log that cannot be read. */
	struct job_pass s = {
	    .pass = &pass, .job = job, .table = table, .logs_unread = LOGS};

	reconcile_read_log(&s, row, 0);
	job_points_free(s.points);
	record_pattern_free(s.pattern);
}
