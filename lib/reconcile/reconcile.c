#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "job/usage.h"
#include "metrics/reader.h"
#include "reconcile/pack.h"
#include "reconcile/private.h"
#include "state/apply-fact.h"
#include "state/eta.h"
#include "state/pending-reason.h"
#include "state/search.h"
#include "state/words.h"
#include "store/load.h"
#include "store/store.h"
#include "store/usage.h"

/* Return whether the task is trained: see job_fact_is_done. */
static int
is_done(const struct job_pass *s, const struct store_brief *b)
{
	int done;

	if (b->state != STORE_FINISHED)
		return 0;
	done = job_fact_is_done(store_table_row(s->table, b->task));
	store_table_forget(s->table, b->task);
	return done;
}

/* Return whether a fact of another run may change the task's state. */
static int
is_other_run(const struct job_pass *s, const struct store_brief *b,
    const struct store_fact *f, int order)
{
	if (order > 0)
		return f->attempt != b->attempt || !is_done(s, b);
	return f->attempt == b->attempt && job_fact_code(f) == 0;
}

/* Return whether a row with this brief does not know the fact. */
static int
is_new(const struct job_pass *s, const struct store_brief *b,
    const struct store_fact *f)
{
	int order = store_run_compare(STORE_RUN(f), STORE_RUN(b)), known;

	if (order != 0)
		return is_other_run(s, b, f, order);
	if ((job_fact_flag(f) & ~b->facts) != 0)
		return 1;
	if (job_fact_flag(f) != STORE_HAS_X)
		return 0;
	known =
	    reconcile_knows(store_table_row(s->table, b->task), f, STORE_HAS_X);
	store_table_forget(s->table, b->task);
	return !known;
}

/*
 * Skip the facts of the search that the row knows.  Returns whether another one
 * is left.
 */
static int
has_new_search(struct job_pass *s, uint64_t task)
{
	const struct store_fact *f;

	while (s->next_search < s->facts.search_count &&
	    s->facts.search[s->next_search].task < task)
		s->next_search++;
	f = reconcile_next_search(s, task);
	if (f == NULL)
		return 0;
	for (; f != NULL &&
	     reconcile_knows_search(store_table_row(s->table, task), f);
	     f = reconcile_next_search(s, task))
		s->next_search++;
	store_table_forget(s->table, task);
	return f != NULL;
}

static int
has_new_fact(struct job_pass *s, const struct store_brief *b)
{
	const struct store_fact *f, *end = s->facts.fact + s->facts.count;

	if (has_new_search(s, b->task))
		return 1;
	while (s->next_fact < s->facts.count &&
	    s->facts.fact[s->next_fact].task < b->task)
		s->next_fact++;
	for (f = s->facts.fact + s->next_fact; f < end && f->task == b->task;
	     f++)
		if (is_new(s, b, f))
			return 1;
	return 0;
}

/*
 * Make the cause for all pending tasks of the record.  It is used for all of
 * them only without requests, since some tasks may be held.
 */
static void
note_cause(struct job_pass *s, const struct store_brief *b)
{
	struct found *f = &s->found;
	const char *reason;

	f->is_noted = store_requests_last(&s->requests) == 0;
	f->waits = f->record->alive && *f->record->nodes == '\0' &&
	    strcmp(f->record->state_name, "PENDING") == 0;
	reason = reconcile_reason(s, f->chunk, f->record, b->task,
	    store_is_held(&s->requests, b->task, b->attempt));
	f->has_cause = reason != NULL;
	snprintf(f->cause, sizeof f->cause, "(%s)", reason ? reason : "");
}

/* Return whether the task is pending as before, by Slurm's record r. */
static int
waits_on(struct job_pass *s, const struct store_brief *b,
    const struct store_chunk *c, const struct queue_record *r)
{
	struct found *f = &s->found;

	if (b->state != STORE_SUBMITTED || b->facts != 0 || r == NULL ||
	    c->attempt != b->attempt || r->restarts != b->restart)
		return 0;
	if (!f->is_noted)
		note_cause(s, b);
	return f->waits &&
	    !store_stop_is_asked(&s->requests, b->task, b->attempt) &&
	    store_table_waits(s->table, b->task, f->has_cause ? f->cause : NULL,
		c->array, store_chunk_index(c, b->task));
}

/*
 * Return whether a stopped task is pending or running again: a controller that
 * crashed has forgotten that it was cancelled.
 */
static int
is_back(const struct job_pass *s, const struct store_brief *b,
    const struct store_chunk *c, const struct queue_record *r)
{
	return r != NULL && r->alive && !r->completing &&
	    c->attempt == b->attempt &&
	    store_stop_is_asked(&s->requests, b->task, b->attempt);
}

/*
 * Return whether nothing can have changed: the task is over or pending, and
 * there is no new fact or run.  This is true of most tasks of a large job,
 * whose rows are not even parsed.
 */
static int
pass_is_idle(struct job_pass *s, uint64_t task)
{
	struct store_brief b = store_table_brief(s->table, task);
	const struct store_chunk *c = reconcile_chunk(s, task);
	const struct queue_record *r;

	if ((b.facts & STORE_DUE) != 0)
		return 0;
	if (has_new_fact(s, &b) || (c != NULL && c->attempt > b.attempt))
		return 0;
	r = reconcile_record(s, c, task);
	if (store_state_is_final(b.state) && is_back(s, &b, c, r))
		idset_add(&s->to_cancel, task, task);
	if (r != NULL && c->attempt == b.attempt && r->restarts > b.restart &&
	    !is_done(s, &b))
		return 0;
	return store_state_is_final(b.state) || waits_on(s, &b, c, r);
}

struct reconcile *
reconcile_alone(const struct store *store, struct error *e)
{
	struct reconcile *p = xcalloc(1, sizeof *p);

	if (fs_now(store->dir, &p->now, e) == 0)
		return p;
	reconcile_free(p);
	return NULL;
}

struct reconcile *
reconcile_look(int64_t now)
{
	struct reconcile *p = xcalloc(1, sizeof *p);

	p->looks = 1;
	p->now = now;
	return p;
}

void
reconcile_free(struct reconcile *p)
{
	if (p == NULL)
		return;
	if (p->slurm != NULL)
		p->slurm->close(p);
	free(p->trouble);
	free(p->silence);
	strlist_free(&p->notes);
	free(p);
}

/* ---- one task and one job ---- */

/* Return whether the job has usage records; looks once in a pass. */
static int
has_usage(struct job_pass *s)
{
	if (!s->usage_asked)
		s->has_usage = store_usage_exists(s->job);
	s->usage_asked = 1;
	return s->has_usage;
}

/* Update the resource usage of a run, or settle it after the end. */
static void
look_at_use(struct job_pass *s, const struct task_pass *v)
{
	struct store_row *row = v->row;
	struct error why;

	if (row->state == STORE_RUNNING && (row->facts & STORE_HAS_S) != 0 &&
	    has_usage(s))
		job_usage_refresh(s->job, row, s->pass->now);
	else if (store_state_is_final(row->state) && !v->used &&
	    (row->facts & (STORE_HAS_E | STORE_HAS_X)) != 0 &&
	    job_usage_settle(s->job, row, &why) == -1)
		strlist_push(&s->table->damaged, why.text);
}

/* Return whether the pruner may stop tasks because a row has changed. */
static int
is_to_compare(const struct store_row *before, const struct store_row *row)
{
	return !text_same(before->rungs, row->rungs) ||
	    before->state != row->state || before->attempt != row->attempt ||
	    before->restart != row->restart;
}

/*
 * Name damaged requests, each once.  The search will have to ask again for
 * those that are lost.
 */
static void
note_requests(struct job_pass *s)
{
	struct strlist *named = &s->table->damaged;
	const struct strlist *damaged = &s->requests.damaged;
	size_t i;

	for (i = 0; i < damaged->count; i++)
		if (!strlist_have(named, damaged->word[i]))
			strlist_push(named, damaged->word[i]);
	if (damaged->count > 0 && s->table->compared) {
		s->table->compared = 0;
		s->dirty = 1;
	}
}

/*
 * Read all requests if one to stop this task was left unread, because the task
 * was over at that time, but is about to be judged again.
 */
static void
read_stop(struct job_pass *s, struct task_pass *v)
{
	const struct store_request *stop =
	    state_stop(&s->requests, v->row->task, v->row->attempt);
	struct store_requests all;
	struct error why;

	if (stop == NULL || !stop->is_unread || s->requests_read)
		return;
	if (store_requests_list(
		s->job, STORE_STOPS | STORE_HOLDS, &all, &why) == 0) {
		s->requests_read = 1;
		store_requests_free(&s->requests);
		s->requests = all;
		note_requests(s);
		return;
	}
	strlist_push(&s->table->damaged, why.text);
	s->unread = v->unread = 1;
}

static void
update(struct job_pass *s, uint64_t task)
{
	struct store_row before, *row;
	struct task_pass v;
	int carried;

	if (pass_is_idle(s, task))
		return;
	store_table_copy(s->table, task, &before);
	row = store_table_edit(s->table, task);
	reconcile_task_look(s, row, &v);
	if (before.state == STORE_STOPPED && before.attempt == row->attempt)
		v.stopped = before.cause;
	else
		read_stop(s, &v);
	if (reconcile_take_facts(&v) == 0)
		reconcile_judge(s, &v);
	carried = reconcile_carry(s, &v);
	if ((row->facts & STORE_HAS_S) != 0 || row->restart > 0)
		reconcile_read_log(s, row, store_state_is_final(row->state));
	if (carried == -1)
		row->facts |= STORE_LOG_DUE;
	look_at_use(s, &v);
	if (store_state_is_final(row->state))
		job_eta_end(row);
	if (store_row_same(&before, row)) {
		store_table_undo(s->table, task);
	} else {
		s->dirty = 1;
		if (is_to_compare(&before, row))
			s->table->compared = 0;
		job_summary_change(&s->summing, s->table, &before, row);
		if (s->change != NULL)
			s->change(s->arg, s->job, &before, row);
	}
	store_row_free(&before);
}

/* A pass that does not ask Slurm must not seem to have had an answer. */
static void
note_none(struct job_pass *s)
{
	s->table->alone = 1;
	s->table->asked = s->asked;
	s->table->silent = s->silent;
}

static void
note_answer(struct job_pass *s)
{
	struct store_table *table = s->table;

	table->time = s->pass->now;
	if (s->pass->slurm == NULL) {
		note_none(s);
		return;
	}
	s->dirty |= table->alone;
	table->alone = 0;
	if (!text_same(table->trouble, s->pass->trouble)) {
		s->dirty = 1;
		table->asked = s->asked;
		free(table->trouble);
		table->trouble = xcopy(s->pass->trouble);
	}
	if (s->pass->trouble == NULL)
		table->asked = s->pass->asked;
}

/* If Slurm did not answer, its accounting was not asked. */
static void
note_silence(struct job_pass *s)
{
	const char *why = s->unheard ? s->pass->silence : NULL;
	struct store_table *table = s->table;

	if (s->pass->queue == NULL)
		return;
	if (!text_same(table->silence, why)) {
		s->dirty = 1;
		free(table->silence);
		table->silence = xcopy(why);
	}
	table->silent = s->silent;
}

/* On NFS only a full listing shows names that were not there before. */
static void
refresh_names(const struct store_job *job)
{
	int dir = fs_open_subdir(store_job_dir(job), "metrics", 0, NULL);
	struct fs_names names;

	if (dir == -1)
		return;
	if (fs_list(dir, &names, NULL) == 0)
		fs_names_free(&names);
	fs_close(dir);
}

/*
 * Return the first refused chunk among whole and its halves, which follow each
 * other, or among all chunks if whole is "".
 */
static const struct store_chunk *
find_refused(const struct store_chunks *chunks,
    const struct store_requests *stops, const char *whole)
{
	size_t length = strlen(whole), i;
	const struct store_chunk *c;

	for (i = 0; i < chunks->count; i++) {
		c = &chunks->chunk[i];
		if (strncmp(c->name, whole, length) == 0 &&
		    c->claim == STORE_OPEN && c->refused &&
		    !job_chunk_is_stopped(stops, c))
			return c;
	}
	return NULL;
}

/*
 * Return the first chunk, in queueing order, that Slurm refuses, or NULL; it
 * belongs to chunks.  Chunks behind it are not tried until it is queued or
 * stopped: their tasks are added to *behind.
 */
static const struct store_chunk *
first_refused(const struct store_job *job, const struct store_chunks *chunks,
    const struct store_requests *stops, struct idset *behind)
{
	uint64_t first = job_chunk_first_count(job), task, last;
	const struct store_chunk *refused = NULL, *c;
	struct idset_walk walk;
	struct store_chunks plan;
	size_t i;

	if (find_refused(chunks, stops, "") == NULL)
		return NULL;
	job_chunks(job, &plan);
	/* Go through all chunks in the order in which they are queued. */
	for (i = 0; i < plan.count + chunks->count; i++) {
		c = i < plan.count ? &plan.chunk[i]
				   : &chunks->chunk[i - plan.count];
		if (i >= plan.count &&
		    (!job_chunk_is_whole(c) || job_chunk_number(c) < first))
			continue;
		if (refused != NULL) {
			idset_add_all(behind, &c->tasks);
			continue;
		}
		refused = find_refused(chunks, stops, c->name);
		if (refused == NULL)
			continue;
		last =
		    idset_at(&refused->tasks, idset_size(&refused->tasks) - 1);
		walk = (struct idset_walk){0};
		while (idset_next(&c->tasks, &walk, &task))
			if (task > last)
				idset_add(behind, task, task);
	}
	store_chunks_free(&plan);
	return refused;
}

/*
 * Find out why tasks are not queued: a limit holds for all of them, another
 * refusal for one array and the arrays behind it.
 */
static void
look_at_refusals(struct job_pass *s)
{
	const struct store_chunk *c =
	    first_refused(s->job, &s->chunks, &s->requests, &s->behind);

	if (c == NULL || c->refusal == NULL)
		return;
	s->refusal = c->refusal;
	if (c->bad_array)
		s->refused =
		    job_pending_reason_ids(store_job_name(s->job), &c->tasks);
}

/*
 * Return whether a row is in an attempt that was withdrawn.  Attempt 0 does not
 * count: there is none before it, and imported jobs have it withdrawn.
 */
static int
is_ahead(const struct job_pass *s)
{
	const struct store_chunk *c;
	uint64_t k;
	size_t i;

	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		if (c->claim != STORE_WITHDRAWN || c->attempt == 0)
			continue;
		for (k = 0; k < idset_size(&c->tasks); k++)
			if (store_table_brief(s->table, idset_at(&c->tasks, k))
				.attempt == c->attempt)
				return 1;
	}
	return 0;
}

/* Start with an empty table: the facts tell what was true before. */
static void
start_anew(struct job_pass *s)
{
	struct store_table *old = s->table;

	s->table = store_table_new(old->count);
	s->table->generation = old->generation;
	s->table->reading = old->reading;
	s->table->asked = s->asked;
	s->table->silent = s->silent;
	s->dirty = 1;
	store_table_free(old);
}

/* List the facts that the table has not taken in, and then the chunks. */
static int
list_records(struct job_pass *s, struct error *e)
{
	if (store_facts_list(s->job, &s->table->packs, &s->facts, e) == -1 ||
	    store_chunks_list(s->job, &s->chunks, e) == -1)
		return -1;
	return 0;
}

/* Take over when earlier passes had answers of Slurm and its accounting. */
static void
take_answers(struct job_pass *s)
{
	int64_t kept = store_table_kept(s->job, s->table);

	s->asked = s->table->asked;
	if (s->table->trouble == NULL && kept != -1)
		s->asked = kept;
	s->silent = s->table->silent;
	if (s->table->silence != NULL && kept != -1)
		s->silent = kept;
}

static int
open_job(struct job_pass *s, struct error *e)
{
	s->table = store_table_load(s->job, e);
	if (s->table != NULL)
		take_answers(s);
	if (s->table == NULL || list_records(s, e) == -1)
		return -1;
	/* Replace a damaged or short table by a whole one. */
	s->dirty = s->table->damaged.count > 0 || s->table->is_short ||
	    s->table->is_reread;
	if (is_ahead(s)) {
		start_anew(s);
		store_facts_free(&s->facts);
		store_chunks_free(&s->chunks);
		if (list_records(s, e) == -1)
			return -1;
	}
	if (store_requests_needed(s->job,
		STORE_STOPS | STORE_HOLDS | STORE_NAMES, reconcile_is_open,
		s->table, &s->requests, e) == -1)
		return -1;
	look_at_refusals(s);
	reconcile_map_chunks(s);
	refresh_names(s->job);
	strlist_copy(&s->table->damaged, &s->facts.damaged);
	strlist_copy(&s->table->damaged, &s->chunks.damaged);
	note_requests(s);
	return 0;
}

static void
close_job(struct job_pass *s)
{
	store_facts_free(&s->facts);
	store_chunks_free(&s->chunks);
	free(s->chunk_of);
	store_requests_free(&s->requests);
	free(s->after);
	job_points_free(s->points);
	record_pattern_free(s->pattern);
	free(s->refused);
	idset_free(&s->behind);
	idset_free(&s->to_cancel);
}

/* Packing only saves space, so its errors are only reported. */
static void
pack(struct job_pass *s)
{
	struct error why;

	if (!s->unread && reconcile_pack_take(s->table, &s->facts))
		s->dirty = 1;
	/* First: if we are killed in between, the next pass does it again. */
	if (reconcile_remove_empty_logs(s, &why) == -1)
		strlist_push(&s->table->damaged, why.text);
	switch (
	    reconcile_pack(s->job, s->table, &s->facts, s->pass->now, &why)) {
	case -1:
		strlist_push(&s->table->damaged, why.text);
		break;
	case 1:
		s->dirty = 1;
	}
}

/*
 * Pack stop requests, and return whether some were packed.  The table has to be
 * published before, because packs do not say when requests were made.
 */
static int
has_packed_stops(struct job_pass *s)
{
	struct error why;
	int64_t packed;

	if (s->pass->looks)
		return 0;
	packed = reconcile_pack_stops(s, &why);
	if (packed == -1)
		strlist_push(&s->table->damaged, why.text);
	return packed != 0;
}

static int
publish(struct job_pass *s, struct error *e)
{
	int is_new = s->dirty || s->table->generation == 0, rc = 0;

	if (is_new) {
		if (!s->table->summary.known)
			job_summary_make(&s->summing, s->table);
		if (s->pass->looks)
			return 0;
		rc = store_table_publish(s->job, s->table, e);
	}
	/*
	 * The files of a job that is over should stay as they are: see
	 * store/settled.h.  If it was named, they say when Slurm answered.
	 */
	if (rc == 0 && s->pass->slurm != NULL &&
	    (is_new || s->pass->is_named || !store_table_is_over(s->table)))
		store_table_touch(s->job, s->table, s->pass->asked);
	return rc == -1 ? 1 : 0;
}

/* Return why the job waits for others; if Slurm is not asked, by the table. */
static char *
look_at_others(struct job_pass *s)
{
	const struct store_row *row;
	const char *cause;
	char *why = NULL;
	uint64_t task;

	if (s->pass->slurm != NULL)
		return s->pass->slurm->others(s);
	for (task = 0; why == NULL && task < s->table->count; task++) {
		if (store_table_state(s->table, task) != STORE_SUBMITTED)
			continue;
		row = store_table_row(s->table, task);
		cause = row->cause;
		if (cause_of(cause, NULL) == CAUSE_AFTER)
			why = xstrndup(cause + 1, strlen(cause) - 2);
		store_table_forget(s->table, task);
	}
	return why;
}

/*
 * Return whether the pass changed nothing in a job that is over, and a later
 * one need not either, except for packing facts and requeueing tasks.
 */
static int
is_idle(const struct job_pass *s)
{
	uint64_t i;

	if (s->dirty || s->unread || !store_table_is_over(s->table) ||
	    s->table->generation == 0 || s->table->damaged.count > 0 ||
	    s->pass->notes.count > 0)
		return 0;
	for (i = 0; i < s->table->count; i++)
		if ((store_table_brief(s->table, i).facts & STORE_DUE) != 0)
			return 0;
	return 1;
}

/* Visit all tasks.  Returns as reconcile_job, or 2 to visit them again. */
static int
look_through(struct job_pass *s, int may_act, struct error *e)
{
	int rc = open_job(s, e), acted, packed;
	int64_t made = s->table != NULL ? s->table->time : 0;
	uint64_t i;

	if (rc == -1)
		return -1;
	if (store_job_after(s->job)->count > 0 &&
	    s->table->in_state[STORE_SUBMITTED] > 0)
		s->after = look_at_others(s);
	s->summing = job_summing(s->job, reconcile_point, s);
	s->searches = job_search_of(s->job, &s->search);
	if (s->pass->queue != NULL)
		s->pass->slurm->claim(s);
	note_answer(s);
	for (i = 0; i < s->table->count; i++)
		update(s, i);
	reconcile_note_logs(s);
	s->table->is_reread = 0;
	note_silence(s);
	store_table_count(s->table);
	s->pass->unqueued = s->table->in_state[STORE_SUBMITTED] > 0 &&
	    job_chunk_is_unqueued(s->job, &s->chunks);
	if (!s->pass->looks)
		pack(s);
	if (s->to_cancel.count > 0)
		s->pass->slurm->cancel(s);
	if (s->pass->queue != NULL)
		s->pass->slurm->clear(s);
	acted = may_act && s->pass->acts && s->pass->slurm->act(s);
	rc = publish(s, e);
	packed = rc == 0 && has_packed_stops(s);
	s->pass->idle = rc == 0 && !acted && !packed && is_idle(s);
	if (s->pass->idle && !s->pass->looks)
		s->table->time = made; /* as it is on disk */
	return rc == 0 && acted ? 2 : rc;
}

int
reconcile_job(struct reconcile *p, const struct store_job *job,
    job_change *change, void *arg, struct store_table **out, struct error *e)
{
	int rc, again = 0;

	do {
		struct job_pass s = {
		    .pass = p, .job = job, .change = change, .arg = arg};

		rc = look_through(&s, !again, e);
		again = rc == 2;
		close_job(&s);
		if (rc != -1 && out != NULL && !again)
			*out = s.table;
		else
			store_table_free(s.table);
	} while (again);
	return rc;
}
