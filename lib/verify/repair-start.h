/*
 * Repair of the files that a job's tasks start from: the batch script, the
 * program that it starts, and the modes of the code.
 */
#ifndef STFM_VERIFY_REPAIR_START_H
#define STFM_VERIFY_REPAIR_START_H

#include "verify/repair-log.h"

/*
 * Remake batch.sh.  This and the functions below return 0, also if nothing can
 * be done, or -1.
 */
int repair_batch(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

/* Copy the program again if this release has exactly the same one. */
int repair_program(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

/* Remove the write permissions of a file of the code. */
int repair_bared(
    struct repair_log *, const struct verify_finding *, struct error *e);

#endif
