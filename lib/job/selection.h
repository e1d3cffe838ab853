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

	/* Private: a hash table of items, by the ids of their jobs. */
	size_t *slot; /* index of an item plus 1, or 0 */
	size_t slots;
};

/*
 * Add a job without tasks, unless the selection has it; takes over job.
 * Returns its item, which is valid until the next call.  Do not reorder
 * items before the last call.
 */
struct selected *selection_add(struct selection *, struct store_job *job);

/* Free the jobs of a selection and make it empty. */
void selection_free(struct selection *);

#endif
