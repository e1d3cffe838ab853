/*
 * Verification of the table of a job, which follows from its facts.
 */
#ifndef STFM_VERIFY_TABLE_H
#define STFM_VERIFY_TABLE_H

#include "verify/job-check.h"

/* Read all tables.  Returns 0 whatever is noted, or -1. */
int verify_folds(struct verify_job *, struct error *e);

/*
 * Hold the newest table against the facts, and the chunks against both.  All of
 * them can be read.  Returns 0 whatever is noted, or -1.
 */
int verify_table(
    struct verify_findings *, const struct store_job *, struct error *e);

#endif
