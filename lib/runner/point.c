#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "control/ask.h"
#include "runner/point.h"
#include "runner/task.h"
#include "space/draw.h"
#include "store/once.h"
#include "store/table-row.h"

/*
 * The most tries to record a point, at least a second apart, and the most
 * choices of a point that others do not have locked.  A task that was killed
 * while it chose keeps its lock, so others train its point after about a
 * second.  The first nap between choices is in nanoseconds; each is twice as
 * long as the one before.
 */
enum { TRIES = 10, CHOICES = 8, FIRST_NAP = 5000000 };

/*
 * Find the newest point of the task.  Returns 1 with its text as
 * a row has it in *text, to free, 0 if there is none, or -1.
 */
static int
find(const struct job_run *r, char **text, struct error *e)
{
	struct store_fact_body body;
	const struct store_fact *f;
	struct store_facts facts;
	size_t i;
	int rc = 0;

	*text = NULL;
	if (store_facts_of(r->job, r->fact.task, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.search_count && rc == 0; i++) {
		f = &facts.search[i];
		if (job_point_is_known(*text, f))
			continue;
		rc = store_facts_read(r->job, &facts, f, &body, e);
		if (rc == 0) {
			job_point_take(text, f, &body);
			store_fact_body_free(&body);
		}
	}
	if (rc == 0 && *text == NULL && !facts.sound)
		rc = error_code(e, ERROR_DAMAGED, "%s",
		    facts.damaged.count > 0 ? facts.damaged.word[0]
					    : "a pack is damaged");
	store_facts_free(&facts);
	return rc == -1 ? -1 : *text != NULL;
}

int
run_point_open(struct job_run *r, struct error *e)
{
	struct store_row row;
	int rc;

	if (!job_points_are_chosen(r->job)) {
		r->task.value = job_points_get(r->points, r->fact.task, e);
		return r->task.value != NULL ? 0 : -1;
	}
	store_row_clear(&row, r->fact.task);
	rc = find(r, &row.point, e);
	r->has_point = rc == 1;
	if (rc != -1)
		r->task.value = job_points_of(r->points, &row, e);
	store_row_free(&row);
	return rc != -1 && r->task.value != NULL ? 0 : -1;
}

/* Return the name of a point's lock, to free. */
static char *
lock_of(const char *point)
{
	return xasprintf("point.%016" PRIx64, draw_hash(0, 0, point));
}

/*
 * Lock a point, so that tasks that choose at the same time train different
 * ones.  Returns 0 with the lock, 1 without it if another task has or is about
 * to have the point, or -1.
 */
static int
lock_point(const struct job_run *r, const char *point, struct error *e)
{
	char *lock = lock_of(point);
	struct job_asker *now = NULL;
	int rc = store_once_lock(r->job, lock, r->fact.task, e);

	/* Who had the lock before has recorded the point by now. */
	if (rc == 0) {
		now = job_asker_new(r->job, e);
		rc = now == NULL ? -1 : job_asker_has(now, point, r->fact.task);
		if (rc != 0)
			store_once_unlock(r->job, lock);
	}
	job_asker_free(now);
	free(lock);
	return rc;
}

/*
 * Choose a point.  If the table knows that of the task although its fact is
 * gone, it is that one.  Sets body, to free in any case, and *locked.  Returns
 * 0, 1 if another task is about to have the same point, or -1.
 */
static int
choose(const struct job_run *r, struct store_fact_body *body, int *locked,
    struct error *e)
{
	struct job_asker *asker = job_asker_new(r->job, e);
	int rc;

	*locked = 0;
	*body = store_fact_body();
	if (asker == NULL)
		return -1;
	body->point = xcopy(job_asker_point(asker, r->fact.task));
	if (body->point != NULL) {
		job_asker_free(asker);
		return 0;
	}
	rc = job_asker_ask(asker, r->fact.task, body, e);
	job_asker_free(asker);
	if (rc == 1) /* no other point is left */
		return 0;
	if (rc == 0) {
		rc = lock_point(r, body->point, e);
		*locked = rc == 0;
	}
	return rc;
}

/* Choose and record a point.  Returns 0, also if there is one by now, or -1. */
static int
choose_alone(const struct job_run *r, struct error *e)
{
	struct store_fact fact = {.task = r->fact.task, .kind = "P"};
	struct store_fact_body body;
	int rc, locked, tries = 0;
	struct timespec nap;
	char *lock;

	while ((rc = choose(r, &body, &locked, e)) == 1 && ++tries < CHOICES) {
		store_fact_body_free(&body);
		nap = (struct timespec){0, FIRST_NAP << tries};
		nanosleep(&nap, NULL);
	}
	if (rc != -1) {
		body.time = time(NULL);
		if (body.reason != NULL)
			r->say("the point is random: %s", body.reason);
		rc = store_fact_publish(r->job, &fact, &body, e);
	}
	if (locked) {
		lock = lock_of(body.point);
		store_once_unlock(r->job, lock);
		free(lock);
	}
	store_fact_body_free(&body);
	return rc == -1 ? -1 : 0;
}

int
run_point_choose(struct job_run *r, struct error *e)
{
	struct timespec nap = {1, 0};
	int rc = -1, tries;

	if (!job_points_are_chosen(r->job) || r->has_point)
		return 0;
	for (tries = 0; rc == -1 && tries < TRIES; tries++) {
		if (tries > 0)
			nanosleep(&nap, NULL);
		rc = choose_alone(r, e);
	}
	if (rc == 0)
		rc = run_point_open(r, e);
	if (rc == 0 && !r->has_point)
		rc = error_set(e, "%s/%" PRIu64 ": its point is not readable",
		    store_job_name(r->job), r->fact.task);
	return rc;
}
