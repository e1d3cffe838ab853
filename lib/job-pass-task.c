#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job-fact.h"
#include "job-pass-own.h"
#include "xalloc.h"

const struct store_chunk *
pass_chunk(const struct scene *s, uint64_t task)
{
	uint32_t i = s->chunk_of[task];

	return i > 0 ? &s->chunks.chunk[i - 1] : NULL;
}

/*
 * For each task the chunk of the newest attempt that holds it.  The parts of
 * one that was cut stand behind it.
 */
void
pass_map_chunks(struct scene *s)
{
	const struct store_chunk *c, *old;
	uint64_t k, t;
	size_t i;

	s->chunk_of = xcalloc(s->fold->count + 1, sizeof *s->chunk_of);
	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		for (k = 0; k < c->tasks.count; k++)
			for (t = c->tasks.run[k].first;
			     t <= c->tasks.run[k].last && t < s->fold->count;
			     t++) {
				old = pass_chunk(s, t);
				if (!store_chunk_gave_up(&s->chunks, c, t) &&
				    (old == NULL || c->attempt >= old->attempt))
					s->chunk_of[t] = (uint32_t)i + 1;
			}
	}
}

const struct queue_record *
pass_record(struct scene *s, const struct store_chunk *c, uint64_t task)
{
	if (s->pass->queue == NULL || c == NULL || c->array == 0)
		return NULL;
	return s->pass->slurm->record(s, c, task);
}

static int
is_newer(uint32_t attempt, uint32_t restart, const struct store_row *row)
{
	return attempt > row->attempt ||
	    (attempt == row->attempt && restart > row->restart);
}

/* Forget the run before; its training log goes on within an attempt. */
static void
begin_run(struct store_row *row, uint32_t attempt, uint32_t restart)
{
	struct store_row fresh;

	store_row_clear(&fresh, row->task);
	fresh.attempt = attempt;
	fresh.restart = restart;
	if (attempt == row->attempt) {
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
forget_facts(struct view *v)
{
	v->start = v->back = v->end = v->judged = NULL;
}

/* Take the facts of the row's run from the sorted list. */
static void
take_facts(struct scene *s, struct view *v)
{
	const struct store_fact *f;

	forget_facts(v);
	for (; s->next_fact < s->facts.count; s->next_fact++) {
		f = &s->facts.fact[s->next_fact];
		if (f->task > v->row->task)
			return;
		if (f->task < v->row->task)
			continue;
		if (is_newer(f->attempt, f->restart, v->row)) {
			begin_run(v->row, f->attempt, f->restart);
			forget_facts(v);
		}
		if (f->attempt != v->row->attempt ||
		    f->restart != v->row->restart)
			continue;
		if (f->kind[0] == 'S')
			v->start = f;
		else if (f->kind[0] == 'Q')
			v->back = f;
		else if (f->kind[0] == 'E')
			v->end = f;
		else if (v->judged == NULL ||
		    job_truth_outranks(f->kind + 1, v->judged->kind + 1))
			v->judged = f;
	}
}

void
pass_look(struct scene *s, struct store_row *row, struct view *v)
{
	uint32_t restarts;

	v->row = row;
	v->chunk = pass_chunk(s, row->task);
	v->record = pass_record(s, v->chunk, row->task);
	v->past = NULL;
	take_facts(s, v);
	if (v->chunk == NULL)
		return;
	restarts = v->record ? (uint32_t)v->record->restarts : 0;
	if (is_newer(v->chunk->attempt, restarts, row)) {
		begin_run(row, v->chunk->attempt, restarts);
		forget_facts(v);
	}
	if (v->chunk->attempt == row->attempt && v->chunk->array != 0) {
		row->array = v->chunk->array;
		row->index =
		    (int64_t)ranges_position(&v->chunk->tasks, row->task);
	}
}

/* Whether what the fact says is in the row already. */
int
pass_knows(const struct store_row *row, const struct store_fact *f, int flag)
{
	if ((row->facts & flag) == 0)
		return 0;
	return flag != STORE_HAS_X || row->slurm == NULL ||
	    !job_truth_outranks(f->kind + 1, row->slurm);
}

/*
 * A fact that is damaged still counts by its name; one that could not be read
 * is -1, and does not count yet.
 */
static int
read_fact(struct scene *s, struct store_row *row, const struct store_fact *f,
    int flag)
{
	struct store_fact_body body;
	struct error why;

	if (f == NULL || pass_knows(row, f, flag))
		return 0;
	if (store_facts_read(s->job, &s->facts, f, &body, &why) == -1) {
		words_push(&s->fold->damaged, why.text);
		if (errno != EBADMSG) {
			s->unread = 1;
			return -1;
		}
	}
	job_fact_take(row, f, &body);
	store_fact_body_free(&body);
	return 0;
}

/*
 * All that is new; -1 when something could not be read: judge it later.  The
 * end comes last: a row that has it also has the state that follows.
 */
int
pass_read_facts(struct scene *s, const struct view *v)
{
	if (read_fact(s, v->row, v->start, STORE_HAS_S) == -1 ||
	    read_fact(s, v->row, v->back, STORE_HAS_Q) == -1 ||
	    read_fact(s, v->row, v->judged, STORE_HAS_X) == -1)
		return -1;
	return read_fact(s, v->row, v->end, STORE_HAS_E);
}
