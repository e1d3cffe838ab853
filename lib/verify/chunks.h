/*
 * Verification of what was queued and wished: the intents, claims and tries of
 * the chunks of a job, and the wishes about its tasks.
 */
#ifndef STFM_VERIFY_CHUNKS_H
#define STFM_VERIFY_CHUNKS_H

#include "verify/job-check.h"

/* Return 0 whatever is noted, or -1 when something cannot be read. */
int verify_chunks(struct verify_job *, struct error *e);
int verify_wishes(struct verify_job *, struct error *e);

#endif
