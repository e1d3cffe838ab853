/*
 * Verification of queueing and stop requests: the intents, claims and tries of
 * a job's chunks, and the stop requests for its tasks.
 */
#ifndef STFM_VERIFY_CHUNKS_H
#define STFM_VERIFY_CHUNKS_H

#include "verify/job-check.h"

/* Verify: 0, whatever is noted, or -1 if something cannot be read. */
int verify_chunks(struct verify_job *, struct error *e);
int verify_wishes(struct verify_job *, struct error *e);

#endif
