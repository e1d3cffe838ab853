#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "control/bad-nodes.h"
#include "control/canary.h"
#include "control/cancel-race.h"
#include "control/cancel.h"
#include "control/claim.h"
#include "control/dependency.h"
#include "control/enqueue.h"
#include "control/hold.h"
#include "control/sbatch-argv.h"
#include "control/throttle.h"
#include "job/preflight.h"
#include "store/chunk.h"
#include "store/load.h"
#include "store/permissions.h"
#include "sys/fs.h"
#include "sys/proc.h"

/* The state of queueing the chunks of a job. */
struct job_enqueuing {
	const struct store_job *job;
	const struct job_enqueue *how;
	struct store_requests requests; /* to be freed */
	char *dependency;               /* on other jobs' arrays, or NULL */
	struct queue *queue;            /* loaded when needed; to be freed */
	int64_t now;
	int failed;   /* a record could not be read or written */
	int again;    /* another process changed a chunk: read all again */
	int behind;   /* an array waits for other arrays of the job */
	int is_safe;  /* the job has passed its checks */
	int called;   /* sbatch was called: there may be an array */
	int unheard;  /* Slurm may have taken the last array, or not */
	int checked;  /* the cluster is known to keep tokens */
	int64_t wait; /* as in struct job_enqueued */
	struct error *e;
};

/* Seconds until a watcher retries a refused chunk: at first, and at most. */
enum { PAUSE = 10, LONGEST_PAUSE = 300 };

/*
 * Cut a refused chunk only if it has more than 1/COARSE of the queue's tasks:
 * small chunks fill the room better, large chunks are fewer.
 */
enum { COARSE = 4 };

static int
ask_again(struct job_enqueuing *q, struct error *e)
{
	queue_free(q->queue);
	if (queue_load(&q->queue, e) == 0)
		return 0;
	q->queue = NULL;
	return -1;
}

static const struct queue *
slurms_queue(struct job_enqueuing *q, int fresh, struct error *e)
{
	if (q->how->watched != NULL && !fresh)
		return q->how->watched;
	if (q->queue == NULL || fresh)
		ask_again(q, e);
	return q->queue;
}

/*
 * Return whether a watcher should retry a refused chunk: there is room for it
 * now, or enough time has passed.
 */
static int
is_time(struct job_enqueuing *q, const struct store_chunk *c)
{
	uint64_t alive = job_claim_count_alive(q->how->watched);
	int64_t pause = LONGEST_PAUSE;

	if (alive + store_chunk_size(c) <= c->alive)
		return 1;
	if (c->tries < 6)
		pause = (int64_t)PAUSE << (c->tries - 1);
	return q->now - c->tried >= pause;
}

/* Record the refusal, so that the next try need not wait. */
static void
note_refusal(struct job_enqueuing *q, const struct store_chunk *c, uint32_t n,
    enum queue_answer answer, uint64_t alive)
{
	struct error why = *q->e;

	store_refusal(q->job, c->name, n, &why, alive, NULL);
	if (answer == QUEUE_FULL)
		error_set(q->e, "%s: Slurm takes no more jobs at present (%s)",
		    store_job_name(q->job), why.text);
}

/* Cut a refused chunk if Slurm may take a part.  Returns whether it did. */
static int
try_cut(struct job_enqueuing *q, const struct store_chunk *c, uint64_t alive)
{
	uint64_t size = store_chunk_size(c);
	int rc;

	if (size == 1 || alive >= COARSE * size)
		return 0;
	rc = store_chunk_close(q->job, c->name, STORE_CUT, q->e);
	q->again |= rc == 1;
	return rc == 0;
}

/* Add --hold if a request says now to hold some of the chunk's tasks. */
static int
follow_requests(struct job_enqueuing *q, struct store_chunk *now)
{
	struct store_requests holds;
	uint64_t held;

	/* The try is recorded: programs that add requests now see it. */
	if (store_requests_whole(q->job, STORE_HOLDS, &holds, q->e) == -1)
		return -1;
	held = job_hold_count(&holds, now);
	store_requests_free(&holds);
	if (held == 0 || job_sbatch_is_held(q->job, now))
		return 0;
	strlist_push(&now->options, "--hold");
	return job_hold_begin(q->job, now, q->e);
}

/*
 * Apply to a new array the requests made while sbatch was running, when there
 * was no array yet to cancel, hold or release.
 */
static void
apply_late(struct job_enqueuing *q, const struct store_chunk *c,
    int64_t throttle, uint32_t array)
{
	struct store_chunk now = *c;
	struct store_requests stops;

	now.array = array;
	now.claim = STORE_ARRAY;
	if (store_requests_list(q->job, STORE_STOPS, &stops, NULL) == 0) {
		if (job_chunk_is_stopped(&stops, c))
			job_claim_cancel(array, c->token);
		store_requests_free(&stops);
	}
	job_hold_chunk(q->job, &now, throttle, NULL); /* a watcher retries */
	if (job_canary_holds(c) && job_canary_has_passed(q->job, NULL) == 1)
		job_canary_release(q->job, &now, NULL);
}

/* Note that the store failed, not Slurm. */
static enum queue_answer
fails(struct job_enqueuing *q)
{
	q->failed = 1;
	return QUEUE_UNKNOWN;
}

/*
 * Note that another command, which was at work at the time since, may still
 * queue tasks.  Returns whether it may.
 */
static int
may_be_queueing(struct job_enqueuing *q, int64_t since)
{
	int64_t wait = JOB_SBATCH_SECONDS - (q->now - since);

	if (wait <= 0)
		return 0;
	q->wait = wait;
	error_set(q->e,
	    "%s: another command may still be queueing it; try again in "
	    "%" PRId64 " seconds",
	    store_job_name(q->job), wait);
	return 1;
}

/*
 * Decide about a stored chunk without a claim: its program was interrupted, is
 * queueing it now, or was refused.  Returns QUEUE_QUEUED with *array set,
 * QUEUE_REFUSED if the chunk may be queued now, or the answer that prevents it.
 */
static enum queue_answer
look_again(
    struct job_enqueuing *q, const struct store_chunk *c, uint32_t *array)
{
	const struct queue *queue;

	if (c->refused) {
		if (q->how->watched == NULL || is_time(q, c))
			return QUEUE_REFUSED;
		error_set(q->e, "%s: %s", store_job_name(q->job), c->refusal);
		return QUEUE_FULL;
	}
	if (q->how->only != NULL && c->tries == 0)
		return QUEUE_REFUSED;
	queue = slurms_queue(q, 0, q->e);
	if (queue == NULL)
		return QUEUE_UNKNOWN;
	if (job_claim_find(queue, c, array)) {
		if (job_claim_claim(q->job, c, array, q->e) == -1)
			return fails(q);
		if (*array != 0)
			apply_late(q, c, -1, *array);
		return QUEUE_QUEUED;
	}
	return c->tries > 0 && may_be_queueing(q, c->tried) ? QUEUE_UNKNOWN
							    : QUEUE_REFUSED;
}

/* The share and the dependency with which an array is queued. */
struct room {
	int64_t throttle;
	char *after; /* dependency on other arrays, or NULL */
};

/*
 * Find the room for a chunk, asking Slurm again because arrays may have been
 * added.  Returns 0 or -1; q->failed is set if the store failed.
 */
static int
find_room(struct job_enqueuing *q, const struct store_chunk *c, uint32_t after,
    struct room *out)
{
	struct store_chunks others;
	int rc = job_throttle_others(q->job, &q->requests, c, &others, q->e);
	char *before;

	*out = (struct room){0};
	q->failed |= rc == -1;
	if (rc == 0 && others.count > 0)
		rc = ask_again(q, q->e);
	if (rc == 0)
		out->throttle = job_throttle_share(
		    q->job, &q->requests, c, &others, q->queue, &out->after);
	q->behind |= out->after != NULL;
	if (rc == 0 && after != 0) {
		before = out->after;
		out->after = xasprintf("%s%safterany:%" PRIu32,
		    before != NULL ? before : "", before != NULL ? "," : "",
		    after);
		free(before);
	}
	store_chunks_free(&others);
	return rc;
}

/* Call sbatch; the first time, check that the cluster keeps the token. */
static enum queue_answer
call_sbatch(struct job_enqueuing *q, const struct store_chunk *c,
    char *const words[], uint32_t *array)
{
	enum queue_answer answer;
	struct error why;

	q->called = 1;
	answer = queue_submit(words, c->token, array, q->e);
	if (answer != QUEUE_QUEUED || q->checked)
		return answer;
	if (job_claim_check(q->job, c, *array, &why) == -1) {
		error_copy(q->e, &why);
		return QUEUE_REFUSED;
	}
	q->checked = 1;
	return QUEUE_QUEUED;
}

/* Submit the chunk as try n; *cut says that it was cut: Slurm is full. */
static enum queue_answer
submit(struct job_enqueuing *q, const struct store_chunk *c, uint32_t n,
    const struct room *room, uint32_t *array, int *cut)
{
	enum queue_answer answer;
	struct store_chunk now = *c;
	struct strlist words = {0};
	uint64_t alive = 0;
	char *script = NULL, *on;

	now.throttle = room->throttle;
	now.options = bad_nodes_options(q->job, c);
	if (q->dependency != NULL) { /* joined with the user's --dependency */
		on = job_sbatch_dependency(q->job, &now, q->dependency);
		strlist_take(&now.options, xasprintf("--dependency=%s", on));
		free(on);
	}
	if (follow_requests(q, &now) == 0)
		script = store_chunk_link(q->job, c, q->e);
	if (script == NULL) {
		strlist_free(&now.options);
		return fails(q);
	}
	job_sbatch_argv(q->job, &now, room->after, script, &words);
	strlist_free(&now.options);
	answer = call_sbatch(q, c, words.word, array);
	q->unheard = answer == QUEUE_UNKNOWN;
	strlist_free(&words);
	fs_unlink(AT_FDCWD, script, NULL);
	free(script);
	if (answer == QUEUE_QUEUED) {
		if (job_claim_claim(q->job, c, array, q->e) == -1)
			return fails(q);
		if (*array != 0)
			apply_late(q, c, now.throttle, *array);
	} else if (answer != QUEUE_UNKNOWN) {
		/* An array that is too large would never fit. */
		if (answer == QUEUE_FULL)
			alive = job_claim_count_alive(slurms_queue(q, 1, NULL));
		if (answer == QUEUE_TOO_LARGE)
			answer = QUEUE_FULL;
		note_refusal(q, c, n, answer, alive);
		*cut = answer == QUEUE_FULL && try_cut(q, c, alive);
	}
	return answer;
}

/* Another process has the try: a watcher leaves it, other programs wait. */
static enum queue_answer
give_way(struct job_enqueuing *q, const struct store_chunk *c)
{
	int64_t deadline = proc_clock() + JOB_SBATCH_SECONDS * 1000;
	struct timespec nap = {0, 50000000};
	struct store_chunk now;
	int open = 1;

	error_set(q->e, "%s: another command is queueing it now",
	    store_job_name(q->job));
	while (q->how->watched == NULL && open && proc_blocked() == 0 &&
	    proc_clock() < deadline) {
		nanosleep(&nap, NULL);
		if (store_chunk_read(q->job, c->name, &now, q->e) == -1)
			return fails(q);
		open = now.claim == STORE_OPEN && !now.refused;
		store_chunk_free(&now);
	}
	q->again = !open;
	return QUEUE_UNKNOWN;
}

/* Return whether the job or its batch script fails the checks before a run. */
static int
is_unsafe(struct job_enqueuing *q, const struct store_chunk *c)
{
	if (!q->is_safe && job_preflight_check(q->job, q->e) == -1)
		return 1;
	q->is_safe = 1;
	return store_permissions_check_chunk(q->job, c->name, q->e) == -1;
}

/*
 * Bring an open chunk into the queue; known says that it is in the store.
 * Returns QUEUE_QUEUED with *array 0 if no array is needed, because all of its
 * tasks are stopped or held.  *cut says that the chunk was cut because of
 * another answer.
 */
static enum queue_answer
job_queue_chunk(struct job_enqueuing *q, const struct store_chunk *c, int known,
    uint32_t after, uint32_t *array, int *cut)
{
	enum queue_answer answer;
	struct room room;
	int rc = 0, gone = 0;

	/* An earlier sbatch may have taken long: read the requests again. */
	store_requests_free(&q->requests);
	if (store_requests_whole(
		q->job, STORE_STOPS | STORE_HOLDS, &q->requests, q->e) == -1)
		return fails(q);
	if (job_chunk_is_stopped(&q->requests, c))
		return QUEUE_QUEUED; /* no array is needed */
	rc = job_cancel_unwanted(q->job, c, known, &q->requests, q->e);
	if (rc != 0)
		return rc == 1 ? QUEUE_QUEUED : fails(q);
	if (known) {
		answer = look_again(q, c, array);
		if (answer != QUEUE_REFUSED)
			return answer;
	}
	if (job_hold_count(&q->requests, c) == idset_size(&c->tasks))
		return QUEUE_QUEUED;
	if (is_unsafe(q, c))
		return error_may_pass(q->e) ? fails(q) : QUEUE_REFUSED;
	if (find_room(q, c, after, &room) == -1)
		return QUEUE_UNKNOWN;
	if (!known)
		rc = store_intent_place(q->job, c, q->e);
	if (rc == 0)
		rc = store_try(q->job, c->name, c->tries + 1, q->e);
	if (rc == 0)
		gone = store_job_is_gone(q->job, q->e);
	if (rc == -1 || gone == -1) {
		answer = fails(q);
	} else if (gone == 1) { /* see control/remove.h */
		error_set(
		    q->e, "%s: removed meanwhile", store_job_name(q->job));
		store_refusal(q->job, c->name, c->tries + 1, q->e, 0, NULL);
		answer = QUEUE_REFUSED;
	} else if (rc == 1) {
		answer = give_way(q, c);
	} else {
		answer = submit(q, c, c->tries + 1, &room, array, cut);
	}
	free(room.after);
	return answer;
}

void
job_enqueued_free(struct job_enqueued *q)
{
	free(q->array);
	free(q->fresh);
	memset(q, 0, sizeof *q);
}

char *
job_enqueue_ids(const uint32_t *array, size_t count, const char *separator)
{
	char *text = NULL;
	size_t i, length;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu32, i > 0 ? separator : "", array[i]);
	xmemclose(out);
	return text;
}

/* The state of one call of job_enqueue. */
struct work {
	struct job_enqueuing q;
	struct store_chunks known;
	struct job_enqueued *out;
	int waited;       /* chunks are left because of other jobs */
	char *waits;      /* "after prep": the jobs to wait for; or NULL */
	int64_t parallel; /* indices at a time; 0: no limit */
	uint32_t last;    /* the array queued before this one */
	enum queue_answer answer;
};

static int
by_name(const void *name, const void *chunk)
{
	return strcmp(name, ((const struct store_chunk *)chunk)->name);
}

static void
note_array(struct work *w, const struct store_chunk *c, uint32_t array)
{
	struct job_enqueued *out = w->out;

	out->array = xgrow(out->array, out->count, sizeof *out->array);
	out->array[out->count++] = w->last = array;
	out->tasks += idset_size(&c->tasks);
}

static void queue_tree(struct work *, const struct store_chunk *, uint32_t);

/* Queue both halves; with one task at a time the second waits. */
static void
queue_halves(struct work *w, const struct store_chunk *c, uint32_t after)
{
	struct store_chunk half;
	char which;

	for (which = 'a'; which <= 'b'; which++) {
		if (which == 'b' && c->throttle == 1 && w->parallel > 0)
			after = w->last;
		job_chunk_half(w->q.job, c, which, &half);
		queue_tree(w, &half, after);
		store_chunk_free(&half);
	}
}

static int
is_fresh(const struct job_enqueued *out, uint32_t array)
{
	size_t i;

	for (i = 0; i < out->fresh_count; i++)
		if (out->fresh[i] == array)
			return 1;
	return 0;
}

/*
 * Return after, or 0 if Slurm's queue no longer has that array.  Arrays made by
 * this call may be newer than the queue, so they count as present.
 */
static uint32_t
still_there(struct work *w, uint32_t after)
{
	const struct queue *queue =
	    w->q.how->watched != NULL ? w->q.how->watched : w->q.queue;

	if (after != 0 && !is_fresh(w->out, after) && queue != NULL &&
	    !job_claim_is_alive(queue, after, NULL))
		return 0;
	return after;
}

static void queue_now(
    struct work *, const struct store_chunk *, int known, uint32_t after);

/* Queue a chunk, unless the job waits for others and Slurm cannot do that. */
static void
queue_leaf(
    struct work *w, const struct store_chunk *c, int known, uint32_t after)
{
	if (w->waits == NULL || w->q.dependency != NULL) {
		queue_now(w, c, known, after);
	} else if (!job_chunk_is_stopped(&w->q.requests, c)) {
		w->out->left += idset_size(&c->tasks);
		w->waited = 1;
	}
}

/* Stop between two arrays if a signal arrived. */
static void
look_for_signals(struct work *w)
{
	if (proc_blocked() == 0)
		return;
	w->out->interrupted = 1;
	if (w->answer != QUEUE_QUEUED)
		return;
	w->answer = QUEUE_UNKNOWN;
	error_set(w->q.e, "%s: interrupted", store_job_name(w->q.job));
}

static void
queue_now(
    struct work *w, const struct store_chunk *c, int known, uint32_t after)
{
	struct job_enqueued *out = w->out;
	uint32_t array = 0;
	int cut = 0;

	look_for_signals(w);
	if (w->answer == QUEUE_QUEUED)
		w->answer = job_queue_chunk(
		    &w->q, c, known, still_there(w, after), &array, &cut);
	else if (job_chunk_is_stopped(&w->q.requests, c))
		return;
	if (cut) {
		w->answer = QUEUE_QUEUED;
		queue_halves(w, c, after);
	} else if (w->answer != QUEUE_QUEUED) {
		out->left += idset_size(&c->tasks);
	} else if (array != 0) {
		note_array(w, c, array);
		out->fresh =
		    xgrow(out->fresh, out->fresh_count, sizeof *out->fresh);
		out->fresh[out->fresh_count++] = array;
		out->made += idset_size(&c->tasks);
	}
}

/* Queue a chunk or, if it was cut, its halves. */
static void
queue_tree(struct work *w, const struct store_chunk *c, uint32_t after)
{
	const struct store_chunk *known = NULL;

	if (w->known.count > 0)
		known = bsearch(c->name, w->known.chunk, w->known.count,
		    sizeof *known, by_name);
	if (known != NULL)
		c = known;
	if (c->claim == STORE_ARRAY && !job_chunk_is_stopped(&w->q.requests, c))
		note_array(w, c, c->array);
	else if (c->claim == STORE_CUT)
		queue_halves(w, c, after);
	else if (c->claim == STORE_OPEN)
		queue_leaf(w, c, known != NULL, after);
}

static int
is_meant(const struct work *w, const struct store_chunk *c)
{
	const struct strlist *only = w->q.how->only;

	return only == NULL || strlist_have(only, c->name);
}

static void
queue_all(struct work *w)
{
	struct store_chunks plan;
	uint32_t *last, after;
	uint64_t first = job_chunk_first_count(w->q.job);
	size_t i, at_once = (size_t)w->parallel;

	job_chunks(w->q.job, &plan);
	last = xcalloc(plan.count + 1, sizeof *last);
	for (i = 0; i < plan.count; i++) {
		if (!is_meant(w, &plan.chunk[i]))
			continue;
		/* If fewer tasks than arrays may run, later arrays wait. */
		after = 0;
		if (at_once > 0 && at_once < plan.count && i >= at_once)
			after = last[i - at_once];
		w->last = 0;
		queue_tree(w, &plan.chunk[i], after);
		last[i] = w->last;
	}
	for (i = 0; i < w->known.count; i++)
		if (job_chunk_is_whole(&w->known.chunk[i]) &&
		    job_chunk_number(&w->known.chunk[i]) >= first &&
		    is_meant(w, &w->known.chunk[i])) {
			w->last = 0;
			queue_tree(w, &w->known.chunk[i], 0);
		}
	free(last);
	store_chunks_free(&plan);
}

/* Return whether the program that stored the job is still queueing it. */
static int
is_too_early(struct work *w)
{
	int64_t made;

	return w->q.how->watched != NULL && w->known.count == 0 &&
	    store_job_after(w->q.job)->count == 0 &&
	    fs_changed(store_job_dir(w->q.job), "sub", &made, NULL) == 0 &&
	    may_be_queueing(&w->q, made);
}

/*
 * Find out whether the job waits for others, and whether Slurm can do the
 * waiting.  Returns 0 or -1.
 */
static int
look_at_others(struct work *w)
{
	const struct queue *q = w->q.how->watched;
	enum job_dependency how;

	w->waited = 0;
	if (job_dependency_settle(w->q.job, &how, &w->waits, w->q.e) == -1)
		return -1;
	if (how != JOB_DEPENDENCY_WAITS)
		return 0;
	if (q == NULL && w->q.queue == NULL)
		queue_load(&w->q.queue, NULL);
	w->q.dependency =
	    job_dependency_for_slurm(w->q.job, q != NULL ? q : w->q.queue);
	return 0;
}

/* Queue all chunks that may be queued now. */
static void
queue_ready(struct work *w)
{
	w->parallel = job_chunk_indices(
	    w->q.job, store_request_limit(w->q.job, &w->q.requests));
	if (look_at_others(w) == -1) {
		w->out->left = store_job_tasks(w->q.job);
		w->answer = QUEUE_UNKNOWN;
		w->q.failed = 1;
	} else {
		queue_all(w);
	}
	if (w->answer == QUEUE_QUEUED && w->waited) {
		w->answer = QUEUE_UNKNOWN;
		w->out->waits = 1;
		error_set(w->q.e, "%s: to come %s", store_job_name(w->q.job),
		    w->waits);
	}
	free(w->waits);
	free(w->q.dependency);
	w->waits = w->q.dependency = NULL;
}

static enum queue_answer
queue_once(struct work *w)
{
	w->q.again = w->q.failed = 0;
	w->q.wait = 0;
	w->answer = QUEUE_QUEUED;
	free(w->out->array);
	w->out->array = NULL;
	w->out->count = 0;
	w->out->tasks = w->out->left = 0;
	if (fs_now(store_job_dir(w->q.job), &w->q.now, w->q.e) == -1 ||
	    store_chunks_list(w->q.job, &w->known, w->q.e) == -1) {
		w->q.failed = 1;
		return QUEUE_UNKNOWN;
	}
	if (store_requests_whole(w->q.job, STORE_STOPS | STORE_HOLDS,
		&w->q.requests, w->q.e) == -1) {
		w->out->damaged = w->q.e->code == ERROR_DAMAGED;
		w->answer = QUEUE_UNKNOWN;
		w->q.failed = 1;
	} else if (is_too_early(w)) {
		w->out->left = store_job_tasks(w->q.job);
		w->answer = QUEUE_UNKNOWN;
	} else {
		queue_ready(w);
	}
	store_requests_free(&w->q.requests);
	store_chunks_free(&w->known);
	return w->answer;
}

/* Cancel the arrays of a job that was removed; its records may be gone, too. */
static enum queue_answer
leave_removed(struct work *w)
{
	const char *job = store_job_name(w->q.job);
	struct error why;

	if (w->q.called && job_cancel_all(w->q.job, &why) == -1)
		error_set(w->q.e,
		    "%s: the job was removed meanwhile, and its arrays could "
		    "not be cancelled: use scancel (%s)",
		    job, why.text);
	else
		error_set(w->q.e, "%s: removed meanwhile%s", job,
		    w->q.called ? ": its queued tasks are cancelled" : "");
	job_enqueued_free(w->out);
	w->out->gone = 1;
	w->q.failed = 0;
	return QUEUE_REFUSED;
}

enum queue_answer
job_enqueue(const struct store_job *job, const struct job_enqueue *how,
    struct job_enqueued *out, struct error *e)
{
	static const struct job_enqueue all = {0};
	struct error why = {""};
	struct work w = {
	    .q = {.job = job, .how = how ? how : &all}, .out = out};
	enum queue_answer answer;

	w.q.e = e != NULL ? e : &why;
	memset(out, 0, sizeof *out);
	do
		answer = queue_once(&w);
	while (answer != QUEUE_QUEUED && w.q.again && proc_blocked() == 0);
	if ((w.q.called || answer != QUEUE_QUEUED) &&
	    store_job_is_gone(job, NULL) == 1)
		answer = leave_removed(&w);
	queue_free(w.q.queue);
	out->failed = w.q.failed;
	out->unheard = w.q.unheard && answer == QUEUE_UNKNOWN;
	out->behind = w.q.behind;
	out->wait = w.q.wait;
	return answer;
}
