/*
 * Repair of extensions, the records of stfm-submit --sync, without which
 * nothing of a job can be read.
 */
#ifndef STFM_VERIFY_REPAIR_EXTENSION_H
#define STFM_VERIFY_REPAIR_EXTENSION_H

#include "verify/repair-log.h"

/*
 * Remake damaged extensions from their points, from the chunks and from the
 * extensions before and after, so that every task keeps its number: 0 or -1.
 * If the last one is damaged, nobody knows which points are wanted.
 */
int repair_extensions(struct repair_log *, const char *job, struct error *e);

#endif
