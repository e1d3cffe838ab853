/*
 * What a hook has been told about a job, so that it is told each thing once,
 * whoever looks and however often.  A hook is known by a key that follows from
 * its command.
 *
 * The record is ctl/told.KEY.GENERATION.  Who wants to tell something publishes
 * the next generation first, and tells only when nobody else has.
 */
#ifndef STFM_STORE_NOTIFIED_H
#define STFM_STORE_NOTIFIED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"
#include "store/job.h"

/* In the order in which they are told. */
enum notified_event {
	NOTIFIED_ERROR,
	NOTIFIED_BEST,
	NOTIFIED_STALLED,
	NOTIFIED_LATE,
	NOTIFIED_IDLE,
	NOTIFIED_FINISHED,
	NOTIFIED_EVENTS
};

/* "error", "best" and so on. */
const char *notified_event_name(enum notified_event);

/* Tasks whose run, or an earlier one, has been told of. */
struct notified_run {
	int64_t attempt, restart;
	struct idset tasks;
};

struct notified_about {
	int known; /* it was looked for before */
	struct notified_run *run;
	size_t count;
	char *metric; /* of the best value, or NULL */
	double value;
};

/* All zero: nothing has been told. */
struct store_notified {
	uint64_t generation;
	struct strlist
	    trail; /* names that its last generations gave themselves */
	struct notified_about of[NOTIFIED_EVENTS];
};

void store_notified_free(struct store_notified *);

/* Whether this run of a task, or a later one, is among them; to add it. */
int notified_has(const struct notified_about *, int64_t attempt,
    int64_t restart, uint64_t task);
void notified_add(
    struct notified_about *, int64_t attempt, int64_t restart, uint64_t task);

/* The same without tasks. */
int notified_has_run(
    const struct notified_about *, int64_t attempt, int64_t restart);
void notified_set_run(
    struct notified_about *, int64_t attempt, int64_t restart);

void notified_set_best(
    struct notified_about *, const char *metric, double value);

/* The newest record; without one all zero.  Returns 0, or -1. */
int store_notified_load(const struct store_job *, const char *key,
    struct store_notified *out, struct error *e);

/*
 * Publish the next generation.  Returns 0, 1 when somebody else has published
 * it or a later one (then load it and look again), or -1; after -1 it may be
 * there all the same.  What is in memory is then good for nothing else.
 */
int store_notified_publish(const struct store_job *, const char *key,
    struct store_notified *, struct error *e);

/* When the newest record was published, by the store's clock: 0, or -1. */
int store_notified_changed(const struct store_job *, const char *key,
    const struct store_notified *, int64_t *out, struct error *e);

/*
 * When a hook was first used for an event in this store, by the store's clock:
 * hooks/KEY.EVENT, which is made when it is not there.  Returns 0, or -1.
 */
int store_notified_since(const struct store *, const char *key,
    enum notified_event, int64_t *out, struct error *e);

/* The time that a file in hooks/, which is open, has: 0, or -1. */
int store_notified_read(
    int dir, const char *name, int64_t *out, struct error *e);

#endif
