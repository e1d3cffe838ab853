/* Verification of the usage records of running tasks. */
#ifndef STFM_VERIFY_USAGE_H
#define STFM_VERIFY_USAGE_H

#include "verify/job-check.h"

/* Verify: 0, whatever is noted, or -1 if something cannot be read. */
int verify_usage(struct verify_job *, struct error *e);

#endif
