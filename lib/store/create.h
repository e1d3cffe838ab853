/* The last step of creating a job: its finished directory gets its name. */
#ifndef STFM_STORE_CREATE_H
#define STFM_STORE_CREATE_H

#include "base/error.h"

struct store_creation {
	int from; /* the open directory that holds scratch */
	const char *scratch;
	int jobs; /* the open directory that is to hold name */
	const char *name;
	const char *aside; /* the name of the directory if creating fails */
};

/*
 * Rename the scratch directory to the name of the job and make that durable.
 * If this fails although the rename happened, undo it unless another program
 * has begun to queue the job.  Returns 0, 1 if the name is taken, 2 if scratch
 * is gone, or -1.  The code is ERROR_EXISTS if the job exists nevertheless and
 * ERROR_MAY_EXIST if it may exist.  After any other failure nothing of the job
 * is visible.
 */
int store_create(const struct store_creation *, struct error *e);

#endif
