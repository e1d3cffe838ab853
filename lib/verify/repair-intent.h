/*
 * A chunk whose intent is damaged or missing, as other records describe it:
 *
 *   of a first submission          the job
 *   a part of one that was cut     the chunk that was cut
 *   cut, with both parts intact    its parts
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
 * Find out what the chunk was.  Returns 0, or -1 with what is missing in e.
 * Nothing is guessed: a task in a wrong chunk might be trained twice.
 */
int repair_tell(const struct store_job *, const struct store_table *,
    const char *name, struct job_told *out, struct error *e);

#endif
