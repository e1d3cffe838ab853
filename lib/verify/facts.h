/*
 * Verification of what tasks told: the facts of a job, alone and in packs.
 */
#ifndef STFM_VERIFY_FACTS_H
#define STFM_VERIFY_FACTS_H

#include "verify/job-check.h"

/* Return 0 whatever is noted, or -1 when something cannot be read. */
int verify_facts(struct verify_job *, struct error *e);
int verify_packs(struct verify_job *, struct error *e);

#endif
