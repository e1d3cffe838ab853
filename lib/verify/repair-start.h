/*
 * Mending of what the tasks of a job start from: the batch script, the program
 * that it starts, and the modes of the code.
 */
#ifndef STFM_VERIFY_REPAIR_START_H
#define STFM_VERIFY_REPAIR_START_H

#include "verify/repair-log.h"

/* Each returns 0, also when nothing can be done, or -1. */
int repair_batch(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

/* It is copied again when that of this release is the very same. */
int repair_program(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

/* Nobody may write to it again. */
int repair_bared(
    struct repair_log *, const struct verify_finding *, struct error *e);

#endif
