#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "job/usage.h"
#include "reconcile/private.h"
#include "runner/run-start.h"
#include "slurm/sbatch-output.h"
#include "state/apply-fact.h"
#include "state/words.h"
#include "store/usage.h"

/*
 * Return whether Slurm says that the run has started; it may be over by now.
 * Tasks cancelled while pending have times, but no nodes.
 */
static int
has_begun(const struct task_pass *v)
{
	const struct queue_record *r = v->record;

	if (r != NULL)
		return (uint32_t)r->restarts == v->row->restart &&
		    *r->nodes != '\0' && r->start > 0 && !r->returning &&
		    r->state != QUEUE_PENDING;
	return v->past != NULL && v->past->start > 0 && !v->past->shared;
}

/* Return the path of an output file named by an sbatch pattern, or NULL. */
static char *
path_of(const struct job_pass *s, const struct task_pass *v, const char *name)
{
	int64_t submit;
	struct sbatch_output o = {.array = v->row->array,
	    .index = v->row->index,
	    .job = -1,
	    .name = queue_adopted_name(v->chunk->token, &submit),
	    .user = store_job_user(s->job)};

	if (name == NULL)
		return NULL;
	if (v->record != NULL) {
		o.job = v->record->job;
		o.node = v->record->nodes;
	}
	return sbatch_output(name, &o);
}

static struct store_fact_body
body_of(const struct job_pass *s, const struct task_pass *v)
{
	struct store_fact_body body = store_fact_body();

	body.slurm = store_row_slurm(v->row);
	if (v->record != NULL)
		body.node = xstrdup(v->record->nodes);
	body.time = v->record != NULL ? v->record->start : v->past->start;
	body.log = path_of(s, v, v->chunk->log);
	body.err = path_of(s, v, v->chunk->err);
	return body;
}

/*
 * Record the start of a run that stfm did not queue, once Slurm reports it,
 * with the paths of its output.  Such a run records neither its start nor its
 * end.
 */
static void
pass_adopt(struct job_pass *s, struct task_pass *v)
{
	struct store_fact fact = {
	    v->row->task, v->row->attempt, v->row->restart, "S", 0};
	struct store_fact_body body;
	struct error why;

	if (v->chunk == NULL || !v->chunk->adopted ||
	    (v->row->facts & STORE_HAS_S) != 0 || !has_begun(v))
		return;
	body = body_of(s, v);
	if (store_fact_publish(s->job, &fact, &body, &why) == -1)
		strlist_push(&s->table->damaged, why.text);
	else
		job_fact_take(v->row, &fact, &body);
	store_fact_body_free(&body);
}

/* Return whether sbatch may be running for a chunk, or have run. */
static int
is_being_queued(const struct store_chunk *c)
{
	return c != NULL && c->claim == STORE_OPEN && c->tries > 0 &&
	    !c->refused;
}

/*
 * Return whether all facts of a task may have been in a damaged part of a pack;
 * then its absence from the queue proves nothing.
 */
static int
may_be_lost(const struct job_pass *s, const struct task_pass *v)
{
	return !s->facts.sound && v->row->facts == 0 && v->record == NULL;
}

/* Return how many tasks share the task's allocation, 1 if it has its own. */
static uint64_t
packed_with(const struct store_chunk *c, uint64_t task, uint64_t *first)
{
	if (c == NULL || c->pack <= 1 || c->adopted)
		return 1;
	return store_chunk_packed(c,
	    store_chunk_place(c, (uint64_t)store_chunk_index(c, task)), first);
}

/* Return whether the user holds a task that shares the task's allocation. */
static int
is_held_beside(
    const struct job_pass *s, const struct store_chunk *c, uint64_t task)
{
	uint64_t first, count = packed_with(c, task, &first), i;

	if (count <= 1)
		return 0;
	for (i = first; i < first + count; i++)
		if (store_is_held(
			&s->requests, idset_at(&c->tasks, i), c->attempt))
			return 1;
	return 0;
}

/* Return why a pending task waits, as far as it is known, or NULL. */
const char *
reconcile_reason(const struct job_pass *s, const struct store_chunk *c,
    const struct queue_record *r, uint64_t task, int held)
{
	enum store_state canary;

	if (*r->reason == '\0' || strcmp(r->reason, "None") == 0)
		return s->after; /* Slurm has not looked at it yet */
	if (s->after != NULL && strncmp(r->reason, "Dependency", 10) == 0)
		return s->after;
	if (strcmp(r->reason, "JobHeldUser") != 0)
		return r->reason;
	if (held)
		return cause_words(CAUSE_HELD);
	if (is_held_beside(s, c, task))
		return cause_words(CAUSE_HELD_BESIDE);
	if (!job_has_canary(s->job) || c == NULL || !job_canary_holds(c))
		return r->reason;
	canary = store_table_state(s->table, 0);
	if (canary == STORE_ERROR)
		return cause_words(CAUSE_CANARY_FAILED);
	if (canary == STORE_STOPPED)
		return cause_words(CAUSE_CANARY_STOPPED);
	return cause_words(CAUSE_CANARY);
}

/* Return when the run ended by Slurm's account, or 0. */
static int64_t
slurms_end(const struct task_pass *v)
{
	if (v->record != NULL)
		return v->record->end;
	if (v->past != NULL)
		return v->past->end;
	return v->row->completed != -1 ? v->row->completed : 0;
}

/* Return whether the run had ended before the stop request. */
static int
is_stopped_after(const struct job_pass *s, const struct task_pass *v)
{
	const struct store_request *stop =
	    state_stop(&s->requests, v->row->task, v->row->attempt);
	int64_t end = slurms_end(v) > 0 ? slurms_end(v) : v->row->end;

	return state_is_after(stop, end);
}

/*
 * Return why Slurm refuses a task that is not queued, or NULL.  If it waits
 * behind refused tasks, *ahead is set to these.
 */
static const char *
find_refusal(
    const struct job_pass *s, const struct task_pass *v, const char **ahead)
{
	const struct store_chunk *c = v->chunk;

	*ahead = NULL;
	if (c != NULL && c->claim == STORE_OPEN && c->refused)
		return c->refusal;
	if (s->refused == NULL)
		return s->refusal;
	if (!idset_has(&s->behind, v->row->task))
		return NULL;
	*ahead = s->refused;
	return s->refusal;
}

/*
 * Return how often Slurm had requeued the task when the run started.  Usually
 * that is the run's number; the start fact is read if Slurm's count differs, or
 * if Slurm shows a run that has started as pending.
 */
static uint32_t
count_of(const struct job_pass *s, const struct task_pass *v)
{
	const struct store_row *row = v->row;
	const struct store_fact run = {.task = row->task,
	    .attempt = row->attempt,
	    .restart = row->restart};
	int waits = strcmp(v->record->state_name, "PENDING") == 0 &&
	    (row->facts & STORE_HAS_S) != 0;

	if (row->restart == 0 ||
	    (v->record->restarts == row->restart && !waits))
		return row->restart;
	return run_start_count(s->job, &run);
}

/* Add Slurm's record of the run, unless Slurm was asked before it started. */
static void
take_answer(
    const struct job_pass *s, const struct task_pass *v, struct job_evidence *e)
{
	const struct queue_record *r = v->record;
	uint32_t count = count_of(s, v);

	if (r->restarts < count) {
		e->answered = 0;
		return;
	}
	e->found = 1;
	e->alive = r->alive;
	e->returns = r->returning || r->restarts > count;
	e->state = r->state_name;
	e->reason = reconcile_reason(s, v->chunk, r, v->row->task, e->held);
	e->exit_status = r->exit_status;
}

static struct job_evidence
evidence(const struct job_pass *s, const struct task_pass *v)
{
	const struct store_row *row = v->row;
	const struct store_request *stop =
	    state_stop(&s->requests, row->task, row->attempt);
	struct job_evidence e = {
	    .started = (row->facts & STORE_HAS_S) != 0,
	    .adopted = v->chunk != NULL && v->chunk->adopted,
	    .ended = (row->facts & STORE_HAS_E) != 0,
	    .back = (row->facts & STORE_HAS_Q) != 0,
	    .judged = row->slurm,
	    .stop_asked = stop != NULL,
	    .unsure = stop == NULL && s->requests.damaged_stops > 0,
	    .why = stop == NULL      ? NULL
		: !stop->is_unread   ? stop->why
		: v->stopped != NULL ? v->stopped
				     : stop_pruned_lost,
	    .late = stop != NULL && row->gone != -1 && row->gone <= stop->made,
	    .after = is_stopped_after(s, v),
	    .held = store_is_held(&s->requests, row->task, row->attempt),
	    .after_others = s->after,
	    .queued = row->array != -1,
	    .intended = is_being_queued(v->chunk),
	    .fresh = v->chunk != NULL && v->chunk->claimed >= s->pass->asked,
	    .answered = s->pass->queue != NULL && !may_be_lost(s, v) &&
		!reconcile_is_astray(v),
	    .now = s->pass->now,
	    .grace = s->pass->grace,
	};
	uint64_t first;

	e.packed = !reconcile_is_astray(v) &&
	    packed_with(v->chunk, row->task, &first) > 1;
	e.refusal = find_refusal(s, v, &e.ahead);
	if (v->record != NULL)
		take_answer(s, v, &e);
	if (e.judged != NULL && !e.ended)
		e.exit_status = store_row_status(row);
	return e;
}

static void
take_times(struct store_row *row, int64_t start, int64_t end)
{
	if (row->start == -1 && row->state != STORE_SUBMITTED && start > 0)
		row->start = start;
	if (row->end == -1 && store_state_is_final(row->state) && end > 0)
		row->end = end;
}

static void
take_record(struct store_row *row, const struct queue_record *r)
{
	if (r->returning) /* the record describes the earlier run */
		return;
	if (row->node == NULL && *r->nodes != '\0')
		row->node = xstrdup(r->nodes);
	if (row->state == STORE_RUNNING && r->state == QUEUE_RUNNING)
		row->limit = r->time_limit == UINT32_MAX
		    ? 0
		    : (int64_t)r->time_limit * 60;
	/*
	 * For a pending task these are Slurm's expectations.  A task that was
	 * cancelled while pending has the time of its end as its start.
	 */
	take_times(row, *r->nodes == '\0' ? 0 : r->start,
	    r->alive && !r->completing ? 0 : r->end);
}

/* Return the body of the X fact, without resource usage. */
static struct store_fact_body
verdict_body(const struct task_pass *v, const char *verdict, int status)
{
	struct store_fact_body body = store_fact_body();

	body.slurm = store_row_slurm(v->row);
	/* A run with an end fact has its exit status there. */
	if (status != 0 ||
	    (v->chunk != NULL && v->chunk->adopted &&
		strcmp(verdict, "COMPLETED") == 0)) {
		body.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		body.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	if (slurms_end(v) > 0) /* else it is unknown */
		body.time = slurms_end(v);
	return body;
}

static void
take_verdict(struct store_row *row, const char *verdict,
    const struct store_fact_body *body)
{
	free(row->slurm);
	row->slurm = xstrdup(verdict);
	row->facts |= STORE_HAS_X;
	if ((row->facts & STORE_HAS_E) == 0) {
		row->exit = body->exit;
		row->signal = body->signal;
	}
	if (row->end == -1)
		row->end = body->time;
}

/* Record Slurm's state, which Slurm will forget.  Returns 0 or -1. */
static int
record_verdict(
    struct job_pass *s, struct task_pass *v, const char *verdict, int status)
{
	struct store_fact fact = {
	    v->row->task, v->row->attempt, v->row->restart, ""};
	struct store_fact_body body = verdict_body(v, verdict, status);
	struct error why;
	int rc;

	snprintf(fact.kind, sizeof fact.kind, "X%s", verdict);
	body.usage = job_usage_file(s->job, v->row, NULL);
	rc = store_fact_publish(s->job, &fact, &body, &why);
	if (rc == -1) {
		strlist_push(&s->table->damaged, why.text);
	} else {
		job_usage_take(v->row, body.usage);
		v->used |= body.usage != NULL;
		/* A fact now has the usage: its file is not needed. */
		if (rc == 0 && body.usage != NULL)
			store_usage_remove(s->job, &fact, NULL);
		take_verdict(v->row, verdict, &body);
	}
	store_fact_body_free(&body);
	return rc == -1 ? -1 : 0;
}

/* Resolve the state; if it cannot be recorded, leave it to the next pass. */
static void
pronounce(struct job_pass *s, struct task_pass *v, struct job_evidence *e)
{
	struct store_row *row = v->row;
	enum store_state state = row->state;
	char *cause = row->cause ? xstrdup(row->cause) : NULL;
	const char *verdict;

	state_resolve(e, row, &verdict);
	if (verdict != NULL &&
	    record_verdict(s, v, verdict, e->exit_status) == -1) {
		row->state = state;
		free(row->cause);
		row->cause = cause;
		cause = NULL;
	}
	free(cause);
}

void
reconcile_judge(struct job_pass *s, struct task_pass *v)
{
	struct job_evidence e = evidence(s, v);

	if (s->pass->queue != NULL) {
		s->pass->slurm->look_back(s, v, &e);
		pass_adopt(s, v);
		e.started = (v->row->facts & STORE_HAS_S) != 0;
	}
	e.after = is_stopped_after(s, v); /* the accounting may have the end */
	e.end = slurms_end(v);
	pronounce(s, v, &e);
	state_note_due(&e, v->row);
	if (e.stop_asked && v->record != NULL && v->record->alive &&
	    !v->record->completing)
		idset_add(&s->to_cancel, v->row->task, v->row->task);
	if (v->record != NULL)
		take_record(v->row, v->record);
	else if (v->past != NULL)
		take_times(v->row, v->past->start, v->past->end);
}
