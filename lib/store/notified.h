/*
 * The events of a job that a hook was notified of, so that each hook gets each
 * event once, however many programs look for it.  A hook has a key that is
 * derived from its command.
 *
 * The record is ctl/told.KEY.GENERATION.  A program publishes the next
 * generation first.  It runs the hook only if no other program published the
 * same generation.
 */
#ifndef STFM_STORE_NOTIFIED_H
#define STFM_STORE_NOTIFIED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

struct store;
struct store_job;

/* Events, in the order in which hooks get them. */
enum notified_event {
	NOTIFIED_ERROR,
	NOTIFIED_BEST,
	NOTIFIED_STALLED,
	NOTIFIED_LATE,
	NOTIFIED_IDLE,
	NOTIFIED_FINISHED,
	NOTIFIED_EVENTS
};

/* Return the name of an event: "error", "best" and so on. */
const char *notified_event_name(enum notified_event);

/* Tasks for which the hook was notified of this run or an earlier one. */
struct notified_run {
	int64_t attempt, restart;
	struct idset tasks;
};

struct notified_about {
	int known; /* the event was looked for before */
	struct notified_run *run;
	size_t count;
	char *metric; /* metric of the best value, or NULL */
	double value;
};

/* The notifications of one hook; zeroed: there were none. */
struct store_notified {
	uint64_t generation;
	struct strlist trail; /* names of the last generations */
	struct notified_about of[NOTIFIED_EVENTS];
};

void store_notified_free(struct store_notified *);

/* Return whether the event was notified for this or a later run of a task. */
int notified_has(const struct notified_about *, int64_t attempt,
    int64_t restart, uint64_t task);

/* Add this run of a task. */
void notified_add(
    struct notified_about *, int64_t attempt, int64_t restart, uint64_t task);

/*
 * Return whether the event was notified for this run or a later one, for events
 * that have no tasks.
 */
int notified_has_run(
    const struct notified_about *, int64_t attempt, int64_t restart);

/* Set the run of an event that has no tasks. */
void notified_set_run(
    struct notified_about *, int64_t attempt, int64_t restart);

/* Set the metric, which is copied, and its best value. */
void notified_set_best(
    struct notified_about *, const char *metric, double value);

/*
 * Load the newest record into *out, which is to be freed with
 * store_notified_free; zeroed if there is none.  Returns 0, or -1.
 */
int store_notified_load(const struct store_job *, const char *key,
    struct store_notified *out, struct error *e);

/*
 * Publish the next generation.  Returns 0, 1 if another program published it or
 * a later one (then load that and look again), or -1; after -1 it may exist
 * nevertheless.  Afterwards the struct may only be freed.
 */
int store_notified_publish(const struct store_job *, const char *key,
    struct store_notified *, struct error *e);

/*
 * Set *out to the time at which the newest record was published, by the store's
 * clock.  Returns 0, or -1.
 */
int store_notified_changed(const struct store_job *, const char *key,
    const struct store_notified *, int64_t *out, struct error *e);

/*
 * Set *out to the time at which the hook was first used for an event in this
 * store, by the store's clock.  It is the time in hooks/KEY.EVENT, which is
 * made if it does not exist.  Returns 0, or -1.
 */
int store_notified_since(const struct store *, const char *key,
    enum notified_event, int64_t *out, struct error *e);

/* Read the time in a file of the open directory hooks/.  Returns 0, or -1. */
int store_notified_read(
    int dir, const char *name, int64_t *out, struct error *e);

#endif
