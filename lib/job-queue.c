#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs.h"
#include "job-canary.h"
#include "job-nodes.h"
#include "job-queue.h"
#include "job-ready.h"
#include "proc.h"
#include "store-owner.h"
#include "store-wish.h"
#include "xalloc.h"

/*
 * How long an intent without an array may belong to another stfm-submit that
 * is at work, in seconds: longer than any of its calls may take.
 */
enum { SBATCH_SECONDS = 120 };

/* How long a watcher waits after the first refusal and at most, in seconds. */
enum { PAUSE = 10, LONGEST_PAUSE = 300 };

/*
 * A chunk is cut while it is larger than a part of what is in the queue
 * already: small ones fill the room better, large ones are fewer.
 */
enum { COARSE = 4 };

/* The value of the last "--name=value" in a list of options, or NULL. */
static const char *
last_value(const struct words *options, const char *name)
{
	size_t i, n = strlen(name);
	const char *word;

	for (i = options->count; i > 0; i--) {
		word = options->word[i - 1];
		if (strncmp(word, name, n) == 0 && word[n] == '=')
			return word + n + 1;
	}
	return NULL;
}

static const char *
option_value(const struct store_job *job, const struct store_chunk *chunk,
    const char *name)
{
	const char *value = last_value(&chunk->options, name);

	return value != NULL ? value : last_value(&job->options, name);
}

/* Options that are put together with ours. */
static int
is_merged(const char *word)
{
	return strncmp(word, "--comment=", 10) == 0 ||
	    strncmp(word, "--dependency=", 13) == 0;
}

static void
add_options(const struct words *options, struct words *out)
{
	size_t i;

	for (i = 0; i < options->count; i++)
		if (!is_merged(options->word[i]))
			words_push(out, options->word[i]);
}

void
job_queue_words(const struct store_job *job, const struct store_chunk *chunk,
    uint32_t after, struct words *out)
{
	const char *comment = option_value(job, chunk, "--comment");
	const char *dependency = option_value(job, chunk, "--dependency");

	add_options(&job->options, out);
	add_options(&chunk->options, out);
	words_take(out, xasprintf("--job-name=%s", job->name));
	words_take(out,
	    xasprintf("--comment=%s%s%s", chunk->token, comment ? " " : "",
		comment ? comment : ""));
	if (chunk->throttle > 0)
		words_take(out,
		    xasprintf("--array=0-%" PRIu64 "%%%" PRId64,
			ranges_size(&chunk->tasks) - 1, chunk->throttle));
	else
		words_take(out,
		    xasprintf(
			"--array=0-%" PRIu64, ranges_size(&chunk->tasks) - 1));
	if (after != 0)
		words_take(out,
		    xasprintf("--dependency=%s%safterany:%" PRIu32,
			dependency ? dependency : "", dependency ? "," : "",
			after));
	else if (dependency != NULL)
		words_take(out, xasprintf("--dependency=%s", dependency));
	words_take(out, xasprintf("%s/batch.sh", job->path));
	words_push(out, chunk->name);
}

void
job_queued_free(struct job_queued *q)
{
	free(q->array);
	memset(q, 0, sizeof *q);
}

/* All that is known while a job is queued. */
struct work {
	const struct store_job *job;
	const struct job_queue *how;
	struct store_chunks known;
	struct store_wishes wishes;
	struct queue *queue; /* loaded when it was needed */
	int64_t now;
	struct job_queued *out;
	uint32_t last; /* the array before this one */
	enum queue_answer answer;
	int again;   /* somebody else has done something: look anew */
	int is_safe; /* to run what is in the job */
	struct error *e;
};

static int
by_name(const void *name, const void *chunk)
{
	return strcmp(name, ((const struct store_chunk *)chunk)->name);
}

/* What is known of a chunk before it is queued, or NULL. */
static const struct store_chunk *
find_chunk(const struct work *w, const char *name)
{
	if (w->known.count == 0)
		return NULL;
	return bsearch(name, w->known.chunk, w->known.count,
	    sizeof *w->known.chunk, by_name);
}

/* ---- what Slurm has ---- */

static const struct queue *
slurms_queue(struct work *w, int fresh, struct error *e)
{
	if (w->how->watched != NULL && !fresh)
		return w->how->watched;
	if (w->queue != NULL && !fresh)
		return w->queue;
	queue_free(w->queue);
	if (queue_load(&w->queue, e) == -1)
		w->queue = NULL;
	return w->queue;
}

/* How many tasks of the user are in the queue. */
static uint64_t
count_alive(const struct queue *queue)
{
	const struct queue_record *r;
	struct ranges indices = {0};
	uint64_t count = 0;
	size_t i;

	for (i = 0; queue != NULL && i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		if (!r->alive)
			continue;
		if (r->indices != NULL &&
		    ranges_parse(&indices, r->indices, NULL) == 0)
			count += ranges_size(&indices);
		else
			count++;
		ranges_free(&indices);
	}
	return count;
}

/* Whether something of an array is still to come. */
static int
is_alive(const struct queue *queue, uint32_t array)
{
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		if (r->array == array && r->alive)
			return 1;
	}
	return 0;
}

/* Cancel an array that lost the claim; it would not train anyway. */
static void
cancel_array(uint32_t array, const char *token)
{
	struct queue_cancel cancel = {.array = array, .token = token};

	queue_cancel(&cancel, 1, NULL);
}

/* Claim the chunk for one of the arrays that carry its token. */
static int
claim(const struct store_job *job, const struct store_chunk *chunk,
    uint32_t *array, struct error *e)
{
	uint32_t ours = *array;

	if (store_claim(job, chunk->name, array, e) == -1)
		return -1;
	if (*array != ours)
		cancel_array(ours, chunk->token);
	return 0;
}

/*
 * The array to claim among those with the chunk's token: the first that is
 * alive, else the first.  The others that are alive are cancelled.  Returns
 * whether there is one.
 */
static int
best_array(
    const struct queue *queue, const struct store_chunk *chunk, uint32_t *array)
{
	size_t count = 0, i, best = 0;
	uint32_t *ids = queue_find_tokens(queue, chunk->token, &count);

	while (best < count && !is_alive(queue, ids[best]))
		best++;
	if (best == count)
		best = 0;
	for (i = 0; i < count; i++)
		if (i != best && is_alive(queue, ids[i]))
			cancel_array(ids[i], chunk->token);
	if (count > 0)
		*array = ids[best];
	free(ids);
	return count > 0;
}

/* ---- one chunk ---- */

/*
 * Whether a watcher should ask again for what was refused: there is room for
 * it now, or some time has passed.
 */
static int
is_time(struct work *w, const struct store_chunk *c)
{
	uint64_t alive = count_alive(w->how->watched);
	int64_t pause = LONGEST_PAUSE;

	if (alive + ranges_size(&c->tasks) <= c->beside)
		return 1;
	if (c->tries < 6)
		pause = (int64_t)PAUSE << (c->tries - 1);
	return w->now - c->tried >= pause;
}

/*
 * A chunk that is known and not claimed: somebody was interrupted, is at work
 * now, or was refused.  QUEUE_QUEUED with *array, QUEUE_REFUSED when it may be
 * queued again, or what keeps it from that.
 */
static enum queue_answer
look_again(struct work *w, const struct store_chunk *c, uint32_t *array)
{
	const struct queue *queue;

	if (c->refused) {
		if (w->how->watched == NULL || is_time(w, c))
			return QUEUE_REFUSED;
		error_set(w->e, "%s: %s", w->job->name, c->refusal);
		return QUEUE_FULL;
	}
	if (w->how->only != NULL && c->tries == 0)
		return QUEUE_REFUSED;
	queue = slurms_queue(w, 0, w->e);
	if (queue == NULL)
		return QUEUE_UNKNOWN;
	if (best_array(queue, c, array))
		return claim(w->job, c, array, w->e) == 0 ? QUEUE_QUEUED
							  : QUEUE_UNKNOWN;
	if (c->tries > 0 && w->now - c->tried < SBATCH_SECONDS) {
		error_set(w->e,
		    "%s: an earlier sbatch may still be under way; try again "
		    "in %d seconds",
		    w->job->name, (int)(SBATCH_SECONDS - (w->now - c->tried)));
		return QUEUE_UNKNOWN;
	}
	return QUEUE_REFUSED;
}

/* Whether somebody wished all tasks of the chunk to stop. */
static int
is_stopped(const struct store_wishes *wishes, const struct store_chunk *chunk)
{
	struct ranges_walk walk = {0};
	int all = wishes->count > 0;
	uint64_t task;

	while (all && ranges_next(&chunk->tasks, &walk, &task))
		all = store_wished(wishes, task, chunk->attempt);
	return all;
}

/* A stop that came while sbatch was at work knew no array to cancel. */
static void
cancel_stopped(
    const struct store_job *job, const struct store_chunk *c, uint32_t array)
{
	struct store_wishes wishes;

	if (store_wishes_list(job, &wishes, NULL) == -1)
		return;
	if (is_stopped(&wishes, c))
		cancel_array(array, c->token);
	store_wishes_free(&wishes);
}

/* Record what sbatch was told, so that the next try need not wait. */
static void
note_refusal(struct work *w, const struct store_chunk *c, uint32_t n,
    enum queue_answer answer, uint64_t beside)
{
	struct error why = *w->e;

	store_refusal(w->job, c->name, n, why.text, beside, NULL);
	if (answer == QUEUE_FULL)
		error_set(w->e, "%s: Slurm takes no more jobs at present (%s)",
		    w->job->name, why.text);
}

/* Cut the chunk if a part of it may well be taken: whether it was. */
static int
try_cut(struct work *w, const struct store_chunk *c, uint64_t beside)
{
	uint64_t size = ranges_size(&c->tasks);
	int rc;

	if (size == 1 || beside >= COARSE * size)
		return 0;
	rc = store_chunk_close(w->job, c->name, STORE_CUT, w->e);
	w->again |= rc == 1;
	return rc == 0;
}

/*
 * The tasks in the queue when there was no room for more; where an array was
 * too large in itself they do not matter.
 */
static uint64_t
beside_now(struct work *w)
{
	if (strcmp(w->e->text, "MaxArraySize") == 0)
		return 0;
	return count_alive(slurms_queue(w, 1, NULL));
}

/* A canary that passed while sbatch was at work knew no array to let go. */
static void
release_passed(
    const struct store_job *job, const struct store_chunk *c, uint32_t array)
{
	struct store_chunk now = *c;

	now.array = array;
	if (job_canary_has_passed(job, NULL) == 1)
		job_canary_release(job, &now, NULL);
}

/* Call sbatch; *cut says that the chunk was cut because of the answer. */
static enum queue_answer
submit(struct work *w, const struct store_chunk *c, uint32_t n, uint32_t after,
    uint32_t *array, int *cut)
{
	enum queue_answer answer;
	struct store_chunk now = *c;
	struct words words = {0};
	uint64_t beside;

	now.options = job_nodes_options(w->job, c);
	job_queue_words(w->job, &now, after, &words);
	words_free(&now.options);
	answer = queue_submit(words.word, c->token, array, w->e);
	words_free(&words);
	if (answer == QUEUE_QUEUED) {
		if (claim(w->job, c, array, w->e) == -1)
			return QUEUE_UNKNOWN;
		if (*array != 0)
			cancel_stopped(w->job, c, *array);
		if (*array != 0 && job_canary_holds(c))
			release_passed(w->job, c, *array);
	} else if (answer != QUEUE_UNKNOWN) {
		beside = answer == QUEUE_FULL ? beside_now(w) : 0;
		note_refusal(w, c, n, answer, beside);
		*cut = answer == QUEUE_FULL && try_cut(w, c, beside);
	}
	return answer;
}

/* Somebody else has the try: a watcher leaves it to them, others wait. */
static enum queue_answer
give_way(struct work *w, const struct store_chunk *c)
{
	int64_t deadline = proc_clock() + SBATCH_SECONDS * 1000;
	struct timespec nap = {0, 50000000};
	struct store_chunk now;
	int open = 1;

	error_set(w->e, "%s: somebody else is queueing it now", w->job->name);
	while (w->how->watched == NULL && open && proc_clock() < deadline) {
		nanosleep(&nap, NULL);
		if (store_chunk_read(w->job, c->name, &now, NULL) == -1)
			return QUEUE_UNKNOWN;
		open = now.claim == STORE_OPEN && !now.refused;
		store_chunk_free(&now);
	}
	w->again = !open;
	return QUEUE_UNKNOWN;
}

/* Whether it is not for us to say what Slurm would run. */
static int
is_unsafe(struct work *w, const struct store_chunk *c)
{
	if (!w->is_safe && job_ready_check(w->job, w->e) == -1)
		return 1;
	w->is_safe = 1;
	return store_owner_check_chunk(w->job, c->name, w->e) == -1;
}

/* Bring an open chunk into the queue, whatever happened to it before. */
static enum queue_answer
queue_open(struct work *w, const struct store_chunk *c, int known,
    uint32_t after, uint32_t *array, int *cut)
{
	enum queue_answer answer;
	int rc = 0;

	store_wishes_free(&w->wishes); /* sbatch took its time before */
	if (store_wishes_list(w->job, &w->wishes, w->e) == -1)
		return QUEUE_UNKNOWN;
	if (is_stopped(&w->wishes, c))
		return QUEUE_QUEUED; /* it needs no array any more */
	if (known) {
		answer = look_again(w, c, array);
		if (answer != QUEUE_REFUSED)
			return answer;
	}
	if (is_unsafe(w, c))
		return QUEUE_REFUSED;
	if (!known)
		rc = store_intent_place(w->job, c, w->e);
	if (rc == 0)
		rc = store_try(w->job, c->name, c->tries + 1, w->e);
	if (rc == 1)
		return give_way(w, c);
	if (rc == -1)
		return QUEUE_UNKNOWN;
	return submit(w, c, c->tries + 1, after, array, cut);
}

/* ---- all chunks ---- */

static void
note_array(struct work *w, const struct store_chunk *c, uint32_t array)
{
	struct job_queued *out = w->out;

	out->array = xgrow(out->array, out->count, sizeof *out->array);
	out->array[out->count++] = w->last = array;
	out->tasks += ranges_size(&c->tasks);
}

static void queue_tree(struct work *, const struct store_chunk *, uint32_t);

/* With one task at once, the second half waits for the first. */
static void
queue_halves(struct work *w, const struct store_chunk *c, uint32_t after)
{
	struct store_chunk half;
	char which;

	for (which = 'a'; which <= 'b'; which++) {
		if (which == 'b' && c->throttle == 1)
			after = w->last;
		job_chunk_half(w->job, c, which, &half);
		queue_tree(w, &half, after);
		store_chunk_free(&half);
	}
}

/* Slurm has forgotten arrays that ended long ago; they keep nobody waiting. */
static uint32_t
still_there(struct work *w, uint32_t after)
{
	const struct queue *queue =
	    w->how->watched != NULL ? w->how->watched : w->queue;

	if (after != 0 && queue != NULL && !is_alive(queue, after))
		return 0;
	return after;
}

static void
queue_leaf(
    struct work *w, const struct store_chunk *c, int known, uint32_t after)
{
	uint32_t array = 0;
	int cut = 0;

	if (w->answer == QUEUE_QUEUED)
		w->answer = queue_open(
		    w, c, known, still_there(w, after), &array, &cut);
	else if (is_stopped(&w->wishes, c))
		return;
	else
		array = 0;
	if (cut) {
		w->answer = QUEUE_QUEUED;
		queue_halves(w, c, after);
	} else if (w->answer != QUEUE_QUEUED) {
		w->out->left += ranges_size(&c->tasks);
	} else if (array != 0) {
		note_array(w, c, array);
		w->out->fresh++;
		w->out->made += ranges_size(&c->tasks);
	}
}

/* A chunk, or what it was cut into. */
static void
queue_tree(struct work *w, const struct store_chunk *c, uint32_t after)
{
	const struct store_chunk *known = find_chunk(w, c->name);

	if (known != NULL)
		c = known;
	if (c->claim == STORE_ARRAY && !is_stopped(&w->wishes, c))
		note_array(w, c, c->array);
	else if (c->claim == STORE_CUT)
		queue_halves(w, c, after);
	else if (c->claim == STORE_OPEN)
		queue_leaf(w, c, known != NULL, after);
}

/*
 * With fewer tasks at once than arrays, as many arrays as that are let go at
 * once, and each of the others waits for one of them.
 */
static uint32_t
predecessor(
    const struct store_job *job, const uint32_t *last, size_t i, size_t count)
{
	if (job->parallel == 0 || job->parallel >= (int64_t)count ||
	    (int64_t)i < job->parallel)
		return 0;
	return last[i - (size_t)job->parallel];
}

static int
is_meant(const struct work *w, const struct store_chunk *c)
{
	const struct words *only = w->how->only;
	size_t i;

	for (i = 0; only != NULL && i < only->count; i++)
		if (strcmp(only->word[i], c->name) == 0)
			return 1;
	return only == NULL;
}

static void
queue_all(struct work *w)
{
	struct store_chunks plan;
	uint32_t *last;
	size_t i;

	job_chunks(w->job, &plan);
	last = xcalloc(plan.count + 1, sizeof *last);
	for (i = 0; i < plan.count; i++) {
		if (!is_meant(w, &plan.chunk[i]))
			continue;
		w->last = 0;
		queue_tree(w, &plan.chunk[i],
		    predecessor(w->job, last, i, plan.count));
		last[i] = w->last;
	}
	for (i = 0; i < w->known.count; i++)
		if (job_chunk_is_whole(&w->known.chunk[i]) &&
		    job_chunk_number(&w->known.chunk[i]) >= plan.count &&
		    is_meant(w, &w->known.chunk[i])) {
			w->last = 0;
			queue_tree(w, &w->known.chunk[i], 0);
		}
	free(last);
	store_chunks_free(&plan);
}

/* A job that was stored a moment ago is being queued by whoever did that. */
static int
is_too_early(const struct work *w)
{
	int64_t made;

	return w->how->watched != NULL && w->known.count == 0 &&
	    fs_changed(w->job->dir, "sub", &made, NULL) == 0 &&
	    w->now - made < SBATCH_SECONDS;
}

static enum queue_answer
queue_once(struct work *w)
{
	w->again = 0;
	w->answer = QUEUE_QUEUED;
	free(w->out->array);
	w->out->array = NULL;
	w->out->count = 0;
	w->out->tasks = w->out->left = 0;
	if (fs_now(w->job->dir, &w->now, w->e) == -1 ||
	    store_chunks_list(w->job, &w->known, w->e) == -1)
		return QUEUE_UNKNOWN;
	if (store_wishes_list(w->job, &w->wishes, w->e) == -1) {
		w->answer = QUEUE_UNKNOWN;
	} else if (is_too_early(w)) {
		w->out->left = w->job->tasks;
		w->answer = QUEUE_UNKNOWN;
		error_set(w->e, "%s: is being queued", w->job->name);
	} else {
		queue_all(w);
	}
	store_wishes_free(&w->wishes);
	store_chunks_free(&w->known);
	return w->answer;
}

enum queue_answer
job_queue(const struct store_job *job, const struct job_queue *how,
    struct job_queued *out, struct error *e)
{
	static const struct job_queue all = {0};
	struct error why = {""};
	struct work w = {.job = job, .how = how ? how : &all, .out = out};
	enum queue_answer answer;

	w.e = e != NULL ? e : &why;
	memset(out, 0, sizeof *out);
	do
		answer = queue_once(&w);
	while (answer != QUEUE_QUEUED && w.again);
	queue_free(w.queue);
	return answer;
}
