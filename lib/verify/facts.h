/*
 * Verification of what tasks told: the facts of a job, alone and in packs.
 */
#ifndef STFM_VERIFY_FACTS_H
#define STFM_VERIFY_FACTS_H

#include "verify/job-check.h"

/* Return 0 whatever is noted, or -1 when something cannot be read. */
int job_verify_facts(struct job_subject *, struct error *e);
int job_verify_packs(struct job_subject *, struct error *e);

#endif
