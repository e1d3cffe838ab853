/*
 * Verification of submitted files: the batch script and the program that it
 * starts, the user's own script, the points, and the copy of the code.
 */
#ifndef STFM_VERIFY_SUBMITTED_H
#define STFM_VERIFY_SUBMITTED_H

#include "verify/job-check.h"

/* Verify: 0, whatever is noted, or -1 if something cannot be read. */
int verify_submitted(struct verify_job *, struct error *e);

#endif
