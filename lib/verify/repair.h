/*
 * Repair of a store: move what a verification found to the quarantine, and
 * remake it if other records tell what it was.
 */
#ifndef STFM_VERIFY_REPAIR_H
#define STFM_VERIFY_REPAIR_H

#include "base/strlist.h"
#include "verify/finding.h"

/*
 * Move damaged files to STORE/lost/TIME.RANDOM/, under the paths that they had,
 * remake what follows from other records, and the tables of these jobs.  Each
 * line added to report tells what was done and what it means; the last one
 * tells where the files are.  Nothing is deleted.  program is this release's
 * stfm-run, or NULL if it may be missing.  Returns how many findings are left,
 * or -1.
 */
int64_t repair_store(struct verify_findings *, const char *program,
    struct strlist *report, struct error *e);

#endif
