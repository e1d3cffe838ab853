#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "reconcile/private.h"
#include "state/apply-fact.h"
#include "state/search.h"
#include "store/load.h"
#include "store/policy.h"

const struct store_chunk *
reconcile_chunk(const struct job_pass *s, uint64_t task)
{
	uint32_t i = s->chunk_of[task];

	return i > 0 ? &s->chunks.chunk[i - 1] : NULL;
}

/*
 * Map each task to the chunk of its newest attempt.  The halves of a cut chunk
 * come after it in the list, so they win.
 */
void
reconcile_map_chunks(struct job_pass *s)
{
	const struct store_chunk *c, *old;
	uint64_t k, t;
	size_t i;

	s->chunk_of = xcalloc(s->table->count + 1, sizeof *s->chunk_of);
	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		for (k = 0; k < c->tasks.count; k++)
			for (t = c->tasks.run[k].first;
			     t <= c->tasks.run[k].last && t < s->table->count;
			     t++) {
				old = reconcile_chunk(s, t);
				if (!store_chunk_gave_up(&s->chunks, c, t) &&
				    (old == NULL || c->attempt >= old->attempt))
					s->chunk_of[t] = (uint32_t)i + 1;
			}
	}
}

const struct queue_record *
reconcile_record(struct job_pass *s, const struct store_chunk *c, uint64_t task)
{
	if (s->pass->queue == NULL || c == NULL || c->array == 0)
		return NULL;
	return s->pass->slurm->record(s, c, task);
}

int
reconcile_is_astray(const struct task_pass *v)
{
	return v->chunk == NULL ? v->row->array != -1
				: v->chunk->attempt < v->row->attempt;
}

/* Reset the row for a new run; runs of one attempt share a training log. */
static void
begin_run(struct store_row *row, struct store_run run)
{
	struct store_row fresh;

	store_row_clear(&fresh, row->task);
	fresh.rungs = row->rungs; /* those of all runs */
	fresh.point = row->point;
	fresh.sampler = row->sampler;
	row->rungs = row->point = row->sampler = NULL;
	fresh.attempt = run.attempt;
	fresh.restart = run.restart;
	if (run.attempt == row->attempt) {
		fresh.metrics = row->metrics;
		fresh.metrics_inode = row->metrics_inode;
		fresh.metrics_check = row->metrics_check;
		fresh.metrics_path = row->metrics_path;
		fresh.metrics_marks = row->metrics_marks;
		row->metrics_path = row->metrics_marks = NULL;
		fresh.epoch_time = row->epoch_time;
		fresh.pace = row->pace;
		row->pace = NULL;
	}
	store_row_free(row);
	*row = fresh;
}

static void
forget(struct new_fact *news)
{
	store_fact_body_free(&news->body);
	*news = (struct new_fact){.body = store_fact_body()};
}

static void
forget_facts(struct task_pass *v)
{
	forget(&v->start);
	forget(&v->back);
	forget(&v->end);
	forget(&v->judged);
}

/* Return whether the row has taken in what the fact says. */
int
reconcile_knows(
    const struct store_row *row, const struct store_fact *f, int flag)
{
	if ((row->facts & flag) == 0)
		return 0;
	return flag != STORE_HAS_X || row->slurm == NULL ||
	    !state_outranks(f->kind + 1, row->slurm);
}

/*
 * Read a fact.  Returns 1, or 0 if it does not count.
 *
 * A damaged fact counts by its name; it is read in each pass, but reported only
 * in the first.  A fact of another job or task was never written under this
 * name.  A fact that cannot be read now does not count yet.
 */
static int
read_fact(struct job_pass *s, struct task_pass *v, struct new_fact *news)
{
	struct error why;

	if (store_facts_read(
		s->job, &s->facts, news->fact, &news->body, &why) == 0)
		return 1;
	news->damaged = why.code == ERROR_DAMAGED;
	if (!news->damaged || !news->known)
		strlist_push(&s->table->damaged, why.text);
	if (news->damaged)
		return 1;
	if (why.code != ERROR_FOREIGN)
		s->unread = v->unread = 1;
	return 0;
}

/* Return where a fact belongs, or NULL if a better one is there. */
static struct new_fact *
place_of(struct task_pass *v, const struct store_fact *f)
{
	switch (f->kind[0]) {
	case 'S':
		return &v->start;
	case 'Q':
		return &v->back;
	case 'E':
		return &v->end;
	}
	return v->judged.fact == NULL ||
		state_outranks(f->kind + 1, v->judged.fact->kind + 1)
	    ? &v->judged
	    : NULL;
}

/* Return whether the run is done as by job_fact_is_done, with new facts. */
static int
is_done(const struct task_pass *v)
{
	if (v->end.fact == NULL)
		return job_fact_is_done(v->row);
	return v->back.fact == NULL && (v->row->facts & STORE_HAS_Q) == 0 &&
	    !v->end.damaged && job_fact_is_success(v->end.fact, &v->end.body);
}

/* Read a fact of another run; return whether the row is now of that run. */
static int
take_run(
    struct job_pass *s, struct task_pass *v, struct new_fact *news, int order)
{
	const struct store_fact *f = news->fact, *at;
	const struct store_fact *end = s->facts.fact + s->facts.count;

	if (order > 0 && f->attempt == v->row->attempt && is_done(v))
		return 0;
	/* An earlier run of the attempt may turn out to be done. */
	if (order < 0 &&
	    (f->attempt != v->row->attempt || job_fact_code(f) != 0))
		return 0;
	for (at = f; order < 0 && at < end && at->task == f->task; at++)
		if (at->kind[0] == 'Q' &&
		    store_run_compare(STORE_RUN(at), STORE_RUN(f)) == 0)
			return 0;
	if (!read_fact(s, v, news))
		return 0;
	if (order < 0 &&
	    (news->damaged || !job_fact_is_success(f, &news->body))) {
		forget(news);
		return 0;
	}
	begin_run(v->row, STORE_RUN(f));
	forget_facts(v);
	return 1;
}

static void
take_fact(struct job_pass *s, struct task_pass *v, const struct store_fact *f)
{
	int order = store_run_compare(STORE_RUN(f), STORE_RUN(v->row));
	struct new_fact news = {.fact = f}, *place;

	if (order != 0) {
		if (!take_run(s, v, &news, order))
			return;
	} else {
		news.known = reconcile_knows(v->row, f, job_fact_flag(f));
		if (news.known && (v->row->facts & STORE_FACT_DUE) == 0)
			return;
		if (!read_fact(s, v, &news))
			return;
	}
	place = place_of(v, f);
	if (place == NULL) {
		forget(&news);
		return;
	}
	forget(place);
	*place = news;
}

const struct store_fact *
reconcile_next_search(const struct job_pass *s, uint64_t task)
{
	const struct store_fact *f = s->facts.search + s->next_search;

	return s->next_search < s->facts.search_count && f->task == task ? f
									 : NULL;
}

int
reconcile_knows_search(const struct store_row *row, const struct store_fact *f)
{
	return store_fact_rung(f, NULL) ? job_rungs_know(row->rungs, f)
					: job_point_is_known(row->point, f);
}

/* Take in the point of a fact, and the sampler unless it is that of the job. */
static void
take_point(struct job_pass *s, struct store_row *row,
    const struct store_fact *f, const struct store_fact_body *body)
{
	if (job_point_is_known(row->point, f))
		return;
	job_point_take(&row->point, f, body);
	free(row->sampler);
	row->sampler =
	    text_same(body->sampler, store_job_search(s->job)->sampler)
	    ? NULL
	    : xcopy(body->sampler);
}

/*
 * Take in the facts of the search.  A damaged record of a rung counts by its
 * name, which has the value; one that cannot be read now does not count yet.
 */
static void
take_search(struct job_pass *s, struct store_row *row)
{
	const struct store_fact *f;
	struct store_fact_body body;
	struct error why;

	for (; (f = reconcile_next_search(s, row->task)) != NULL;
	     s->next_search++) {
		if (reconcile_knows_search(row, f))
			continue;
		if (store_facts_read(s->job, &s->facts, f, &body, &why) == 0) {
			job_rungs_add(&row->rungs, f);
			take_point(s, row, f, &body);
			store_fact_body_free(&body);
			continue;
		}
		strlist_push(&s->table->damaged, why.text);
		if (why.code == ERROR_DAMAGED)
			job_rungs_add(&row->rungs, f);
		else if (why.code != ERROR_FOREIGN)
			s->unread = s->search_due = 1;
	}
}

void
reconcile_task_look(
    struct job_pass *s, struct store_row *row, struct task_pass *v)
{
	const struct new_fact none = {.body = store_fact_body()};
	const struct store_fact *f;
	struct store_run run;

	*v = (struct task_pass){.row = row,
	    .chunk = reconcile_chunk(s, row->task),
	    .start = none,
	    .back = none,
	    .end = none,
	    .judged = none};
	v->record = reconcile_record(s, v->chunk, row->task);
	for (; s->next_fact < s->facts.count; s->next_fact++) {
		f = &s->facts.fact[s->next_fact];
		if (f->task > row->task)
			break;
		if (f->task == row->task)
			take_fact(s, v, f);
	}
	take_search(s, row);
	if (reconcile_is_astray(v)) /* it is of an earlier attempt */
		v->record = NULL;
	if (v->chunk == NULL)
		return;
	run.attempt = v->chunk->attempt;
	run.restart = v->record ? (uint32_t)v->record->restarts : 0;
	if (store_run_compare(run, STORE_RUN(row)) > 0 &&
	    !(run.attempt == row->attempt && is_done(v))) {
		begin_run(row, run);
		forget_facts(v);
	}
	if (v->chunk->attempt == row->attempt && v->chunk->array != 0) {
		row->array = v->chunk->array;
		row->index = store_chunk_index(v->chunk, row->task);
		row->code = v->chunk->code > 0 ? v->chunk->code : -1;
	}
}

/*
 * The end comes last, since it is better evidence than the other facts.  While
 * one fact is damaged, facts taken in before are not taken in again.
 */
int
reconcile_take_facts(struct task_pass *v)
{
	struct new_fact *news[] = {&v->start, &v->back, &v->judged, &v->end};
	size_t count = sizeof news / sizeof *news, i;
	int some = 0, damaged = 0;

	for (i = 0; i < count; i++) {
		some |= news[i]->fact != NULL;
		damaged |= news[i]->damaged;
	}
	if (some && !v->unread)
		v->row->facts &= ~STORE_FACT_DUE;
	for (i = 0; i < count && !v->unread; i++)
		if (news[i]->fact != NULL && !(damaged && news[i]->known)) {
			v->used |= news[i]->body.usage != NULL;
			job_fact_take(v->row, news[i]->fact, &news[i]->body);
		}
	if (damaged && !v->unread)
		v->row->facts |= STORE_FACT_DUE;
	forget_facts(v);
	return v->unread ? -1 : 0;
}
