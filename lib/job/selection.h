/*
 * A selection: jobs of the store, and which tasks of each are meant.
 */
#ifndef STFM_JOB_SELECTION_H
#define STFM_JOB_SELECTION_H

#include <stddef.h>

#include "base/idset.h"
#include "store/job.h"

struct selected {
	struct store_job *job;
	struct idset tasks;
	int whole; /* the user named the job, not tasks of it */
};

/* Each job is in a selection once. */
struct selection {
	struct selected *item;
	size_t count;
};

/* Free the jobs of a selection; the selection is empty then. */
void selection_free(struct selection *);

#endif
