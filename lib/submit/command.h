/*
 * What stfm-submit does once its options are read: submit a new job, change or
 * continue a stored one, or show what it would do.
 */
#ifndef STFM_SUBMIT_COMMAND_H
#define STFM_SUBMIT_COMMAND_H

#include "submit/options.h"

/*
 * Submit the job of a complete plan, or queue what is left of the stored job of
 * that name.  Reports through the report of the options.  Returns the exit
 * status.
 */
int submit_job(struct submit_options *);

/* Queue the rest of the job that --queue-rest names.  Returns likewise. */
int submit_rest(struct submit_options *);

#endif
