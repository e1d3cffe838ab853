/*
 * A repair in progress: it moves obstacles to the quarantine, and reports what
 * each step did and what that means.
 */
#ifndef STFM_VERIFY_REPAIR_LOG_H
#define STFM_VERIFY_REPAIR_LOG_H

#include "base/strlist.h"
#include "verify/finding.h"
#include "verify/quarantine.h"

struct repair_log {
	struct quarantine lost;
	const char *program; /* path of this release's stfm-run, or NULL */
	struct strlist *said;
	size_t left; /* findings that were not repaired */
};

/* Add a line to the report, said. */
void repair_say(struct repair_log *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Move the file of a finding to the quarantine and report that, followed by
 * meaning.  Returns 0, also if the file is gone already, or -1.
 */
int repair_file(struct repair_log *, const struct verify_finding *,
    const char *meaning, struct error *e);

#endif
