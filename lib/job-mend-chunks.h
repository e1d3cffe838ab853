/*
 * Mending of what was queued: the intents and the claims of the chunks of a
 * job.
 */
#ifndef STFM_JOB_MEND_CHUNKS_H
#define STFM_JOB_MEND_CHUNKS_H

#include "job-mend.h"

/*
 * The chunks of a first submission follow from the job; others are left.
 * Returns 0 or -1, as the next.
 */
int job_mend_intent(struct job_mend *, const struct store_job *,
    const struct job_finding *, struct error *e);

/*
 * Without its claim a chunk might be queued once more, so a claim is only
 * moved when it can be made again, from what its tasks told.
 */
int job_mend_claim(struct job_mend *, const struct store_job *,
    const struct job_finding *, struct error *e);

#endif
