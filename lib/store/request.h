/*
 * Requests to hold, release or throttle tasks of a queued job.
 *
 * A request is a numbered record in ctl/, written once, before Slurm is asked.
 * If several are about the same tasks or the same throttle, the highest number
 * applies.
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
	uint64_t number; /* from 1; set when it is published */
	enum store_request_kind kind;
	struct idset tasks; /* to hold or release */
	uint32_t attempt;   /* the attempt of these tasks */
	int64_t parallel;   /* the throttle in tasks; 0: no limit */
};

struct store_requests {
	struct store_request *request; /* by number */
	size_t count;
	struct strlist damaged; /* a reason for each damaged record */
};

/* Publish a request under the next number.  Returns 0, or -1. */
int store_request_add(
    const struct store_job *, const struct store_request *, struct error *e);

/*
 * Publish requests for tasks in different attempts, which attempt(arg, task)
 * returns: for all of the tasks or for none.  Returns 0, or -1.
 */
int store_request_add_all(const struct store_job *, enum store_request_kind,
    const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    struct error *e);

/*
 * List all requests; *out is to be freed with store_requests_free.  Damaged
 * ones are named in out->damaged.  Returns 0, or -1 if one cannot be read now.
 */
int store_requests_list(
    const struct store_job *, struct store_requests *out, struct error *e);

/*
 * List all requests for a decision that depends on each of them.  Returns 0, or
 * -1 if one is damaged (errno EBADMSG) or cannot be read now.
 */
int store_requests_whole(
    const struct store_job *, struct store_requests *out, struct error *e);
void store_requests_free(struct store_requests *);

/*
 * Return the hold or release request that applies to an attempt of a task, or
 * NULL.  It belongs to the list.
 */
const struct store_request *store_request_for(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/* Return whether the user holds this attempt of a task. */
int store_is_held(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/* Return the throttle request that applies, or NULL; the list owns it. */
const struct store_request *store_request_parallel(
    const struct store_requests *);

/* Return the throttle: a request's, else the job's; 0 is no limit. */
int64_t store_request_limit(
    const struct store_job *, const struct store_requests *);

#endif
