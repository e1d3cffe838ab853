#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "control/policy-rules.h"
#include "control/restart.h"
#include "job/preflight.h"
#include "job/provenance.h"
#include "job/sbatch-options.h"
#include "sandbox/sandbox.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/request.h"
#include "store/table-row.h"
#include "store/table.h"
#include "sys/fs.h"

/* The state of recording new attempts. */
struct restart_work {
	const struct store_job *job;
	const struct store_table *table;
	const struct job_restart *how;
	struct idset left; /* tasks still to be recorded */
	uint32_t *newest;  /* newest attempt of each task, also withdrawn */
	uint64_t next;     /* the number of the next chunk */
	struct store_chunks plan; /* the chunks planned for left */
	size_t planned;           /* how many of plan are recorded */
	int64_t shared;           /* indices at a time of all recorded chunks */
	struct job_restarted *out;
};

void
job_restarted_free(struct job_restarted *r)
{
	idset_free(&r->tasks);
	idset_free(&r->kept);
	idset_free(&r->taken);
	strlist_free(&r->chunks);
	job_enqueued_free(&r->queued);
}

static int
check_over(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, struct error *e)
{
	struct idset_walk walk = {0};
	enum store_state state;
	uint64_t task;

	while (idset_next(tasks, &walk, &task)) {
		if (task >= table->count)
			return error_set(
			    e, "%s/%" PRIu64 ": no such task", job->name, task);
		state = store_table_state(table, task);
		if (!store_state_is_final(state) &&
		    !state_wants_array(store_table_row(table, task)))
			return error_set(e,
			    "%s/%" PRIu64 ": still %s: stop it first",
			    job->name, task, store_state_name(state));
	}
	return 0;
}

/* Refuse a restart if requests are damaged: it could not be queued. */
static int
check_asked(const struct store_job *job, struct error *e)
{
	struct store_requests requests;

	if (store_requests_whole(
		job, STORE_STOPS | STORE_HOLDS, &requests, e) == -1)
		return error_prefix(e, job->name);
	store_requests_free(&requests);
	return 0;
}

/* ---- chunks of other programs ---- */

/*
 * Note a chunk's number and the attempts of its tasks; tasks with a newer
 * attempt than the table's go to taken.
 */
static void
note_chunk(struct restart_work *d, const struct store_chunks *all,
    const struct store_chunk *c, struct idset *taken)
{
	uint64_t number = job_chunk_number(c), task;
	size_t i;

	if (number >= d->next)
		d->next = number + 1;
	for (i = 0; i < c->tasks.count; i++)
		for (task = c->tasks.run[i].first;
		     task <= c->tasks.run[i].last && task < d->table->count;
		     task++) {
			if (c->attempt > d->newest[task])
				d->newest[task] = c->attempt;
			if (c->attempt >
				store_table_brief(d->table, task).attempt &&
			    !store_chunk_gave_up(all, c, task))
				idset_add(taken, task, task);
		}
}

static void
remove_tasks(struct idset *from, const struct idset *tasks)
{
	struct idset_walk walk = {0};
	struct idset left = {0};
	uint64_t task;

	while (idset_next(from, &walk, &task))
		if (!idset_has(tasks, task))
			idset_add(&left, task, task);
	idset_free(from);
	*from = left;
}

/* ---- recording new attempts ---- */

/*
 * Put the next tasks of one attempt and of group g into out, as many as fit
 * into an array.  Returns the new attempt.
 */
static uint32_t
next_tasks(const struct restart_work *d, const struct store_group *g,
    struct idset *out)
{
	struct idset_walk walk = {0};
	uint64_t size = 0, task;
	uint32_t newest = d->newest[d->left.run[0].first];

	while (
	    size < job_chunk_room(d->job) && idset_next(&d->left, &walk, &task))
		if (d->newest[task] == newest &&
		    (g != NULL
			    ? idset_has(&g->tasks, task)
			    : store_group_of(&d->job->groups, task) == NULL)) {
			idset_add(out, task, task);
			size++;
		}
	return newest + 1;
}

/* Divide the tasks that are left into chunks with shares of the throttle. */
static void
plan(struct restart_work *d)
{
	struct store_chunks *p = &d->plan;
	struct store_chunk *c;
	struct idset all = {0};
	int64_t parallel;

	store_chunks_free(p);
	d->planned = 0;
	idset_add_all(&all, &d->left);
	while (d->left.count > 0) {
		p->chunk = xgrow(p->chunk, p->count, sizeof *p->chunk);
		c = &p->chunk[p->count++];
		*c = (struct store_chunk){.pack = d->job->pack};
		c->attempt = next_tasks(d,
		    store_group_of(&d->job->groups, d->left.run[0].first),
		    &c->tasks);
		remove_tasks(&d->left, &c->tasks);
	}
	d->left = all;
	/* Recorded chunks keep their shares; at least one index is left. */
	parallel = job_chunk_indices(d->job, d->job->parallel);
	if (parallel > 0)
		parallel = parallel > d->shared ? parallel - d->shared : 1;
	job_chunk_share_all(p->chunk, p->count, parallel);
}

/* Read all chunks, and plan new ones for the tasks that are left. */
static int
survey(struct restart_work *d, struct error *e)
{
	uint64_t i;
	struct idset taken = {0};
	struct idset_walk walk = {0};
	struct store_chunks chunks;

	if (store_chunks_whole(d->job, &chunks, e) == -1)
		return error_prefix(e, d->job->name);
	d->next = job_chunk_first_count(d->job);
	for (i = 0; i < d->table->count; i++)
		d->newest[i] = store_table_brief(d->table, i).attempt;
	for (i = 0; i < chunks.count; i++)
		note_chunk(d, &chunks, &chunks.chunk[i], &taken);
	/* Another program has restarted these. */
	while (idset_next(&taken, &walk, &i))
		if (idset_has(&d->left, i))
			idset_add(&d->out->taken, i, i);
	remove_tasks(&d->left, &taken);
	plan(d);
	idset_free(&taken);
	store_chunks_free(&chunks);
	return 0;
}

/* Record the next chunk.  Returns 0, 1 if its number was taken, or -1. */
static int
record(struct restart_work *d, struct error *e)
{
	struct store_chunk *c = &d->plan.chunk[d->planned];
	const struct store_group *g =
	    store_group_of(&d->job->groups, d->left.run[0].first);
	const struct strlist *more = d->how->options;
	size_t i;
	int rc;

	c->resume = d->how->resume;
	c->why = xcopy(d->how->why);
	c->code = d->job->code.number;
	job_chunk_name(d->job, c, xasprintf("c%05" PRIu64 ".0", d->next));
	/* Add the options of the task's group, unless new ones replace them. */
	for (i = 0; g != NULL && i < g->options.count; i++)
		if (more == NULL ||
		    !job_sbatch_options_replaced(g->options.word[i], more, 0))
			strlist_push(&c->options, g->options.word[i]);
	if (more != NULL)
		strlist_copy(&c->options, more);
	rc = store_intent(d->job, c, e);
	if (rc == 0) {
		idset_add_all(&d->out->tasks, &c->tasks);
		remove_tasks(&d->left, &c->tasks);
		strlist_push(&d->out->chunks, c->name);
		d->shared += c->throttle;
		d->planned++;
		d->next++;
	}
	return rc;
}

/*
 * Record stop requests for LOST tasks before they get a new attempt.  A
 * controller may remember an array that it had forgotten; its tasks must not
 * train while a new attempt, which a watcher may queue, trains too.
 */
static int
dismiss_lost(const struct restart_work *d, struct error *e)
{
	struct idset_walk walk = {0};
	struct idset lost = {0};
	const char *word;
	uint64_t task;
	int rc = 0;

	while (idset_next(&d->left, &walk, &task)) {
		word = store_table_row(d->table, task)->slurm;
		if (word != NULL && strcmp(word, "LOST") == 0)
			idset_add(&lost, task, task);
	}
	if (lost.count > 0)
		rc = store_request_add_all(d->job, STORE_REQUEST_STOP, &lost,
		    store_table_attempt, d->table, stop_words(STOP_RESTARTED),
		    e);
	idset_free(&lost);
	return rc;
}

/* Record all chunks; if another program takes a number, plan again. */
static int
record_all(struct restart_work *d, struct error *e)
{
	int rc = survey(d, e);

	if (rc == 0 && !d->how->keep)
		rc = job_policy_forget(d->job, d->table, e);
	if (rc == 0)
		rc = dismiss_lost(d, e);
	while (rc == 0 && d->left.count > 0) {
		rc = record(d, e);
		if (rc == 1)
			rc = survey(d, e);
	}
	return rc;
}

/* ---- queueing new attempts ---- */

/* Return whether a chunk is in chunks, or was cut out of one: "c00007.0ab". */
static int
is_part(const char *name, const struct strlist *chunks)
{
	size_t i, length;

	for (i = 0; i < chunks->count; i++) {
		length = strlen(chunks->word[i]);
		if (strncmp(name, chunks->word[i], length) == 0 &&
		    strspn(name + length, "ab") == strlen(name + length))
			return 1;
	}
	return 0;
}

/* Withdraw a half that has no record yet, since a watcher would queue it. */
static int
withdraw_half(const struct store_job *job, const struct store_chunks *all,
    const struct store_chunk *c, char which, struct error *e)
{
	struct store_chunk half;
	int is_listed = 0, rc = 0;
	size_t i;

	job_chunk_half(job, c, which, &half);
	for (i = 0; i < all->count; i++)
		is_listed |= strcmp(all->chunk[i].name, half.name) == 0;
	if (!is_listed &&
	    (store_intent(job, &half, e) == -1 ||
		store_chunk_close(job, half.name, STORE_WITHDRAWN, e) == -1))
		rc = -1;
	store_chunk_free(&half);
	return rc;
}

/* Withdraw the new chunks, and their halves, that are not in the queue. */
static int
withdraw_all(
    const struct store_job *job, const struct strlist *chunks, struct error *e)
{
	struct store_chunks all;
	const struct store_chunk *c;
	int rc = store_chunks_list(job, &all, e);

	for (c = all.chunk; rc != -1 && c < all.chunk + all.count; c++) {
		if (!is_part(c->name, chunks))
			continue;
		if (c->claim == STORE_OPEN)
			rc =
			    store_chunk_close(job, c->name, STORE_WITHDRAWN, e);
		else if (c->claim == STORE_CUT &&
		    (withdraw_half(job, &all, c, 'a', e) == -1 ||
			withdraw_half(job, &all, c, 'b', e) == -1))
			rc = -1;
	}
	store_chunks_free(&all);
	return rc;
}

/* Withdraw the new chunks after a failure; if that fails, e says so. */
static void
withdraw(
    const struct store_job *job, const struct strlist *chunks, struct error *e)
{
	struct error why;
	char *first;

	if (withdraw_all(job, chunks, &why) != -1 || e == NULL)
		return;
	first = xstrdup(e->text);
	error_set(e,
	    "%s; the new attempts stay recorded (%s): stop them with "
	    "stfm-stop, or stfm-watch will queue them",
	    first, why.text);
	free(first);
}

/* Move the tasks of withdrawn chunks from out->tasks to out->kept. */
static void
note_kept(const struct store_job *job, struct job_restarted *out)
{
	const struct store_chunk *c;
	struct store_chunks all;

	if (store_chunks_list(job, &all, NULL) == -1)
		return;
	out->queued.left = 0;
	for (c = all.chunk; c < all.chunk + all.count; c++) {
		if (!is_part(c->name, &out->chunks))
			continue;
		if (c->claim == STORE_OPEN)
			out->queued.left += idset_size(&c->tasks);
		if (c->claim != STORE_WITHDRAWN)
			continue;
		remove_tasks(&out->tasks, &c->tasks);
		idset_add_all(&out->kept, &c->tasks);
	}
	store_chunks_free(&all);
}

/* Queue the new chunks.  Returns 0, 1 if Slurm refused some, or -1 if all. */
static int
queue_new(const struct store_job *job, const struct job_restart *restart,
    struct job_restarted *out, struct error *e)
{
	const struct job_enqueue how = {.only = &out->chunks};

	out->answer = job_enqueue(job, &how, &out->queued, e);
	if (out->answer != QUEUE_REFUSED || out->queued.gone || restart->keep)
		return 0;
	withdraw(job, &out->chunks, e);
	note_kept(job, out);
	return out->tasks.count > 0 ? 1 : -1;
}

static int
restart(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const struct job_restart *how,
    struct job_restarted *out, struct error *e)
{
	struct restart_work d = {
	    .job = job, .table = table, .how = how, .out = out};
	char *secret;
	int rc;

	memset(out, 0, sizeof *out);
	out->answer = QUEUE_QUEUED;
	if (job_preflight_check(job, e) == -1 ||
	    check_over(job, table, tasks, e) == -1 || check_asked(job, e) == -1)
		return -1;
	/* A secret in the options makes the job private to its owner. */
	secret = how->options != NULL ? job_provenance_secret_word(how->options)
				      : NULL;
	rc = secret != NULL ? fs_withhold(job->dir, S_IRWXG | S_IRWXO, e) : 0;
	free(secret);
	if (rc == -1)
		return -1;
	d.newest = xcalloc(table->count + 1, sizeof *d.newest);
	idset_add_all(&d.left, tasks);
	rc = record_all(&d, e);
	if (rc != -1 && out->chunks.count > 0) {
		rc = queue_new(job, how, out, e);
	} else if (rc == -1) {
		/* Queue what was recorded; e says why the rest was not. */
		if (out->chunks.count > 0 &&
		    queue_new(job, how, out, NULL) != -1)
			rc = 1;
		idset_add_all(&out->kept, &d.left);
	}
	idset_free(&d.left);
	store_chunks_free(&d.plan);
	free(d.newest);
	return rc;
}

/* Withdraw the new chunks of a job that was removed meanwhile. */
static int
leave_removed(const struct store_job *job, const struct idset *tasks,
    struct job_restarted *out, struct error *e)
{
	withdraw(job, &out->chunks, NULL); /* so its remover need not wait */
	if (!out->queued.gone)
		error_set(e, "%s: removed meanwhile", job->name);
	idset_free(&out->tasks);
	idset_free(&out->kept);
	idset_add_all(&out->kept, tasks);
	return -1;
}

int
job_restart(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const struct job_restart *how,
    struct job_restarted *out, struct error *e)
{
	int rc = restart(job, table, tasks, how, out, e);

	if (out->queued.gone || (rc != 0 && store_job_is_gone(job, NULL) == 1))
		rc = leave_removed(job, tasks, out, e);
	return rc;
}
