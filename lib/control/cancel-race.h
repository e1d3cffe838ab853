/*
 * A stop while a rule queues a task again.  Each of the two records what it
 * wants, and looks then for what the other has recorded: so one of them sees
 * it, and the task does not train.
 */
#ifndef STFM_CONTROL_CANCEL_RACE_H
#define STFM_CONTROL_CANCEL_RACE_H

#include "base/error.h"
#include "base/idset.h"
#include "store/cancel.h"
#include "store/chunk.h"
#include "store/job.h"

/* A stop whose wish is recorded. */
struct job_cancelled {
	const struct idset *tasks;
	/* Their attempts, as far as they were known; with arg. */
	uint32_t (*attempt)(const void *arg, uint64_t task);
	const void *arg;
	const char *why; /* the rule that stops them; NULL: the user does */
};

/*
 * Wish the same for newer attempts of these tasks; a rule stops only what rules
 * have queued again.  Returns 1 when there were some, 0, or -1; that also, with
 * errno EBADMSG, when a chunk is damaged, which may be one.
 */
int job_cancel_newer(
    const struct store_job *, const struct job_cancelled *, struct error *e);

/*
 * For whoever is to queue an open chunk, of which known says that it is in the
 * store: where a rule made it, and its tasks are given up in the attempt
 * before, or dropped by now, it is withdrawn, or some of them are wished to
 * stop in it too.  The wishes are those found since the chunk was there.
 * Returns 1 when nothing of it is to be queued, 0, or -1.
 */
int job_cancel_heed(const struct store_job *, const struct store_chunk *,
    int known, const struct store_stops *, struct error *e);

#endif
