#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/training-log.h"
#include "state/apply-fact.h"
#include "state/history.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/job.h"
#include "store/request.h"

/* The state of finding the earlier runs of a task. */
struct history {
	const struct store_job *job;
	const struct store_row *now;
	struct store_facts facts;
	struct store_chunks chunks;
	struct store_requests stops;
	struct job_history *out;
};

void
job_history_free(struct job_history *a)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		store_row_free(&a->row[i]);
	free(a->row);
	strlist_free(&a->damaged);
	memset(a, 0, sizeof *a);
}

/* Return the row of a run, inserted in order if it is new. */
static struct store_row *
row_of(struct history *h, struct store_run run)
{
	struct job_history *a = h->out;
	int order = 1;
	size_t at = 0;

	while (at < a->count &&
	    (order = store_run_compare(STORE_RUN(&a->row[at]), run)) < 0)
		at++;
	if (order == 0)
		return &a->row[at];
	a->row = xgrow(a->row, a->count, sizeof *a->row);
	memmove(a->row + at + 1, a->row + at, (a->count - at) * sizeof *a->row);
	a->count++;
	store_row_clear(&a->row[at], h->now->task);
	a->row[at].attempt = run.attempt;
	a->row[at].restart = run.restart;
	return &a->row[at];
}

/* Apply the facts of all earlier runs; a damaged fact counts by its name. */
static void
take_facts(struct history *h)
{
	const struct store_fact *f;
	struct store_fact_body body;
	struct store_row *row;
	struct error why;
	size_t i;

	for (i = 0; i < h->facts.count; i++) {
		f = &h->facts.fact[i];
		if (store_run_compare(STORE_RUN(f), STORE_RUN(h->now)) >= 0)
			continue;
		row = row_of(h, STORE_RUN(f));
		if (store_facts_read(h->job, &h->facts, f, &body, &why) == -1)
			strlist_push(&h->out->damaged, why.text);
		job_fact_take(row, f, &body);
		store_fact_body_free(&body);
	}
}

/* Return whether a chunk has, or will have, an attempt of the task. */
static int
is_of_task(const struct history *h, const struct store_chunk *c)
{
	return c->claim != STORE_WITHDRAWN && c->claim != STORE_CUT &&
	    idset_has(&c->tasks, h->now->task);
}

/* Add a row for each earlier attempt that was recorded. */
static void
take_chunks(struct history *h)
{
	const struct store_chunk *c;
	struct store_row *row;
	size_t i, k;

	for (i = 0; i < h->chunks.count; i++) {
		c = &h->chunks.chunk[i];
		if (!is_of_task(h, c) || c->attempt >= h->now->attempt)
			continue;
		row = row_of(h, (struct store_run){c->attempt, 0});
		row->array = c->array != 0 ? (int64_t)c->array : -1;
		row->index = store_chunk_index(c, h->now->task);
		for (k = 0; k < h->out->count; k++)
			if (h->out->row[k].attempt == c->attempt)
				h->out->row[k].code =
				    c->code > 0 ? c->code : -1;
	}
}

/* Return whether no later attempt ran in the copy of the code of run i. */
static int
was_last_there(const struct history *h, size_t i)
{
	const struct store_row *row = &h->out->row[i];
	const struct store_chunk *c;
	size_t k;

	for (k = 0; k < h->chunks.count; k++) {
		c = &h->chunks.chunk[k];
		if (is_of_task(h, c) && c->attempt > row->attempt &&
		    c->attempt <= h->now->attempt &&
		    c->code == (row->code > 0 ? row->code : 0))
			return 0;
	}
	return 1;
}

/* Return whether run i was requeued: the next run is of the same attempt. */
static int
was_put_back(const struct history *h, size_t i)
{
	const struct store_row *next =
	    i + 1 < h->out->count ? &h->out->row[i + 1] : h->now;

	return next->attempt == h->out->row[i].attempt;
}

/* Resolve how run i ended.  All that Slurm knew of it is recorded by now. */
static void
judge(const struct history *h, size_t i)
{
	struct store_row *row = &h->out->row[i];
	const struct store_request *stop =
	    state_stop(&h->stops, row->task, row->attempt);
	struct job_evidence e = {
	    .started = (row->facts & STORE_HAS_S) != 0,
	    .ended = (row->facts & STORE_HAS_E) != 0,
	    .judged = row->slurm,
	    .stop_asked = stop != NULL,
	    .why = stop != NULL ? stop->why : NULL,
	    .after = state_is_after(stop, row->end),
	    .packed = h->job->pack > 1,
	    .queued = 1,
	    .answered = 1,
	};

	if (was_put_back(h, i) && !e.ended) {
		row->state = STORE_SUBMITTED;
		row->cause = xstrdup(cause_words(CAUSE_RETURNED));
		return;
	}
	if (e.judged != NULL && !e.ended)
		e.exit_status = store_row_status(row);
	row->gone = 0;
	state_resolve(&e, row, NULL);
}

int
job_history_find(const struct store_job *job, const struct store_row *now,
    const char *const *values, struct job_history *out, struct error *e)
{
	struct history h = {.job = job, .now = now, .out = out};
	int rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	if (now->attempt == 0 && now->restart == 0)
		return 0;
	if (store_facts_of(job, now->task, &h.facts, e) == -1 ||
	    store_chunks_list(job, &h.chunks, e) == -1 ||
	    store_requests_list(job, STORE_STOPS, &h.stops, e) == -1)
		rc = -1;
	if (rc == 0) {
		strlist_copy(&out->damaged, &h.facts.damaged);
		strlist_copy(&out->damaged, &h.chunks.damaged);
		strlist_copy(&out->damaged, &h.stops.damaged);
		take_facts(&h);
		take_chunks(&h);
		for (i = 0; i < out->count; i++) {
			judge(&h, i);
			out->row[i].metrics_path = was_put_back(&h, i)
			    ? job_training_log_kept_run(
				  job, &out->row[i], values)
			    : job_training_log_kept(job, &out->row[i], values,
				  was_last_there(&h, i));
		}
	}
	store_facts_free(&h.facts);
	store_chunks_free(&h.chunks);
	store_requests_free(&h.stops);
	return rc;
}

int
job_history_logs(const struct job_task *t, struct strlist *out,
    struct strlist *printed, struct strlist *damaged, struct error *e)
{
	struct job_history earlier = {0};
	const struct store_row *row, *end;
	struct store_row now;
	const char *path;
	int rc = 0;

	store_row_clear(&now, t->task);
	now.attempt = t->attempt;
	if (t->origin < t->attempt)
		rc = job_history_find(t->job, &now, t->value, &earlier, e);
	end = earlier.row + earlier.count;
	for (row = earlier.row; row < end; row++) {
		path = row->metrics_path;
		if (path == NULL && t->job->metrics == NULL &&
		    row->log != NULL &&
		    (printed != NULL || t->job->metrics_regex.count > 0)) {
			path = row->log;
			if (printed != NULL)
				strlist_push(printed, path);
		} else if (row + 1 < end && row[1].attempt == row->attempt)
			continue; /* the next run did not continue this log */
		/* All runs of an attempt share one log. */
		if (path != NULL && row->attempt >= t->origin &&
		    (out->count == 0 ||
			strcmp(out->word[out->count - 1], path) != 0))
			strlist_push(out, path);
	}
	if (damaged != NULL)
		strlist_copy(damaged, &earlier.damaged);
	job_history_free(&earlier);
	return rc;
}

int
job_history_carry(const struct job_task *t, int guess,
    struct metrics_summary *m, struct error *e)
{
	struct metrics_summary before = {0}, log;
	struct strlist path = {0}, printed = {0};
	int rc = job_history_logs(t, &path, guess ? &printed : NULL, NULL, e);
	const char *log_path;
	size_t i;

	for (i = 0; rc == 0 && i < path.count; i++) {
		metrics_summary_continue(&log, &before);
		log_path = path.word[i];
		if (job_training_log_read_file(t->job, log_path,
			strlist_have(&printed, log_path) ? log_path : NULL,
			&log, e) == -1)
			rc = -1;
		else if (log.epochs > 0)
			before = log;
	}
	strlist_free(&path);
	strlist_free(&printed);
	if (rc == 0)
		metrics_summary_continue(m, &before);
	return rc;
}
