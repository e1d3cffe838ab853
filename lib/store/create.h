/*
 * A new job is seen: its finished directory gets the name of the job.
 */
#ifndef STFM_STORE_CREATE_H
#define STFM_STORE_CREATE_H

#include "base/error.h"

struct store_creation {
	int from; /* the open directory that it is in */
	const char *scratch;
	int jobs; /* ... and where it is to have */
	const char *name;
	const char *aside; /* ... or, when that fails, this name */
};

/*
 * Rename it, and make that durable.  What fails is taken back, if it was done
 * all the same and nobody has begun to queue the job.
 * Returns 0, 1 when the name is taken, 2 when it is not where it was, or -1,
 * with errno EINPROGRESS when the job is there, and EALREADY when it may be, as
 * the reason says; else nothing of it is seen.
 */
int store_create(const struct store_creation *, struct error *e);

#endif
