#include <stdlib.h>

#include "control/cancel-race.h"
#include "control/retry.h"
#include "control/stop-reason.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/extension.h"
#include "store/load.h"

/* ---- recording the same stop for newer attempts ---- */

/* Add the tasks of stop s for which chunk c is a newer attempt to out. */
static void
find_newer(const struct job_cancelled *s, const struct store_chunks *all,
    const struct store_chunk *c, struct idset *out)
{
	struct idset_walk walk = {0};
	uint64_t task;

	if (s->why != NULL && !job_retry_made(c))
		return;
	while (idset_next(&c->tasks, &walk, &task))
		if (idset_has(s->tasks, task) &&
		    c->attempt > s->attempt(s->arg, task) &&
		    !store_chunk_gave_up(all, c, task))
			idset_add(out, task, task);
}

static int
record(const struct store_job *job, const struct store_chunk *c,
    const struct idset *tasks, const char *why, struct error *e)
{
	const struct store_request record = {.kind = STORE_REQUEST_STOP,
	    .tasks = *tasks,
	    .attempt = c->attempt,
	    .why = why};

	return store_request_add(job, &record, 1, e);
}

/* Record the stop for one chunk unless its name is in done: 1, 0 or -1. */
static int
stop_newer(const struct store_job *job, const struct store_chunk *c,
    const struct idset *tasks, const char *why, struct strlist *done,
    struct error *e)
{
	if (tasks->count == 0 || strlist_have(done, c->name))
		return 0;
	if (record(job, c, tasks, why, e) == -1)
		return -1;
	strlist_push(done, c->name);
	return 1;
}

/* Go through all chunks once.  Returns 1 if any was new, 0 or -1. */
static int
look_once(const struct store_job *job, const struct job_cancelled *s,
    struct strlist *done, struct error *e)
{
	struct store_chunks all;
	struct idset newer;
	int rc = 0, some = 0;
	size_t i;

	if (store_chunks_list(job, &all, e) == -1)
		return -1;
	for (i = 0; rc != -1 && i < all.count; i++) {
		newer = (struct idset){0};
		find_newer(s, &all, &all.chunk[i], &newer);
		rc = stop_newer(job, &all.chunk[i], &newer, s->why, done, e);
		some |= rc == 1;
		idset_free(&newer);
	}
	if (rc != -1 && !some && all.damaged.count > 0)
		rc = error_code(e, ERROR_DAMAGED, "%s", all.damaged.word[0]);
	store_chunks_free(&all);
	return rc == -1 ? -1 : some;
}

int
job_cancel_newer(
    const struct store_job *job, const struct job_cancelled *s, struct error *e)
{
	struct strlist done = {0};
	int rc;

	do /* a rule may queue another attempt before it sees these requests */
		rc = look_once(job, s, &done, e);
	while (rc == 1);
	if (rc == 0)
		rc = done.count > 0;
	strlist_free(&done);
	return rc;
}

/* ---- checking a chunk that a rule made ---- */

/* The tasks of a chunk that must not run, by reason. */
struct unwanted {
	struct idset by_user, by_rule, dropped;
};

/* Return the attempt of a task before that of chunk c. */
static uint32_t
attempt_before(
    const struct store_chunks *all, const struct store_chunk *c, uint64_t task)
{
	const struct store_chunk *other;
	uint32_t attempt = 0;

	for (other = all->chunk; other < all->chunk + all->count; other++)
		if (other->attempt < c->attempt && other->attempt > attempt &&
		    idset_has(&other->tasks, task) &&
		    !store_chunk_gave_up(all, other, task))
			attempt = other->attempt;
	return attempt;
}

/* Find the tasks that were given up in the attempt just before. */
static int
find_given_up(const struct store_job *job, const struct store_chunk *c,
    const struct store_requests *stops, struct unwanted *out, struct error *e)
{
	const struct store_request *stop;
	struct idset stopped = {0};
	struct idset_walk walk;
	struct store_chunks all = {0};
	uint32_t before;
	uint64_t task;
	size_t i;
	int rc = 0;

	/* Find tasks with a stop request first: most chunks have none. */
	for (i = 0; i < stops->count; i++) {
		stop = &stops->request[i];
		if (stop->kind != STORE_REQUEST_STOP ||
		    stop->attempt >= c->attempt || !state_is_for_good(stop))
			continue;
		walk = (struct idset_walk){0};
		while (idset_next(&c->tasks, &walk, &task))
			if (idset_has(&stop->tasks, task))
				idset_add(&stopped, task, task);
	}
	walk = (struct idset_walk){0};
	if (stopped.count > 0)
		rc = store_chunks_whole(job, &all, e);
	while (rc == 0 && idset_next(&stopped, &walk, &task)) {
		before = attempt_before(&all, c, task);
		if (store_stop_is_asked(stops, task, c->attempt) ||
		    !state_is_given_up(stops, task, before))
			continue;
		idset_add(job_max_fail_has_stopped(stops, task, before)
			? &out->by_rule
			: &out->by_user,
		    task, task);
	}
	idset_free(&stopped);
	store_chunks_free(&all);
	return rc;
}

/* Find the tasks that --sync has dropped, perhaps after the job was loaded. */
static int
find_dropped(const struct store_job *job, const struct store_chunk *c,
    const struct store_requests *stops, struct unwanted *out, struct error *e)
{
	struct store_extensions all;
	const struct idset *dropped;
	struct idset_walk walk = {0};
	uint64_t task;
	int rc;

	rc = store_extensions_load(store_job_dir(job), store_job_path(job),
	    store_job_first_tasks(job), &all, e);
	if (rc == 0 && all.count > 0) {
		dropped = &all.item[all.count - 1].dropped;
		while (idset_next(&c->tasks, &walk, &task))
			if (idset_has(dropped, task) &&
			    !idset_has(&out->by_user, task) &&
			    !idset_has(&out->by_rule, task) &&
			    !store_stop_is_asked(stops, task, c->attempt))
				idset_add(&out->dropped, task, task);
	}
	store_extensions_free(&all);
	return rc;
}

/* Withdraw the chunk, or record stop requests for the unwanted tasks. */
static int
give_up(const struct store_job *job, const struct store_chunk *c, int known,
    const struct unwanted *u, struct error *e)
{
	uint64_t count = idset_size(&u->by_user) + idset_size(&u->by_rule) +
	    idset_size(&u->dropped);
	int whole = count == idset_size(&c->tasks), rc = 1;
	char *rule = job_max_fail_name(job);

	/* A chunk that may be in the queue needs stop requests to end. */
	if (whole && known && (c->tries == 0 || c->refused))
		rc = store_chunk_close(job, c->name, STORE_WITHDRAWN, e);
	if (rc == 1 && u->by_user.count > 0 &&
	    record(job, c, &u->by_user, NULL, e) == -1)
		rc = -1;
	if (rc == 1 && u->by_rule.count > 0 &&
	    record(job, c, &u->by_rule, rule, e) == -1)
		rc = -1;
	if (rc == 1 && u->dropped.count > 0 &&
	    record(job, c, &u->dropped, stop_words(STOP_DROPPED), e) == -1)
		rc = -1;
	free(rule);
	return rc == -1 ? -1 : whole;
}

int
job_cancel_unwanted(const struct store_job *job, const struct store_chunk *c,
    int known, const struct store_requests *stops, struct error *e)
{
	struct unwanted u = {0};
	int rc;

	if (!job_retry_made(c))
		return 0;
	rc = find_given_up(job, c, stops, &u, e);
	if (rc == 0)
		rc = find_dropped(job, c, stops, &u, e);
	if (rc == 0 && u.by_user.count + u.by_rule.count + u.dropped.count > 0)
		rc = give_up(job, c, known, &u, e);
	idset_free(&u.by_user);
	idset_free(&u.by_rule);
	idset_free(&u.dropped);
	return rc;
}
