/* Part of job-verify: the records of use of tasks that run. */
#ifndef STFM_VERIFY_USAGE_H
#define STFM_VERIFY_USAGE_H

#include "verify/job-check.h"

/* Returns 0 whatever it finds, or -1 when something could not be looked at. */
int verify_usage(struct verify_job *, struct error *e);

#endif
