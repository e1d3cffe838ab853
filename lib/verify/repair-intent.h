/*
 * What a chunk was whose intent is damaged or gone, as other records tell:
 *
 *   of a first submission          the job
 *   a part of one that was cut     the chunk that was
 *   cut, with both parts whole     these
 *   with an array                  the table and the starts, which have the
 *                                  array and the index of each of its tasks
 */
#ifndef STFM_VERIFY_REPAIR_INTENT_H
#define STFM_VERIFY_REPAIR_INTENT_H

#include "store/chunk.h"
#include "store/table.h"

struct job_told {
	struct store_chunk chunk; /* to store_chunk_free */
	const char *by;           /* "the job" */
};

/*
 * Returns 0, or -1 with what is missing.  What does not follow for certain is
 * not told: a task in a chunk that was not its own might be trained twice.
 */
int repair_tell(const struct store_job *, const struct store_table *,
    const char *name, struct job_told *out, struct error *e);

#endif
