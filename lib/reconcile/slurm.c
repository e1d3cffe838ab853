#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/cancel.h"
#include "control/dependency.h"
#include "control/hold.h"
#include "control/policy.h"
#include "control/stray.h"
#include "job/location.h"
#include "reconcile/private.h"
#include "runner/run-start.h"
#include "store/load.h"

/* ---- Slurm's accounting ---- */

struct wanted {
	struct queue_account_array *list;
	size_t count;
	struct strlist names;
};

/* Return whether a later attempt of the task was queued. */
static int
is_repeated(
    const struct store_chunks *chunks, const struct store_chunk *c, uint64_t t)
{
	const struct store_chunk *other;
	size_t i;

	for (i = 0; i < chunks->count; i++) {
		other = &chunks->chunk[i];
		if (other->attempt > c->attempt && other->array != 0 &&
		    idset_has(&other->tasks, t))
			return 1;
	}
	return 0;
}

/*
 * Return whether a task of this chunk has left the queue with its end unknown.
 * A state does not tell its attempt, so later attempts may be asked about once
 * too often, rather than not at all.
 */
static int
has_gone(const struct store_chunks *chunks, const struct store_chunk *c,
    const struct store_table *table, const struct queue *queue)
{
	uint64_t size = idset_size(&c->tasks), i, task;
	const struct queue_record *r;
	enum store_state state;

	for (i = 0; i < size; i++) {
		task = idset_at(&c->tasks, i);
		if (task >= table->count)
			continue;
		state = store_table_state(table, task);
		if (c->attempt == 0 && store_state_is_final(state) &&
		    (state != STORE_ERROR ||
			(store_table_brief(table, task).facts &
			    STORE_END_DUE) == 0))
			continue;
		r = queue_find(
		    queue, c->array, (uint32_t)store_chunk_index(c, task));
		if ((r == NULL || !queue_has_token(r, c->token)) &&
		    !is_repeated(chunks, c, task))
			return 1;
	}
	return 0;
}

/* Return how the accounting knows a chunk; the name may belong to token. */
static struct queue_account_array
array_of(
    const struct store_job *job, const struct store_chunk *c, const char *token)
{
	struct queue_account_array a = {
	    .array = c->array, .name = store_job_name(job), .since = c->time};

	if (c->adopted) {
		a.name = queue_adopted_name(token, &a.since);
		a.exact = 1;
		a.alone = c->indices.count == 0;
	}
	return a;
}

/*
 * Add the arrays of a job to ask about; w->names owns their names.  A job that
 * cannot be read is reported by its own part of the pass.
 */
static void
collect(
    struct wanted *w, const struct store_job *job, const struct queue *queue)
{
	static const struct idset none = {0};
	struct store_table *table = store_table_load_part(job, &none, NULL);
	struct queue_account_array a;
	const struct store_chunk *c;
	struct store_chunks chunks;
	size_t i;
	int rc;

	/* Only rows of tasks that failed tell whether their end is known. */
	if (table != NULL && table->in_state[STORE_ERROR] > 0) {
		store_table_free(table);
		table = store_table_load(job, NULL);
	}
	if (table == NULL)
		return;
	rc = store_chunks_list(job, &chunks, NULL);
	for (i = 0; rc == 0 && i < chunks.count; i++) {
		c = &chunks.chunk[i];
		if (c->array == 0 || !has_gone(&chunks, c, table, queue))
			continue;
		strlist_push(&w->names, c->token);
		a = array_of(job, c, w->names.word[w->names.count - 1]);
		if (a.name == NULL)
			continue;
		w->list = xgrow(w->list, w->count, sizeof *w->list);
		w->list[w->count++] = a;
	}
	store_chunks_free(&chunks);
	store_table_free(table);
}

/*
 * Ask about tasks that are not over by the tables, or recently LOST, and that
 * the queue does not know.  To queue_account_free.
 */
static struct queue_account *
job_account_load(const struct selection *jobs, const struct queue *queue)
{
	struct queue_account *account;
	struct wanted w = {0};
	size_t i;

	for (i = 0; i < jobs->count; i++)
		collect(&w, jobs->item[i].job, queue);
	account = queue_account_load(w.list, w.count);
	free(w.list);
	strlist_free(&w.names);
	return account;
}

/*
 * Return the record of a row's run, or NULL; it belongs to the account.
 * Records of earlier runs do not count.
 */
static const struct queue_account_record *
job_account_find(const struct queue_account *account,
    const struct store_job *job, const struct store_chunk *c,
    const struct store_row *row)
{
	struct queue_account_array a = array_of(job, c, c->token);
	const struct store_fact run = {.task = row->task,
	    .attempt = row->attempt,
	    .restart = row->restart};
	const struct queue_account_record *r;

	r = queue_account_find(account, &a, (uint32_t)row->index);
	if (r == NULL ||
	    (r->restarts < row->restart &&
		r->restarts < run_start_count(job, &run)) ||
	    (r->shared && (row->facts & STORE_HAS_S) != 0))
		return NULL;
	return r;
}

/* Claim a chunk for the array that has its token, unless it was closed. */
static int
claim_chunk(
    struct job_pass *s, struct store_chunk *c, uint32_t array, struct error *e)
{
	struct store_chunk now;
	int rc;

	if (store_claim(s->job, c->name, &array, e) == -1)
		return -1;
	if (array != 0) {
		c->array = array;
		c->claim = STORE_ARRAY;
		if (job_location(s->job, NULL) != JOB_IN_PLACE)
			return 0;
		return job_hold_chunk(s->job, c, -1, e);
	}
	rc = store_claim_read(s->job, c->name, &now, e);
	if (rc == 0)
		c->claim = now.claim;
	store_chunk_free(&now);
	return rc;
}

/* Claim chunks with an intent only: sbatch may have worked unnoticed. */
static void
claim_found(struct job_pass *s)
{
	struct store_chunk *c;
	struct error why;
	uint32_t array;
	size_t i;

	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		if (c->claim == STORE_OPEN &&
		    queue_find_token(s->pass->queue, c->token, &array) &&
		    claim_chunk(s, c, array, &why) == -1)
			strlist_push(&s->table->damaged, why.text);
	}
}

/*
 * Return Slurm's record of a task, or NULL.  An id alone proves nothing: a
 * controller that crashed can give it to another job, so the token must match.
 */
static const struct queue_record *
find_record(struct job_pass *s, const struct store_chunk *c, uint64_t task)
{
	const struct queue_record *r;
	struct found *last = &s->found;
	uint64_t index;

	index = (uint64_t)store_chunk_index(c, task);
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

/* Return how many seconds Slurm remembers a job that ended; 0: unknown. */
static int64_t
memory(struct reconcile *p)
{
	struct queue_cluster *cluster;

	if (p->memory == -1) {
		p->memory = 0;
		if (queue_cluster(QUEUE_LIMITS, &cluster, NULL) == 0) {
			p->memory = cluster->min_age;
			queue_cluster_free(cluster);
		}
	}
	return p->memory;
}

/* Return whether the task must have been cancelled while it was pending. */
static int
has_vanished(const struct job_pass *s, const struct task_pass *v,
    const struct job_evidence *e)
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

/* Return where a job's account is kept: jobs of the pass share one. */
static struct queue_account **
place_of_account(struct reconcile *p, const struct store_job *job)
{
	size_t i;

	for (i = 0; i < p->jobs->count; i++)
		if (strcmp(store_job_id(p->jobs->item[i].job),
			store_job_id(job)) == 0)
			return &p->account;
	for (i = 0; i < p->others; i++)
		if (strcmp(p->other[i].id, store_job_id(job)) == 0)
			return &p->other[i].account;
	p->other = xgrow(p->other, p->others, sizeof *p->other);
	p->other[p->others] =
	    (struct reconcile_other){xstrdup(store_job_id(job)), NULL};
	return &p->other[p->others++].account;
}

/* Return the account of a job; Slurm is asked for it once in a pass. */
static struct queue_account *
account_of(struct reconcile *p, const struct store_job *job)
{
	struct selected item = {.job = (struct store_job *)(uintptr_t)job};
	struct selection alone = {.item = &item, .count = 1};
	struct queue_account **account = place_of_account(p, job);
	const char *why;

	if (*account != NULL)
		return *account;
	*account = job_account_load(
	    account == &p->account ? p->jobs : &alone, p->queue);
	if ((*account)->count == 0 || !(*account)->expected ||
	    (p->silence != NULL && *p->silence != '\0')) /* first reason */
		return *account;
	why = (*account)->trouble;
	free(p->silence);
	p->silence = why == NULL
	    ? xstrdup("")
	    : xasprintf("Slurm's accounting does not answer: %s", why);
	return *account;
}

static void
ask_accounting(struct job_pass *s, struct task_pass *v, struct job_evidence *e)
{
	if (s->account == NULL)
		s->account = account_of(s->pass, s->job);
	e->expected = s->account->expected;
	if (e->expected && s->account->trouble != NULL) {
		s->unheard = 1;
		s->silent = s->pass->now;
	}
	if (e->expected && s->silent != -1)
		e->failed = s->silent;
	if (v->chunk != NULL)
		v->past =
		    job_account_find(s->account, s->job, v->chunk, v->row);
	if (v->past != NULL && !v->past->alive) {
		e->recorded = v->past->state_name;
		e->exit_status = v->past->exit_status;
	}
}

/* Find out how a task ended that Slurm seems to have forgotten. */
static void
look_back(struct job_pass *s, struct task_pass *v, struct job_evidence *e)
{
	if (state_wants_record(e, v->row))
		ask_accounting(s, v, e);
	e->vanished = e->recorded == NULL && has_vanished(s, v, e);
}

/* Reconcile the jobs it waits for; their policies are not applied. */
static char *
look_at_others(struct job_pass *s)
{
	struct reconcile *p = s->pass;
	struct store_job **others;
	int acts = p->acts;
	size_t count, i;
	char *why;

	others = job_dependency_jobs(s->job, &count);
	p->acts = 0;
	for (i = 0; i < count; i++) {
		if (p->queue != NULL)
			reconcile_job(p, others[i], NULL, NULL, NULL, NULL);
		store_job_free(others[i]);
	}
	p->acts = acts;
	free(others);
	job_dependency_look(s->job, &why);
	return why;
}

static void
cancel_again(struct job_pass *s)
{
	if (job_location(s->job, NULL) != JOB_COPIED)
		job_cancel_send(s->job, s->table, &s->to_cancel, NULL, NULL);
}

/* Cancel the strays, and add a sentence with the result for each to said. */
static void
cancel_strays(struct job_strays *strays, struct strlist *said)
{
	const struct queue_cancel *c = strays->list;
	size_t i;

	strlist_copy(said, &strays->unknown);
	if (strays->count > 0)
		queue_cancel(strays->list, strays->count, NULL, NULL);
	for (i = 0; i < strays->count; i++)
		if (c[i].outcome == QUEUE_CANCEL_DONE)
			strlist_take(said,
			    xasprintf("%s: cancelled", strays->why.word[i]));
		else if (c[i].outcome != QUEUE_CANCEL_GONE)
			strlist_take(said,
			    xasprintf("%s: not cancelled: %s",
				strays->why.word[i], c[i].why.text));
}

/* Cancel arrays that a controller brought back after a crash. */
static void
clear_strays(struct job_pass *s)
{
	const struct job_stray_input input = {.job = s->job,
	    .table = s->table,
	    .chunks = &s->chunks,
	    .marked = s->pass->marked,
	    .asked = s->pass->asked,
	    .grace = s->pass->grace};
	struct job_strays strays;
	struct strlist notes = {0};
	size_t i;

	if (job_location(s->job, NULL) == JOB_COPIED)
		return;
	job_strays_find(&input, &strays);
	cancel_strays(&strays, &notes);
	for (i = 0; i < notes.count; i++)
		strlist_take(&s->pass->notes,
		    xasprintf("%s: %s", store_job_name(s->job), notes.word[i]));
	strlist_free(&notes);
	job_strays_free(&strays);
}

/* Apply the policy.  Returns whether something changed. */
static int
act_by_policy(struct job_pass *s)
{
	struct job_policy_input policy = {.job = s->job,
	    .table = s->table,
	    .chunks = &s->chunks,
	    .requests = &s->requests,
	    .queue = s->pass->queue,
	    .now = s->pass->now,
	    .grace = s->pass->grace,
	    .trouble = &s->table->damaged,
	    .search_due = s->search_due,
	    .compared = &s->table->compared};
	int before = s->table->compared, acted = job_policy_act(&policy);

	s->dirty |= s->table->compared != before;
	return acted;
}

/* ---- which jobs Slurm has ---- */

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Add the id in each token of a text, wherever it is. */
static void
add_ids(const char *text, struct strlist *out)
{
	static const char mark[] = "stfm-",
			  digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	const char *at, *id;

	for (at = strstr(text, mark); at != NULL; at = strstr(at + 1, mark)) {
		id = at + sizeof mark - 1;
		strlist_take(out, xstrndup(id, strspn(id, digits)));
	}
}

static void
find_ids(const struct queue *queue, struct strlist *out)
{
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		add_ids(r->comment, out);
		add_ids(r->command, out);
	}
	if (out->count > 0)
		qsort(out->word, out->count, sizeof *out->word, compare_texts);
}

int
reconcile_has_queued(const struct reconcile *p, const char *id)
{
	return p->ids.count > 0 &&
	    bsearch(&id, p->ids.word, p->ids.count, sizeof *p->ids.word,
		compare_texts) != NULL;
}

static void
close_queue(struct reconcile *p)
{
	size_t i;

	strlist_free(&p->ids);

	job_marked_free(p->marked);
	if (p->queue != NULL)
		queue_free(p->queue);
	queue_account_free(p->account);
	for (i = 0; i < p->others; i++) {
		free(p->other[i].id);
		queue_account_free(p->other[i].account);
	}
	free(p->other);
}

static const struct reconcile_slurm slurm = {.claim = claim_found,
    .record = find_record,
    .look_back = look_back,
    .others = look_at_others,
    .cancel = cancel_again,
    .act = act_by_policy,
    .clear = clear_strays,
    .close = close_queue};

/* Begin a pass with the queue, or ask Slurm for it if that is NULL. */
static struct reconcile *
new_pass(const struct store *store, const struct selection *jobs,
    struct queue *queue, int64_t asked, struct error *e)
{
	struct reconcile *p = xcalloc(1, sizeof *p);
	struct error why;

	p->slurm = &slurm;
	p->jobs = jobs;
	p->memory = -1;
	p->queue = queue;
	p->asked = asked;
	if (job_grace(&p->grace, e) == -1 ||
	    (queue == NULL && fs_now(store->dir, &p->asked, e) == -1)) {
		reconcile_free(p);
		return NULL;
	}
	if (queue == NULL && queue_load(&p->queue, &why) == -1) {
		p->queue = NULL;
		p->trouble = xstrdup(why.text);
	} else {
		p->marked = job_marked_new(p->queue);
		find_ids(p->queue, &p->ids);
	}
	if (fs_now(store->dir, &p->now, e) == -1) {
		reconcile_free(p);
		return NULL;
	}
	return p;
}

struct reconcile *
reconcile_new(
    const struct store *store, const struct selection *jobs, struct error *e)
{
	return new_pass(store, jobs, NULL, 0, e);
}

void
reconcile_again(const struct store *store, const struct selection *jobs,
    struct queue *queue, int64_t asked)
{
	struct reconcile *p = new_pass(store, jobs, queue, asked, NULL);
	size_t i;

	for (i = 0; p != NULL && i < jobs->count; i++)
		reconcile_job(p, jobs->item[i].job, NULL, NULL, NULL, NULL);
	reconcile_free(p);
}
