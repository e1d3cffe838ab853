/*
 * Verification of facts: those of a job, in single files and in packs.
 */
#ifndef STFM_VERIFY_FACTS_H
#define STFM_VERIFY_FACTS_H

#include "verify/job-check.h"

/* Verify: 0, whatever is noted, or -1 if something cannot be read. */
int verify_facts(struct verify_job *, struct error *e);
int verify_packs(struct verify_job *, struct error *e);

#endif
