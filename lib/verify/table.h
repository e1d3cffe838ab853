/*
 * Verification of a job's table, which is computed from its facts.
 */
#ifndef STFM_VERIFY_TABLE_H
#define STFM_VERIFY_TABLE_H

#include "verify/job-check.h"

/* Verify that all tables can be read: 0, whatever is noted, or -1. */
int verify_folds(struct verify_job *, struct error *e);

/*
 * Compare the newest table with the facts, and the chunks with both; all must
 * be readable.  Returns 0, whatever is noted, or -1.
 */
int verify_table(
    struct verify_findings *, const struct store_job *, struct error *e);

#endif
