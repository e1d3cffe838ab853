#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "control/cancel-race.h"
#include "control/cancel.h"
#include "control/chunk.h"
#include "control/claim.h"
#include "slurm/queue.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/load.h"
#include "store/request.h"
#include "store/table-row.h"
#include "store/table.h"
#include "sys/fs.h"

/* The most seconds from an intent to its first try. */
enum { MOMENT = 10 };

void
job_cancel_open(const struct store_table *table, const struct idset *tasks,
    struct idset *out)
{
	uint64_t i;

	memset(out, 0, sizeof *out);
	for (i = 0; i < table->count; i++)
		if (idset_has(tasks, i) && !state_is_over(table, i))
			idset_add(out, i, i);
}

static int
record(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const char *why, struct error *e)
{
	return store_request_add_all(
	    job, STORE_REQUEST_STOP, tasks, store_table_attempt, table, why, e);
}

/* Stop attempts that were queued after the table was made. */
static int
stop_newer(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const char *why, struct error *e)
{
	const struct job_cancelled stopped = {
	    tasks, store_table_attempt, table, why};

	return job_cancel_newer(job, &stopped, e);
}

/* The tasks to cancel, and the records that decide about the others. */
struct stopping {
	const struct store_table *table;
	const struct idset *tasks;
	const struct store_requests *stops;
};

/*
 * Return whether a task of chunk c still has to train and has no stop request.
 * If the table does not know the attempt of c yet, only the requests decide.
 */
static int
is_wanted(const struct stopping *s, const struct store_chunk *c, uint64_t task)
{
	uint32_t attempt;

	if (task >= s->table->count)
		return 0;
	attempt = store_table_brief(s->table, task).attempt;
	if (c->attempt > attempt)
		return !store_stop_is_asked(s->stops, task, c->attempt);
	return !store_state_is_final(store_table_state(s->table, task)) &&
	    !store_stop_is_asked(s->stops, task, attempt);
}

/*
 * Find out what to cancel of one chunk: the whole array if all its other tasks
 * are over or stopped.  Returns 0 if there is nothing to cancel.
 */
static int
cancellation(const struct stopping *s, const struct store_chunk *chunk,
    struct queue_cancel *out)
{
	uint64_t size = store_chunk_size(chunk), i, k, first, count, task;
	int64_t index;
	struct idset indices = {0};
	int others = 0, meant, wanted;

	for (i = 0; i < size; i++) {
		/*
		 * Slurm can only cancel all tasks of one index together.  If
		 * one of them is still wanted, leave the index: a run whose
		 * task is to stop finds the stop request and ends itself.
		 */
		meant = wanted = 0;
		count = store_chunk_packed(chunk, i, &first);
		for (k = 0; k < count; k++) {
			task = idset_at(&chunk->tasks, first + k);
			if (idset_has(s->tasks, task))
				meant = 1;
			else
				wanted |= is_wanted(s, chunk, task);
		}
		others |= wanted;
		if (!meant || wanted)
			continue;
		index = store_chunk_at(chunk, i);
		if (index < 0) /* a single job without an index */
			index = 0;
		idset_add(&indices, (uint64_t)index, (uint64_t)index);
	}
	memset(out, 0, sizeof *out);
	if (indices.count == 0)
		return 0;
	out->array = chunk->array;
	out->token = chunk->token;
	out->indices = others ? idset_text(&indices) : NULL;
	idset_free(&indices);
	return 1;
}

int
job_cancel_send(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const struct queue *known, struct error *e)
{
	struct store_requests stops = {0};
	const struct stopping stopping = {table, tasks, &stops};
	struct store_chunks chunks;
	struct queue_cancel *list;
	size_t count = 0, i;
	int rc = 0;

	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	/* On an error, all other open tasks count as wanted and stay. */
	store_requests_list(job, STORE_STOPS, &stops, NULL);
	list = xcalloc(chunks.count + 1, sizeof *list);
	for (i = 0; i < chunks.count; i++)
		if (chunks.chunk[i].array != 0 &&
		    cancellation(&stopping, &chunks.chunk[i], &list[count]))
			count++;
	if (count > 0)
		rc = queue_cancel(list, count, known, e);
	if (rc == 0 && chunks.damaged.count > 0)
		rc = error_code(e, ERROR_DAMAGED, "%s", chunks.damaged.word[0]);
	for (i = 0; i < count; i++)
		free((char *)(uintptr_t)list[i].indices);
	free(list);
	store_requests_free(&stops);
	store_chunks_free(&chunks);
	return rc;
}

/* Call job_cancel_send, and set *outcome to how far it got if it fails. */
static int
send_cancel(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const struct queue *known,
    enum job_cancel_outcome *outcome, struct error *e)
{
	struct error why = {""};
	int rc = job_cancel_send(job, table, tasks, known, &why);

	*outcome =
	    queue_is_silent(&why) ? JOB_CANCEL_UNANSWERED : JOB_CANCEL_REFUSED;
	if (rc == -1)
		error_copy(e, &why);
	return rc;
}

/*
 * Record the stop request first: a task cancelled without it would be LOST or
 * failed, and a rule could requeue it.  A damaged record does not prevent a
 * user from cancelling the rest; a rule waits for the next pass.
 */
int
job_cancel(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const char *why, const struct queue *known,
    enum job_cancel_outcome *outcome, struct error *e)
{
	struct error first;
	int unrecorded = record(job, table, tasks, why, &first);

	/* A newer attempt must not train either. */
	if (unrecorded == 0 && stop_newer(job, table, tasks, why, &first) == -1)
		unrecorded = -1;
	if (unrecorded == -1)
		error_copy(e, &first);
	*outcome = JOB_CANCEL_UNRECORDED;
	if (unrecorded == -1 && (why != NULL || first.code != ERROR_DAMAGED))
		return -1;
	if (send_cancel(
		job, table, tasks, known, outcome, unrecorded ? NULL : e) == -1)
		return -1;
	return unrecorded;
}

int
job_cancel_repeated(const struct store_job *job,
    const struct store_table *table, const struct idset *tasks, const char *why,
    enum job_cancel_outcome *outcome, struct error *e)
{
	struct error first;
	int rc = stop_newer(job, table, tasks, why, &first);

	*outcome = rc == -1 && first.code != ERROR_DAMAGED
	    ? JOB_CANCEL_UNRECORDED
	    : JOB_CANCEL_REFUSED;
	if (rc == -1)
		return error_copy(e, &first);
	if (rc == 1)
		rc = send_cancel(job, table, tasks, NULL, outcome, e);
	return rc;
}

int
job_cancel_retries(const struct store_job *job, const struct store_table *table,
    const struct idset *tasks, const char *why,
    enum job_cancel_outcome *outcome, struct error *e)
{
	char *not_again = state_not_again(why);
	int rc = record(job, table, tasks, not_again, e);

	free(not_again);
	*outcome = JOB_CANCEL_UNRECORDED;
	if (rc == 0)
		rc = job_cancel_repeated(job, table, tasks, why, outcome, e);
	return rc;
}

/* Return the token of r if r is alive and belongs to the job, or NULL. */
static char *
own_token(const struct queue_record *r, const char *prefix)
{
	return r->alive ? queue_token_of(r, prefix) : NULL;
}

static int
has_alive(const struct queue *queue, const struct store_job *job)
{
	char *prefix = job_token_prefix(job), *token = NULL;
	int found;
	size_t i;

	for (i = 0; i < queue_count(queue) && token == NULL; i++)
		token = own_token(queue_record(queue, i), prefix);
	found = token != NULL;
	free(token);
	free(prefix);
	return found;
}

/* List the job's arrays that are alive; the list and its tokens are to free. */
static size_t
list_alive(const struct queue *queue, const struct store_job *job,
    struct queue_cancel **out)
{
	struct queue_cancel *list = NULL;
	char *prefix = job_token_prefix(job), *token;
	const struct queue_record *r;
	size_t i, k, count = 0;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		for (k = 0; k < count && list[k].array != r->array; k++)
			continue;
		token = k < count ? NULL : own_token(r, prefix);
		if (token == NULL)
			continue;
		list = xgrow(list, count, sizeof *list);
		list[count++] =
		    (struct queue_cancel){.array = r->array, .token = token};
	}
	free(prefix);
	*out = list;
	return count;
}

/* Record stop requests for the arrays, in case the job is not removed. */
static void
stop_arrays(
    const struct store_job *job, const struct queue_cancel *list, size_t count)
{
	struct store_request stop = {.kind = STORE_REQUEST_STOP};
	struct store_chunks all;
	const struct store_chunk *c;
	struct store_table *table = store_table_load(job, NULL);
	struct idset_walk walk;
	uint64_t task;
	size_t k;

	if (table == NULL || store_chunks_list(job, &all, NULL) == -1) {
		store_table_free(table);
		return;
	}
	for (c = all.chunk; c < all.chunk + all.count; c++) {
		for (k = 0; k < count; k++)
			if (strcmp(c->token, list[k].token) == 0)
				break;
		if (k == count)
			continue;
		walk = (struct idset_walk){0};
		while (idset_next(&c->tasks, &walk, &task))
			if (task >= table->count ||
			    !store_state_is_final(
				store_table_state(table, task)))
				idset_add(&stop.tasks, task, task);
		stop.attempt = c->attempt;
		if (stop.tasks.count > 0)
			store_request_add(job, &stop, 1, NULL);
		idset_free(&stop.tasks);
	}
	store_chunks_free(&all);
	store_table_free(table);
}

int
job_cancel_all(const struct store_job *job, struct error *e)
{
	struct queue_cancel *list;
	struct queue *queue;
	size_t count, i;
	int rc = 0, stopped = 0;

	if (queue_load(&queue, e) == -1)
		return -1;
	count = list_alive(queue, job, &list);
	queue_free(queue);
	if (count > 0) {
		stop_arrays(job, list, count);
		rc = queue_cancel(list, count, NULL, e);
	}
	for (i = 0; i < count; i++) {
		stopped |= list[i].outcome == QUEUE_CANCEL_DONE;
		free((char *)(uintptr_t)list[i].token);
	}
	free(list);
	if (rc == -1)
		return -1;
	return stopped ? 1 : count > 0 ? 2 : 0;
}

/* Return whether imported arrays are alive; only the records name them. */
static int
has_adopted(
    const struct queue *queue, const struct store_job *job, struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	uint32_t array;
	int found = 0;
	size_t i;

	if (!store_job_is_adopted(job))
		return 0;
	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	for (i = 0; i < chunks.count && !found; i++) {
		c = &chunks.chunk[i];
		found = c->adopted &&
		    queue_find_token(queue, c->token, &array) &&
		    job_claim_is_alive(queue, array, c->token);
	}
	if (!found && chunks.damaged.count > 0)
		found = error_code(e, ERROR_DAMAGED,
		    "%s: so stfm cannot tell which of its arrays are queued: "
		    "run stfm-check --repair first",
		    chunks.damaged.word[0]);
	store_chunks_free(&chunks);
	return found;
}

int
job_is_being_queued(const struct store_job *job, struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	int64_t now;
	int being = 0;

	if (fs_now(store_job_dir(job), &now, NULL) == -1)
		now = time(NULL); /* even on a full disk */
	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	/* An sbatch may be running, or about to start. */
	for (c = chunks.chunk; c < chunks.chunk + chunks.count; c++)
		if (c->claim == STORE_OPEN && !c->refused)
			being |= c->tries == 0 ? now - c->time < MOMENT
					       : now - c->tried < JOB_GRACE;
	store_chunks_free(&chunks);
	return being;
}

int
job_is_queued(const struct store_job *job, struct error *e)
{
	struct queue *queue;
	int found;

	found = job_is_being_queued(job, e);
	if (found != 0)
		return found;
	if (queue_load(&queue, e) == -1)
		return -1;
	found = has_alive(queue, job);
	if (!found)
		found = has_adopted(queue, job, e);
	queue_free(queue);
	return found;
}
