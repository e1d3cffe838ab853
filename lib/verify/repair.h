/*
 * Repair of a store: what a verification found is moved aside, and made again
 * where something else tells what it was.
 */
#ifndef STFM_VERIFY_REPAIR_H
#define STFM_VERIFY_REPAIR_H

#include "base/strlist.h"
#include "verify/finding.h"

/*
 * Move what is damaged to STORE/lost/TIME.RANDOM/, under the path that it had,
 * make again what follows from something else, and the tables of these jobs.
 * Each line of said tells what was done and what it means, the last one where
 * things are now.  Nothing is deleted.  Returns how many findings are left, or
 * -1.  program is stfm-run of this release, or NULL: it may be the one that is
 * missing.
 */
int64_t repair_job(struct verify_findings *, const char *program,
    struct strlist *said, struct error *e);

#endif
