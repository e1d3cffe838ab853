#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job-account.h"
#include "job-fact.h"
#include "job-canary.h"
#include "job-metrics.h"
#include "job-pack.h"
#include "job-pass.h"
#include "job-points.h"
#include "job-policy.h"
#include "job-queue.h"
#include "job-stop.h"
#include "job-summary.h"
#include "job-truth.h"
#include "queue.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "store-wish.h"
#include "xalloc.h"

enum { PIECE = 8 << 20, OVERLAP = 64 };

struct job_pass {
	const struct selection *jobs;
	struct queue *queue;           /* NULL when Slurm did not answer */
	struct queue_account *account; /* NULL until it is asked */
	char *trouble;
	int64_t now;
	int64_t memory; /* Slurm's, of jobs that ended (s); -1: not asked */
	int64_t grace;  /* seconds */
	int acts;       /* it does what the policies ask for */
	int unqueued;   /* tasks of the last job have to be queued */
	int alone;      /* nothing is asked */
};

/* Many tasks that wait have one record: that of indices from to until. */
struct found {
	const struct store_chunk *chunk;
	uint64_t from, until;
	const struct queue_record *record; /* or NULL */
	int is_noted, waits, has_cause;
	char cause[128];
};

/* All that is known of a job while its tasks are gone through. */
struct scene {
	struct job_pass *pass;
	const struct store_job *job;
	struct store_fold *fold;
	struct store_facts facts;
	size_t next_fact;
	struct store_chunks chunks;
	struct found found;
	uint32_t *chunk_of; /* of each task: its index and 1, or 0 */
	struct store_wishes wishes;
	struct job_points *points; /* opened when they are needed */
	int points_tried, points_bad;
	const char *refusal;  /* why Slurm takes no more, or NULL */
	struct ranges untold; /* tasks to stop of which Slurm knows nothing */
	job_change *change;
	void *arg;
	int64_t asked; /* when Slurm answered before this pass, or -1 */
	int dirty;     /* the fold differs from the published one */
	int unread;    /* a fact that is there could not be read */
	struct job_summing summing;
};

/* What is known of one task's current run. */
struct view {
	struct store_row *row;
	const struct store_chunk *chunk;                      /* or NULL */
	const struct queue_record *record;                    /* or NULL */
	const struct queue_account_record *past;              /* or NULL */
	const struct store_fact *start, *back, *end, *judged; /* or NULL */
};

struct job_pass *
job_pass_new(
    const struct store *store, const struct selection *jobs, struct error *e)
{
	struct job_pass *p = xcalloc(1, sizeof *p);
	struct error why;

	p->jobs = jobs;
	p->memory = -1;
	if (job_grace(&p->grace, e) == -1) {
		job_pass_free(p);
		return NULL;
	}
	if (queue_load(&p->queue, &why) == -1) {
		p->queue = NULL;
		p->trouble = xstrdup(why.text);
	}
	if (fs_now(store->dir, &p->now, e) == -1) {
		job_pass_free(p);
		return NULL;
	}
	return p;
}

struct job_pass *
job_pass_alone(const struct store *store, struct error *e)
{
	struct job_pass *p = xcalloc(1, sizeof *p);

	p->alone = 1;
	if (fs_now(store->dir, &p->now, e) == 0)
		return p;
	job_pass_free(p);
	return NULL;
}

void
job_pass_free(struct job_pass *p)
{
	if (p == NULL)
		return;
	if (p->queue != NULL)
		queue_free(p->queue);
	queue_account_free(p->account);
	free(p->trouble);
	free(p);
}

void
job_pass_act(struct job_pass *p)
{
	p->acts = 1;
}

const char *
job_pass_trouble(const struct job_pass *p)
{
	return p->trouble;
}

const struct queue *
job_pass_queue(const struct job_pass *p)
{
	return p->queue;
}

int
job_pass_is_unqueued(const struct job_pass *p)
{
	return p->unqueued;
}

/* ---- what is known of a task ---- */

static const struct store_chunk *
chunk_of(const struct scene *s, uint64_t task)
{
	uint32_t i = s->chunk_of[task];

	return i > 0 ? &s->chunks.chunk[i - 1] : NULL;
}

/*
 * For each task the chunk of the newest attempt that holds it.  The parts of
 * one that was cut stand behind it.
 */
static void
map_chunks(struct scene *s)
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
				old = chunk_of(s, t);
				if (c->claim != STORE_WITHDRAWN &&
				    (old == NULL || c->attempt >= old->attempt))
					s->chunk_of[t] = (uint32_t)i + 1;
			}
	}
}

/*
 * Slurm's record of a task.  An id alone proves nothing: a controller that
 * crashed can give it to another job, so the token has to be there as well.
 */
static const struct queue_record *
record_of(struct scene *s, const struct store_chunk *c, uint64_t task)
{
	const struct queue_record *r;
	struct found *last = &s->found;
	uint64_t index;

	if (s->pass->queue == NULL || c == NULL || c->array == 0)
		return NULL;
	index = ranges_position(&c->tasks, task);
	if (c == last->chunk && index >= last->from && index <= last->until)
		return last->record;
	r = queue_find_until(
	    s->pass->queue, c->array, (uint32_t)index, &last->until);
	if (r != NULL && !queue_has_token(r, c->token))
		r = NULL;
	last->chunk = c;
	last->from = index;
	last->record = r;
	last->is_noted = 0;
	return r;
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
		row->metrics_path = NULL;
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

static void
look(struct scene *s, struct store_row *row, struct view *v)
{
	uint32_t restarts;

	v->row = row;
	v->chunk = chunk_of(s, row->task);
	v->record = record_of(s, v->chunk, row->task);
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

/* ---- reading facts ---- */

/* Whether what the fact says is in the row already. */
static int
is_known(const struct store_row *row, const struct store_fact *f, int flag)
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

	if (f == NULL || is_known(row, f, flag))
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

/* All that is new; -1 when something could not be read: judge it later. */
static int
read_facts(struct scene *s, const struct view *v)
{
	int rc = read_fact(s, v->row, v->start, STORE_HAS_S);

	if (read_fact(s, v->row, v->back, STORE_HAS_Q) == -1)
		rc = -1;
	if (read_fact(s, v->row, v->end, STORE_HAS_E) == -1)
		rc = -1;
	if (read_fact(s, v->row, v->judged, STORE_HAS_X) == -1)
		rc = -1;
	return rc;
}

/* ---- judging ---- */

/* Whether sbatch may be at work for a chunk, or have been. */
static int
is_being_queued(const struct store_chunk *c)
{
	return c != NULL && c->claim == STORE_OPEN && c->tries > 0 &&
	    !c->refused;
}

/*
 * Whether all that was ever known of a task may have stood in a part of a pack
 * that is damaged: then its absence says nothing.
 */
static int
may_be_lost(const struct scene *s, const struct view *v)
{
	return !s->facts.sound && v->row->facts == 0 && v->record == NULL;
}

/* Why a waiting task waits, as far as it is known; or NULL. */
static const char *
reason_for(const struct scene *s, const struct store_chunk *c,
    const struct queue_record *r)
{
	enum store_state canary;

	if (*r->reason == '\0' || strcmp(r->reason, "None") == 0)
		return NULL;
	if (strcmp(r->reason, "JobHeldUser") != 0 || !job_has_canary(s->job) ||
	    c == NULL || !job_canary_holds(c))
		return r->reason;
	canary = store_fold_state(s->fold, 0);
	if (canary == STORE_ERROR || canary == STORE_STOPPED)
		return "waiting for the canary, which failed: restart task 0";
	return "waiting for the canary";
}

static struct job_evidence
evidence(const struct scene *s, const struct view *v)
{
	const struct store_row *row = v->row;
	const struct store_wish *wish =
	    store_wish_for(&s->wishes, row->task, row->attempt);
	struct job_evidence e = {
	    .started = (row->facts & STORE_HAS_S) != 0,
	    .ended = (row->facts & STORE_HAS_E) != 0,
	    .back = (row->facts & STORE_HAS_Q) != 0,
	    .judged = row->slurm,
	    .wished = wish != NULL,
	    .why = wish != NULL ? wish->why : NULL,
	    .queued = row->array != -1,
	    .intended = is_being_queued(v->chunk),
	    .refusal = s->refusal,
	    .answered = s->pass->queue != NULL && !may_be_lost(s, v),
	    .now = s->pass->now,
	    .grace = s->pass->grace,
	};

	if (v->record != NULL &&
	    (uint32_t)v->record->restarts == row->restart) {
		e.found = 1;
		e.alive = v->record->alive;
		e.state = v->record->state_name;
		e.reason = reason_for(s, v->chunk, v->record);
		e.exit_status = v->record->exit_status;
	} else if (v->record != NULL) {
		e.answered = 0; /* it was asked before this run began */
	}
	if (e.judged != NULL && !e.ended && row->exit >= 0)
		e.exit_status = (int)(row->exit << 8) |
		    (row->signal > 0 ? (int)row->signal : 0);
	return e;
}

/* How long Slurm knows a job that ended, in seconds; 0 when nobody knows. */
static int64_t
memory(struct job_pass *p)
{
	struct queue_cluster *cluster;

	if (p->memory == -1) {
		p->memory = 0;
		if (queue_cluster(&cluster, NULL) == 0) {
			p->memory = cluster->min_age;
			queue_cluster_free(cluster);
		}
	}
	return p->memory;
}

/* Whether the task is gone as only one that was cancelled while it waited. */
static int
has_vanished(
    const struct scene *s, const struct view *v, const struct job_evidence *e)
{
	const struct store_row *row = v->row;
	const struct queue_record *other;

	if (!e->answered || e->found || row->facts != 0 || v->chunk == NULL ||
	    row->array == -1 || row->array != (int64_t)v->chunk->array ||
	    row->state != STORE_SUBMITTED || row->cause == NULL ||
	    row->cause[0] != '(' || s->asked == -1)
		return 0;
	other = queue_find_any(s->pass->queue, v->chunk->array);
	return other != NULL && queue_has_token(other, v->chunk->token) &&
	    s->pass->now - s->asked < memory(s->pass);
}

/* Slurm has forgotten the task: ask its accounting, once in a pass. */
static void
look_back(struct scene *s, struct view *v, struct job_evidence *e)
{
	struct job_pass *p = s->pass;

	if (!job_truth_wants_record(e, v->row))
		return;
	if (p->account == NULL)
		p->account = job_account_load(p->jobs, p->queue);
	e->expected = queue_account_expected(p->account);
	v->past = job_account_find(p->account, v->row);
	if (v->past != NULL && !v->past->alive) {
		e->recorded = v->past->state_name;
		e->exit_status = v->past->exit_status;
	}
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
	if (row->node == NULL && *r->nodes != '\0')
		row->node = xstrdup(r->nodes);
	take_times(row, r->start, r->end);
}

/* When the run ended by Slurm's account, or 0. */
static int64_t
slurms_end(const struct view *v)
{
	if (v->record != NULL)
		return v->record->end;
	return v->past != NULL ? v->past->end : 0;
}

/* Record what Slurm said for the time when it has forgotten it: 0 or -1. */
static int
record_verdict(struct scene *s, struct view *v, const char *verdict, int status)
{
	struct store_fact fact = {
	    v->row->task, v->row->attempt, v->row->restart, ""};
	struct store_fact_body body = store_fact_body();
	struct error why;
	int rc;

	snprintf(fact.kind, sizeof fact.kind, "X%s", verdict);
	body.slurm =
	    xasprintf("%" PRId64 "_%" PRId64, v->row->array, v->row->index);
	if (status != 0) {
		body.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		body.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	body.time = slurms_end(v) > 0 ? slurms_end(v) : s->pass->now;
	rc = store_fact_publish(s->job, &fact, &body, &why);
	if (rc == -1) {
		words_push(&s->fold->damaged, why.text);
	} else {
		free(v->row->slurm);
		v->row->slurm = xstrdup(verdict);
		v->row->facts |= STORE_HAS_X;
		if (v->row->end == -1)
			v->row->end = body.time;
	}
	store_fact_body_free(&body);
	return rc == -1 ? -1 : 0;
}

/* A verdict that cannot be recorded is not given yet: the next pass will. */
static void
pronounce(struct scene *s, struct view *v, struct job_evidence *e)
{
	struct store_row *row = v->row;
	enum store_state state = row->state;
	char *cause = row->cause ? xstrdup(row->cause) : NULL;
	const char *verdict;

	job_truth(e, row, &verdict);
	if (verdict != NULL &&
	    record_verdict(s, v, verdict, e->exit_status) == -1) {
		row->state = state;
		free(row->cause);
		row->cause = cause;
		cause = NULL;
	}
	free(cause);
}

static void
judge(struct scene *s, struct view *v)
{
	struct job_evidence e = evidence(s, v);

	look_back(s, v, &e);
	e.vanished = e.recorded == NULL && has_vanished(s, v, &e);
	pronounce(s, v, &e);
	if (e.wished && v->record != NULL && v->record->alive &&
	    !v->record->completing)
		ranges_add(&s->untold, v->row->task, v->row->task);
	if (v->record != NULL)
		take_record(v->row, v->record);
	else if (v->past != NULL)
		take_times(v->row, v->past->start, v->past->end);
}

/* ---- the training log ---- */

/* The point of a task, or NULL when it cannot be read. */
static const char *const *
point_of(void *arg, uint64_t task)
{
	struct scene *s = arg;
	const char *const *value;
	struct error why;

	if (s->points == NULL && !s->points_tried)
		s->points = job_points_open(s->job, &why);
	if (s->points == NULL && !s->points_tried)
		words_push(&s->fold->damaged, why.text);
	s->points_tried = 1;
	if (s->points == NULL)
		return NULL;
	value = job_points_get(s->points, task, &why);
	if (value == NULL && !s->points_bad)
		words_push(&s->fold->damaged, why.text);
	s->points_bad |= value == NULL;
	return value;
}

/* Where the log of a task is: its path, to free, or NULL. */
static char *
find_log(struct scene *s, const struct store_row *row)
{
	const char *const *point = NULL; /* part of the log's name, or not */

	if (s->job->metrics != NULL)
		point = point_of(s, row->task);
	if (s->job->metrics != NULL && point == NULL)
		return NULL;
	return job_metrics_find(s->job, row, point);
}

static int
goal_of(const struct store_job *job)
{
	if (job->goal == NULL)
		return METRICS_GOAL_BY_NAME;
	return strcmp(job->goal, "max") == 0 ? METRICS_MAX : METRICS_MIN;
}

/* How many bytes before the offset are looked at again. */
static size_t
overlap(uint64_t offset)
{
	return offset < OVERLAP ? (size_t)offset : OVERLAP;
}

/*
 * Whether the log goes on behind what was read before: a training that began
 * again may have replaced it, or written over it.
 */
static int
goes_on(const struct store_row *row, const char *bytes, size_t length,
    const struct stat *st)
{
	size_t before = overlap(row->metrics.offset);

	if (row->metrics_inode == -1)
		return 1;
	return row->metrics_inode == (int64_t)st->st_ino && length >= before &&
	    row->metrics_check == fs_crc32c(bytes, before);
}

/* Read one piece of the log: 1 when there may be more, 0, or -1. */
static int
read_piece(const struct store_job *job, struct store_row *row, int ended,
    struct error *e)
{
	struct metrics_summary *m = &row->metrics;
	uint64_t before = m->offset, from = before - overlap(before);
	struct stat st;
	size_t length, old;
	char *bytes;
	int rc;

	if (fs_read_from(
		row->metrics_path, from, PIECE, &bytes, &length, &st, e) == -1)
		return -1;
	if (!goes_on(row, bytes, length, &st)) {
		memset(m, 0, sizeof *m);
		row->metrics_inode = -1;
		free(bytes);
		return 1;
	}
	old = overlap(before);
	rc = metrics_summary_feed(m, job->metric, goal_of(job), bytes + old,
	    length - old, ended && length < PIECE, e);
	row->metrics_inode = (int64_t)st.st_ino;
	row->metrics_check =
	    fs_crc32c(bytes + (m->offset - from) - overlap(m->offset),
		overlap(m->offset));
	free(bytes);
	if (rc == -1)
		return -1;
	return length == PIECE && m->offset > before;
}

static void
read_log(struct scene *s, struct store_row *row, int ended)
{
	struct error why;
	int more;

	if (row->metrics_path == NULL)
		row->metrics_path = find_log(s, row);
	if (row->metrics_path == NULL)
		return;
	do
		more = read_piece(s->job, row, ended, &why);
	while (more == 1);
	if (more == -1 && errno != ENOENT) {
		error_prefix(&why, row->metrics_path);
		words_push(&s->fold->damaged, why.text);
	}
}

/* ---- tasks of which there is nothing new ---- */

/* Whether a row that begins so does not know the fact. */
static int
is_news(const struct scene *s, const struct store_brief *b,
    const struct store_fact *f)
{
	int known;

	if (f->attempt != b->attempt || f->restart != b->restart)
		return f->attempt > b->attempt ||
		    (f->attempt == b->attempt && f->restart > b->restart);
	if ((job_fact_flag(f) & ~b->facts) != 0)
		return 1;
	if (job_fact_flag(f) != STORE_HAS_X)
		return 0;
	known = is_known(store_fold_row(s->fold, b->task), f, STORE_HAS_X);
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

/* What a task of the record says while it waits, made once for all of them. */
static void
note_cause(struct scene *s)
{
	struct found *f = &s->found;
	const char *reason;

	f->is_noted = 1;
	f->waits = f->record->alive && *f->record->nodes == '\0' &&
	    strcmp(f->record->state_name, "PENDING") == 0;
	reason = reason_for(s, f->chunk, f->record);
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
		note_cause(s);
	return f->waits && !store_wished(&s->wishes, b->task, b->attempt) &&
	    store_fold_waits(s->fold, b->task, f->has_cause ? f->cause : NULL,
		c->array, (int64_t)ranges_position(&c->tasks, b->task));
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

/*
 * Whether nothing can have changed: the task is over, or waits, and neither a
 * fact nor a run came.  So it is with most tasks of a large job: their rows are
 * not even taken apart.
 */
static int
is_idle(struct scene *s, uint64_t task)
{
	struct store_brief b = store_fold_brief(s->fold, task);
	const struct store_chunk *c = chunk_of(s, task);
	const struct queue_record *r;

	if (has_new_fact(s, &b) || (c != NULL && c->attempt > b.attempt))
		return 0;
	r = record_of(s, c, task);
	if (store_state_is_final(b.state) && is_back(s, &b, c, r))
		ranges_add(&s->untold, task, task);
	if (r != NULL && c->attempt == b.attempt && r->restarts > b.restart)
		return 0;
	return store_state_is_final(b.state) || waits_on(s, &b, c, r);
}

/* ---- one task, one job ---- */

static void
update(struct scene *s, uint64_t task)
{
	struct store_row before, *row;
	struct view v;

	if (is_idle(s, task))
		return;
	store_fold_copy(s->fold, task, &before);
	row = store_fold_edit(s->fold, task);
	look(s, row, &v);
	if (read_facts(s, &v) == 0)
		judge(s, &v);
	if ((row->facts & STORE_HAS_S) != 0)
		read_log(s, row, store_state_is_final(row->state));
	if (store_row_same(&before, row)) {
		store_fold_undo(s->fold, task);
	} else {
		s->dirty = 1;
		job_summary_change(&s->summing, s->fold, &before, row);
		if (s->change != NULL)
			s->change(s->arg, s->job, &before, row);
	}
	store_row_free(&before);
}

/* An intent without a claim: sbatch may have worked though nobody heard. */
static void
claim_found(struct scene *s)
{
	struct store_chunk *c;
	uint32_t array;
	size_t i;

	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		if (c->claim != STORE_OPEN || s->pass->queue == NULL)
			continue;
		if (!queue_find_token(s->pass->queue, c->token, &array))
			continue;
		if (store_claim(s->job, c->name, &array, NULL) == 0) {
			c->array = array;
			c->claim = array != 0 ? STORE_ARRAY : STORE_CUT;
		}
	}
}

static void
note_damage(struct words *to, const struct words *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		words_push(to, from->word[i]);
}

static int
same_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

static void
note_answer(struct scene *s)
{
	struct store_fold *fold = s->fold;
	int64_t age = store_fold_age(s->job);

	fold->time = s->pass->now;
	s->asked = fold->asked;
	if (fold->trouble == NULL && age >= 0)
		s->asked = s->pass->now - age;
	if (s->pass->alone)
		return;
	if (!same_text(fold->trouble, s->pass->trouble)) {
		s->dirty = 1;
		fold->asked = s->asked;
		free(fold->trouble);
		fold->trouble =
		    s->pass->trouble != NULL ? xstrdup(s->pass->trouble) : NULL;
	}
	if (s->pass->trouble == NULL)
		fold->asked = s->pass->now;
}

/* On NFS only a full listing shows names that were not there before. */
static void
refresh_names(const struct store_job *job)
{
	int dir = fs_open_subdir(job->dir, "metrics", 0, NULL);
	struct fs_names names;

	if (dir == -1)
		return;
	if (fs_list(dir, &names, NULL) == 0)
		fs_names_free(&names);
	fs_close(dir);
}

/* Why what is not queued is not: as said to the first that was refused. */
static const char *
find_refusal(const struct store_chunks *chunks)
{
	size_t i;

	for (i = 0; i < chunks->count; i++)
		if (chunks->chunk[i].claim == STORE_OPEN &&
		    chunks->chunk[i].refused)
			return chunks->chunk[i].refusal;
	return NULL;
}

/* Whether a task is in an attempt that has been withdrawn. */
static int
is_ahead(const struct scene *s)
{
	const struct store_chunk *c;
	uint64_t k;
	size_t i;

	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		if (c->claim != STORE_WITHDRAWN)
			continue;
		for (k = 0; k < ranges_size(&c->tasks); k++)
			if (store_fold_brief(s->fold, ranges_at(&c->tasks, k))
				.attempt == c->attempt)
				return 1;
	}
	return 0;
}

/* What was true before the withdrawn attempt follows from the facts. */
static void
start_anew(struct scene *s)
{
	struct store_fold *old = s->fold;

	s->fold = store_fold_new(old->count);
	s->fold->generation = old->generation;
	s->fold->asked = old->asked;
	s->dirty = 1;
	store_fold_free(old);
}

/* Facts that the fold has not taken in, and then the chunks. */
static int
list_records(struct scene *s, struct error *e)
{
	if (store_facts_list(s->job, &s->fold->packs, &s->facts, e) == -1 ||
	    store_chunks_list(s->job, &s->chunks, e) == -1)
		return -1;
	return 0;
}

static int
open_scene(struct scene *s, struct error *e)
{
	s->fold = store_fold_load(s->job, e);
	if (s->fold == NULL || list_records(s, e) == -1 ||
	    store_wishes_list(s->job, &s->wishes, e) == -1)
		return -1;
	s->dirty = s->fold->damaged.count > 0; /* a whole one is wanted */
	if (is_ahead(s)) {
		start_anew(s);
		store_facts_free(&s->facts);
		store_chunks_free(&s->chunks);
		if (list_records(s, e) == -1)
			return -1;
	}
	s->refusal = find_refusal(&s->chunks);
	map_chunks(s);
	refresh_names(s->job);
	note_damage(&s->fold->damaged, &s->facts.damaged);
	note_damage(&s->fold->damaged, &s->chunks.damaged);
	note_damage(&s->fold->damaged, &s->wishes.damaged);
	return 0;
}

static void
close_scene(struct scene *s)
{
	store_facts_free(&s->facts);
	store_chunks_free(&s->chunks);
	free(s->chunk_of);
	store_wishes_free(&s->wishes);
	job_points_free(s->points);
	ranges_free(&s->untold);
}

/* Packing only saves room: what goes wrong with it is said, no more. */
static void
pack(struct scene *s)
{
	struct error why;

	if (!s->unread && job_pack_take(s->fold, &s->facts))
		s->dirty = 1;
	switch (job_pack(s->job, s->fold, &s->facts, s->pass->now, &why)) {
	case -1:
		words_push(&s->fold->damaged, why.text);
		break;
	case 1:
		s->dirty = 1;
	}
}

/*
 * Whether a chunk is open, or one is not there yet: of those into which the job
 * was cut, and of the halves of others.
 */
static int
has_unqueued(const struct scene *s)
{
	uint64_t plan = job_chunk_count(s->job), wanted = plan;
	const struct store_chunk *c;
	size_t i;

	if (s->fold->in_state[STORE_SUBMITTED] == 0)
		return 0;
	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		if (c->claim == STORE_OPEN)
			return 1;
		if (c->claim == STORE_CUT)
			wanted += 2;
		if (job_chunk_is_whole(c) && job_chunk_number(c) >= plan)
			wanted++;
	}
	return s->chunks.count < wanted;
}

static int
publish(struct scene *s, struct error *e)
{
	if (!s->dirty && s->fold->generation > 0) {
		store_fold_touch(s->job, s->fold);
		return 0;
	}
	if (!s->fold->summary.known)
		job_summary_make(&s->summing, s->fold);
	return store_fold_publish(s->job, s->fold, e) == -1 ? 1 : 0;
}

/* Whether something was done about tasks that did not go well. */
static int
act(struct scene *s)
{
	struct job_policy_scene policy = {.job = s->job,
	    .fold = s->fold,
	    .chunks = &s->chunks,
	    .wishes = &s->wishes,
	    .queue = s->pass->queue,
	    .trouble = &s->fold->damaged};

	return s->pass->acts && job_policy_act(&policy);
}

/* Look at all tasks: as job_pass_job, but that 2 asks for another look. */
static int
look_through(struct scene *s, int may_act, struct error *e)
{
	int rc = open_scene(s, e), acted;
	uint64_t i;

	if (rc == -1)
		return -1;
	s->summing = job_summing(s->job, point_of, s);
	claim_found(s);
	note_answer(s);
	for (i = 0; i < s->fold->count; i++)
		update(s, i);
	store_fold_count(s->fold);
	s->pass->unqueued = has_unqueued(s);
	pack(s);
	if (s->untold.count > 0)
		job_stop_tell(s->job, s->fold, &s->untold, NULL);
	acted = may_act && act(s);
	rc = publish(s, e);
	return rc == 0 && acted ? 2 : rc;
}

int
job_pass_job(struct job_pass *p, const struct store_job *job,
    job_change *change, void *arg, struct store_fold **out, struct error *e)
{
	int rc, again = 0;

	do {
		struct scene s = {
		    .pass = p, .job = job, .change = change, .arg = arg};

		rc = look_through(&s, !again, e);
		again = rc == 2;
		close_scene(&s);
		if (rc != -1 && out != NULL && !again)
			*out = s.fold;
		else
			store_fold_free(s.fold);
	} while (again);
	return rc;
}
