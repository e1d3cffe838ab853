/* A selection: jobs of the store, and the selected tasks of each. */
#ifndef STFM_JOB_SELECTION_H
#define STFM_JOB_SELECTION_H

#include <stddef.h>

#include "base/idset.h"

struct selected {
	struct store_job *job;
	struct idset tasks;
	int whole; /* the user named the job, not tasks of it */
};

/* A selection has each job at most once. */
struct selection {
	struct selected *item;
	size_t count;
};

/* Free the jobs of a selection and make it empty. */
void selection_free(struct selection *);

#endif
