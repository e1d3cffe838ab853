/*
 * Mending of what the tasks of a job start from: the batch script, the program
 * that it starts, and the modes of the code.
 */
#ifndef STFM_VERIFY_REPAIR_START_H
#define STFM_VERIFY_REPAIR_START_H

#include "verify/repair-log.h"

/* Each returns 0, also when nothing can be done, or -1. */
int job_mend_batch(struct job_mend *, const struct store_job *,
    const struct job_finding *, struct error *e);

/* It is copied again when that of this release is the very same. */
int job_mend_program(struct job_mend *, const struct store_job *,
    const struct job_finding *, struct error *e);

/* Nobody may write to it again. */
int job_mend_bared(
    struct job_mend *, const struct job_finding *, struct error *e);

#endif
