/*
 * The race between a stop request and a rule that requeues the same task.  Each
 * side records its intention first and then reads what the other side recorded.
 * So at least one of them sees the other, and the task does not train.
 */
#ifndef STFM_CONTROL_CANCEL_RACE_H
#define STFM_CONTROL_CANCEL_RACE_H

#include "base/error.h"
#include "base/idset.h"
#include "store/request.h"

struct store_chunk;

/* A recorded stop request. */
struct job_cancelled {
	const struct idset *tasks;
	/* Return a task's attempt at the time of the stop; called with arg. */
	uint32_t (*attempt)(const void *arg, uint64_t task);
	const void *arg;
	const char *why; /* the rule that stops them; NULL: the user */
};

/*
 * Request the same stop for newer attempts of these tasks, which a rule may
 * have queued meanwhile.  If a rule stops the tasks, attempts that the user
 * queued go on.  Returns 1 if there were newer attempts to stop, 0 if not, or
 * -1; the code is ERROR_DAMAGED if a damaged chunk may hold one.
 */
int job_cancel_newer(
    const struct store_job *, const struct job_cancelled *, struct error *e);

/*
 * Check the stop requests before you queue an open chunk that a rule made.
 * known says whether the chunk is in the store already; if it is, stops must
 * have been listed after that.
 *
 * Tasks given up in the attempt before, or dropped by --sync, must not be
 * queued.  The chunk is withdrawn if this is true of all its tasks and none of
 * them can be in the queue.  Otherwise stop requests are recorded for these
 * tasks in this attempt.  Returns 1 if the chunk must not be queued, 0, or -1.
 */
int job_cancel_unwanted(const struct store_job *, const struct store_chunk *,
    int known, const struct store_requests *stops, struct error *e);

#endif
