/*
 * Orders: what a user changes in a job that is queued.  Tasks are held, or let
 * go again, and another number of them may run at once.
 *
 * An order is a record in ctl/ with a number of its own, written once, before
 * Slurm is told.  Of orders about the same the one with the highest number
 * counts.
 */
#ifndef STFM_STORE_REQUEST_H
#define STFM_STORE_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "store/job.h"

enum store_request_kind {
	STORE_REQUEST_NONE,
	STORE_REQUEST_HOLD,
	STORE_REQUEST_RELEASE,
	STORE_REQUEST_PARALLEL
};

struct store_request {
	uint64_t number; /* from 1; given when it is published */
	enum store_request_kind kind;
	struct idset tasks; /* to hold or release */
	uint32_t attempt;   /* ... in this attempt */
	int64_t parallel;   /* tasks at once, or 0 for no limit */
};

struct store_requests {
	struct store_request *order; /* by number */
	size_t count;
	struct strlist damaged; /* reasons: one for each that is not whole */
};

/* Publish an order under the next number. */
int store_request_add(
    const struct store_job *, const struct store_request *, struct error *e);

/* The same for tasks that are in different attempts: see store_stop_add_all. */
int store_request_add_all(const struct store_job *, enum store_request_kind,
    const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    struct error *e);

/* List them all; -1 when one cannot be read now. */
int store_requests_list(
    const struct store_job *, struct store_requests *out, struct error *e);

/* The same for a decision: -1 also when one is damaged, as
 * store_directory_whole. */
int store_requests_whole(
    const struct store_job *, struct store_requests *out, struct error *e);
void store_requests_free(struct store_requests *);

/* The order that counts for an attempt of a task, or NULL. */
const struct store_request *store_request_for(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/* Whether the user holds it. */
int store_is_held(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/* The order that says how many tasks may run at once, or NULL. */
const struct store_request *store_request_parallel(
    const struct store_requests *);

/* How many may: by that order, else by the job; 0 for no limit. */
int64_t store_request_limit(
    const struct store_job *, const struct store_requests *);

#endif
