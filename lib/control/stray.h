/*
 * Stray arrays: arrays of a job in Slurm's queue that are not to train any
 * more. A controller that crashes forgets its last seconds and may bring back
 * an array that was cancelled, or tasks that had ended.
 */
#ifndef STFM_CONTROL_STRAY_H
#define STFM_CONTROL_STRAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/table.h"

/* The records of a queue that carry a token of stfm's, sorted by token. */
struct job_marked;

/* Index a queue, which must outlive the index; to job_marked_free. */
struct job_marked *job_marked_new(const struct queue *);

/* Takes NULL too. */
void job_marked_free(struct job_marked *);

/* What is known of a job when its stray arrays are looked for. */
struct job_stray_scene {
	const struct store_job *job;
	const struct store_table *fold; /* up to date */
	const struct store_chunks *chunks;
	const struct job_marked *marked;
	int64_t asked; /* when Slurm was, by the store's clock */
	int64_t grace; /* seconds that a task may take to leave the queue */
};

struct job_strays {
	struct queue_cancel *list; /* what is to be cancelled */
	size_t count;
	struct strlist why;     /* a sentence for each of them */
	struct strlist unknown; /* sentences on arrays without a record */
};

/*
 * Find the stray arrays of a job: those whose chunk another array trains, or
 * nobody may train, and tasks in the queue that are over or in a later attempt.
 * Free with job_strays_free.
 */
void job_strays_find(const struct job_stray_scene *, struct job_strays *out);

/*
 * Cancel them, and add to said a sentence for each that was found and what
 * became of it.
 */
void job_strays_cancel(struct job_strays *, struct strlist *said);

void job_strays_free(struct job_strays *);

#endif
