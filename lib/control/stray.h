/*
 * Stray arrays: arrays of a job in Slurm's queue that must not train any more.
 * A controller that crashes forgets its last seconds.  It may bring back an
 * array that was cancelled, or tasks that had ended.
 */
#ifndef STFM_CONTROL_STRAY_H
#define STFM_CONTROL_STRAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

struct queue;

/* The records of a queue that carry a token of stfm, sorted by token. */
struct job_marked;

/* Index queue, which must outlive the index.  To job_marked_free. */
struct job_marked *job_marked_new(const struct queue *queue);

/* Free an index; NULL is allowed. */
void job_marked_free(struct job_marked *);

/* The state of a job in which to look for stray arrays. */
struct job_stray_input {
	const struct store_job *job;
	const struct store_table *table; /* up to date */
	const struct store_chunks *chunks;
	const struct job_marked *marked;
	int64_t asked; /* when Slurm was asked, by the store's clock */
	int64_t grace; /* seconds that a task may take to leave the queue */
};

struct job_strays {
	struct queue_cancel *list; /* arrays and indices to cancel */
	size_t count;
	struct strlist why;     /* a sentence for each entry of list */
	struct strlist unknown; /* a sentence for each array without a record */
};

/*
 * Find the stray arrays of a job: arrays whose chunk is claimed by another
 * array or by none, and queued tasks that are over or have a later attempt.
 * Free out with job_strays_free.
 */
void job_strays_find(const struct job_stray_input *, struct job_strays *out);

void job_strays_free(struct job_strays *);

#endif
