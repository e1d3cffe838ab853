#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/private.h"

/* Cancelling may take this many times as long as reading. */
enum { DEADLINE_FACTOR = 4 };

struct targets {
	struct queue_target *target;
	size_t count;
};

/* Return whether a record is this user's job with the token and not ending. */
static int
is_target(const struct queue_record *r, const struct queue_cancel *of)
{
	return r->array == of->array && r->uid == getuid() && r->alive &&
	    (!r->completing || r->returning) && queue_has_token(r, of->token);
}

static int
any_target(const struct queue *q, const struct queue_cancel *of)
{
	size_t i;

	for (i = 0; i < queue_count(q); i++)
		if (is_target(queue_record(q, i), of))
			return 1;
	return 0;
}

/* Put the tasks of wanted that can be cancelled into out. */
static void
target_tasks(const struct queue *q, const struct queue_cancel *of,
    const struct idset *wanted, struct idset *out)
{
	const struct queue_record *r;
	uint64_t task;
	size_t i;

	for (i = 0; i < wanted->count; i++)
		for (task = wanted->run[i].first;
		     task <= wanted->run[i].last && task <= UINT32_MAX;
		     task++) {
			r = queue_find(q, of->array, (uint32_t)task);
			if (r != NULL && is_target(r, of))
				idset_add(out, task, task);
		}
}

/*
 * Name the tasks to cancel.  If one task of a list has left the queue, Slurm
 * cancels the others but reports failure for the whole list.  So name only
 * tasks that are in the queue.
 */
static int
aim(struct queue_target *t, const struct queue *q, struct error *e)
{
	struct idset wanted = {0};
	char *list;

	if (t->of->indices == NULL) {
		if (any_target(q, t->of))
			t->name = xasprintf("%" PRIu32, t->of->array);
		return 0;
	}
	if (idset_parse(&wanted, t->of->indices, e) == -1)
		return -1;
	target_tasks(q, t->of, &wanted, &t->tasks);
	idset_free(&wanted);
	if (t->tasks.count > 0) {
		list = idset_text(&t->tasks);
		t->name = xasprintf("%" PRIu32 "_[%s]", t->of->array, list);
		free(list);
	}
	return 0;
}

static int
is_doubtful(const struct queue_target *t)
{
	return t->of->outcome == QUEUE_CANCEL_UNSENT ||
	    t->of->outcome == QUEUE_CANCEL_REFUSED;
}

/*
 * Read the queue to decide whether an uncertain cancel succeeded: an error may
 * concern one task only, and no answer proves nothing.
 */
static void
look_again(struct queue_target *t, const struct queue *q)
{
	struct idset left = {0};
	int still;

	if (t->of->indices == NULL) {
		still = any_target(q, t->of);
	} else {
		target_tasks(q, t->of, &t->tasks, &left);
		still = left.count > 0;
		idset_free(&left);
	}
	if (!still)
		t->of->outcome = QUEUE_CANCEL_DONE;
}

static void
tell_slurm(struct targets *all, int64_t ms)
{
	struct queue *q = NULL;
	int doubtful = 0;
	size_t i;

	queue_way()->cancel(ms * DEADLINE_FACTOR, all->target, all->count);
	for (i = 0; i < all->count; i++) {
		if (all->target[i].name == NULL)
			all->target[i].of->outcome = QUEUE_CANCEL_GONE;
		doubtful |= is_doubtful(&all->target[i]);
	}
	if (!doubtful || queue_load(&q, NULL) == -1)
		return;
	for (i = 0; i < all->count; i++)
		if (is_doubtful(&all->target[i]))
			look_again(&all->target[i], q);
	queue_free(q);
}

/* Name all targets before anything is cancelled. */
static int
aim_all(struct targets *all, struct queue_cancel *list, size_t count,
    const struct queue *q, struct error *e)
{
	size_t i;

	all->target = xcalloc(count + 1, sizeof *all->target);
	all->count = count;
	for (i = 0; i < count; i++) {
		all->target[i].of = &list[i];
		if (aim(&all->target[i], q, e) == -1)
			return -1;
	}
	return 0;
}

static void
free_targets(struct targets *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		idset_free(&all->target[i].tasks);
		free(all->target[i].name);
	}
	free(all->target);
	*all = (struct targets){0};
}

static int
sum_up(const struct queue_cancel *list, size_t count, struct error *e)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i].outcome == QUEUE_CANCEL_UNSENT)
			return error_code(
			    e, ERROR_SILENT, "%s", list[i].why.text);
	for (i = 0; i < count; i++)
		if (list[i].outcome == QUEUE_CANCEL_REFUSED)
			return error_code(
			    e, ERROR_REFUSED, "%s", list[i].why.text);
	return 0;
}

/* Return whether all tasks to cancel were found in the queue. */
static int
has_all(const struct targets *all)
{
	const struct queue_target *t;
	struct idset wanted;
	uint64_t count;

	for (t = all->target; t < all->target + all->count; t++) {
		if (t->name == NULL)
			return 0;
		if (t->of->indices == NULL)
			continue;
		wanted = (struct idset){0};
		idset_parse(&wanted, t->of->indices, NULL);
		count = idset_size(&wanted);
		idset_free(&wanted);
		if (idset_size(&t->tasks) < count)
			return 0;
	}
	return 1;
}

int
queue_cancel(struct queue_cancel *list, size_t count, const struct queue *known,
    struct error *e)
{
	struct targets all = {0};
	struct queue *q = NULL;
	struct error why = {""};
	int64_t ms;
	int rc, aimed = 0;
	size_t i;

	rc = queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, &why);
	if (rc == 0 && known != NULL) {
		rc = aim_all(&all, list, count, known, &why);
		aimed = rc == 0 && has_all(&all);
		if (!aimed)
			free_targets(&all);
	}
	if (rc == 0 && !aimed)
		rc = queue_load(&q, &why);
	if (rc == 0 && !aimed)
		rc = aim_all(&all, list, count, q, &why);
	for (i = 0; i < count; i++) {
		list[i].outcome = QUEUE_CANCEL_UNSENT;
		list[i].why = why;
	}
	if (rc == 0)
		tell_slurm(&all, ms);
	queue_free(q);
	free_targets(&all);
	if (rc == -1)
		return error_copy(e, &why);
	return sum_up(list, count, e);
}
