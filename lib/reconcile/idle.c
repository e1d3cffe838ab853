#include <stdio.h>
#include <string.h>

#include "reconcile/private.h"
#include "state/apply-fact.h"

/* Whether the task is trained: see job_fact_is_done. */
static int
is_done(const struct scene *s, const struct store_brief *b)
{
	int done;

	if (b->state != STORE_FINISHED)
		return 0;
	done = job_fact_is_done(store_fold_row(s->fold, b->task));
	store_fold_forget(s->fold, b->task);
	return done;
}

/* Whether a fact of another run may say more than is known. */
static int
is_other_run(const struct scene *s, const struct store_brief *b,
    const struct store_fact *f, int order)
{
	if (order > 0)
		return f->attempt != b->attempt || !is_done(s, b);
	return f->attempt == b->attempt && job_fact_code(f) == 0;
}

/* Whether a row that begins so does not know the fact. */
static int
is_news(const struct scene *s, const struct store_brief *b,
    const struct store_fact *f)
{
	int order = store_run_compare(STORE_RUN(f), STORE_RUN(b)), known;

	if (order != 0)
		return is_other_run(s, b, f, order);
	if ((job_fact_flag(f) & ~b->facts) != 0)
		return 1;
	if (job_fact_flag(f) != STORE_HAS_X)
		return 0;
	known = pass_knows(store_fold_row(s->fold, b->task), f, STORE_HAS_X);
	store_fold_forget(s->fold, b->task);
	return !known;
}

static int
has_new_fact(struct scene *s, const struct store_brief *b)
{
	const struct store_fact *f, *end = s->facts.fact + s->facts.count;

	while (s->next_fact < s->facts.count &&
	    s->facts.fact[s->next_fact].task < b->task)
		s->next_fact++;
	for (f = s->facts.fact + s->next_fact; f < end && f->task == b->task;
	     f++)
		if (is_news(s, b, f))
			return 1;
	return 0;
}

/*
 * What a task of the record says while it waits, made once for all of them;
 * which of them are held may differ.
 */
static void
note_cause(struct scene *s, const struct store_brief *b)
{
	struct found *f = &s->found;
	const char *reason;

	f->is_noted = s->orders.count == 0;
	f->waits = f->record->alive && *f->record->nodes == '\0' &&
	    strcmp(f->record->state_name, "PENDING") == 0;
	reason = pass_reason(s, f->chunk, f->record, b->task,
	    store_is_held(&s->orders, b->task, b->attempt));
	f->has_cause = reason != NULL;
	snprintf(f->cause, sizeof f->cause, "(%s)", reason ? reason : "");
}

/* Whether the task waits as it did, by Slurm's record, which was just found. */
static int
waits_on(struct scene *s, const struct store_brief *b,
    const struct store_chunk *c, const struct queue_record *r)
{
	struct found *f = &s->found;

	if (b->state != STORE_SUBMITTED || b->facts != 0 || r == NULL ||
	    c->attempt != b->attempt || r->restarts != b->restart)
		return 0;
	if (!f->is_noted)
		note_cause(s, b);
	return f->waits && !store_wished(&s->wishes, b->task, b->attempt) &&
	    store_fold_waits(s->fold, b->task, f->has_cause ? f->cause : NULL,
		c->array, store_chunk_index(c, b->task));
}

/*
 * Whether a task that was stopped waits or runs again: a controller that
 * crashed has forgotten that it was cancelled.
 */
static int
is_back(const struct scene *s, const struct store_brief *b,
    const struct store_chunk *c, const struct queue_record *r)
{
	return r != NULL && r->alive && !r->completing &&
	    c->attempt == b->attempt &&
	    store_wished(&s->wishes, b->task, b->attempt);
}

int
pass_is_idle(struct scene *s, uint64_t task)
{
	struct store_brief b = store_fold_brief(s->fold, task);
	const struct store_chunk *c = pass_chunk(s, task);
	const struct queue_record *r;

	if ((b.facts & STORE_DUE) != 0)
		return 0;
	if (has_new_fact(s, &b) || (c != NULL && c->attempt > b.attempt))
		return 0;
	r = pass_record(s, c, task);
	if (store_state_is_final(b.state) && is_back(s, &b, c, r))
		ranges_add(&s->untold, task, task);
	if (r != NULL && c->attempt == b.attempt && r->restarts > b.restart &&
	    !is_done(s, &b))
		return 0;
	return store_state_is_final(b.state) || waits_on(s, &b, c, r);
}
