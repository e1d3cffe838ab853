/*
 * A repair while it goes on: what is in the way of mending is moved aside, and
 * each step says what was done and what that means.
 */
#ifndef STFM_VERIFY_REPAIR_LOG_H
#define STFM_VERIFY_REPAIR_LOG_H

#include "base/strlist.h"
#include "verify/finding.h"
#include "verify/quarantine.h"

struct repair_log {
	struct quarantine lost;
	const char *program; /* stfm-run of this release, or NULL */
	struct strlist *said;
	size_t left; /* findings about which nothing was done */
};

/* Add a line to what is said. */
void repair_say(struct repair_log *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Move the file of a finding aside and say so, with what it means behind it.
 * Returns 0, also when it is gone already, or -1.
 */
int repair_file(struct repair_log *, const struct verify_finding *,
    const char *meaning, struct error *e);

#endif
