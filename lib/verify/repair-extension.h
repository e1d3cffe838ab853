/*
 * Mending of the records of what stfm-submit --sync has changed in a job,
 * without which nothing of the job can be read.
 */
#ifndef STFM_VERIFY_REPAIR_EXTENSION_H
#define STFM_VERIFY_REPAIR_EXTENSION_H

#include "verify/repair-log.h"

/*
 * Make again what is damaged of them, from their points, from what was queued
 * and from the changes before and after: so every task stays what it is.
 * Which points are wanted is lost where the last one is damaged.  Returns 0 or
 * -1.
 */
int repair_extensions(struct repair_log *, const char *job, struct error *e);

#endif
