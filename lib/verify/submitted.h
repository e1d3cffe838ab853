/*
 * Verification of what was submitted: the batch script and the program that it
 * starts, the user's own script, the points, and the copy of the code.
 */
#ifndef STFM_VERIFY_SUBMITTED_H
#define STFM_VERIFY_SUBMITTED_H

#include "verify/job-check.h"

/* Returns 0 whatever is noted, or -1 when something cannot be read. */
int verify_submitted(struct verify_job *, struct error *e);

#endif
