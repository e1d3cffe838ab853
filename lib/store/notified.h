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
enum told_event {
	TOLD_ERROR,
	TOLD_BEST,
	TOLD_STALLED,
	TOLD_LATE,
	TOLD_IDLE,
	TOLD_FINISHED,
	TOLD_EVENTS
};

/* "error", "best" and so on. */
const char *told_event_name(enum told_event);

/* Tasks whose run, or an earlier one, has been told of. */
struct told_run {
	int64_t attempt, restart;
	struct ranges tasks;
};

struct told_about {
	int known; /* it was looked for before */
	struct told_run *run;
	size_t count;
	char *metric; /* of the best value, or NULL */
	double value;
};

/* All zero: nothing has been told. */
struct store_told {
	uint64_t generation;
	struct words
	    trail; /* names that its last generations gave themselves */
	struct told_about of[TOLD_EVENTS];
};

void store_told_free(struct store_told *);

/* Whether this run of a task, or a later one, is among them; to add it. */
int told_has(
    const struct told_about *, int64_t attempt, int64_t restart, uint64_t task);
void told_add(
    struct told_about *, int64_t attempt, int64_t restart, uint64_t task);

/* The same without tasks. */
int told_has_run(const struct told_about *, int64_t attempt, int64_t restart);
void told_set_run(struct told_about *, int64_t attempt, int64_t restart);

void told_set_best(struct told_about *, const char *metric, double value);

/* The newest record; without one all zero.  Returns 0, or -1. */
int store_told_load(const struct store_job *, const char *key,
    struct store_told *out, struct error *e);

/*
 * Publish the next generation.  Returns 0, 1 when somebody else has published
 * it or a later one (then load it and look again), or -1; after -1 it may be
 * there all the same.  What is in memory is then good for nothing else.
 */
int store_told_publish(const struct store_job *, const char *key,
    struct store_told *, struct error *e);

/* When the newest record was published, by the store's clock: 0, or -1. */
int store_told_changed(const struct store_job *, const char *key,
    const struct store_told *, int64_t *out, struct error *e);

/*
 * When a hook was first used for an event in this store, by the store's clock:
 * hooks/KEY.EVENT, which is made when it is not there.  Returns 0, or -1.
 */
int store_told_since(const struct store *, const char *key, enum told_event,
    int64_t *out, struct error *e);

/* The time that a file in hooks/, which is open, has: 0, or -1. */
int store_told_read(int dir, const char *name, int64_t *out, struct error *e);

#endif
