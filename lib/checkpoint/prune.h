/*
 * Checkpoint retention: stfm deletes a checkpoint unless some rule keeps it.
 * All checkpoints of a task stay if it runs, is pending, or would be requeued
 * by the job's policy.
 */
#ifndef STFM_CHECKPOINT_PRUNE_H
#define STFM_CHECKPOINT_PRUNE_H

#include <stdint.h>

#include "base/error.h"
#include "checkpoint/scan.h"
#include "status/page-parts.h"
#include "store/store.h"

struct job_prune_rules {
	uint64_t best; /* best tasks that keep all checkpoints, or 0 */
	uint64_t last; /* newest checkpoints to keep of each series, or 0 */
	int named;     /* whether the user named states */
};

/*
 * A checkpoint directory of a task: of one attempt and the attempts that
 * continued from it.
 */
struct job_prune_dir {
	char *name; /* name in checkpoint/ */
	struct checkpoints found;
	char *remove; /* for each checkpoint, whether it is deleted */
};

struct job_prune_task {
	struct job_view *view;
	uint64_t task;
	struct job_prune_dir *dir; /* the current directory is last */
	size_t dirs;
	const char *why; /* why all is kept, "runs", "best"; or NULL */
	int all;         /* everything is deleted */

	uint64_t checkpoints, removals;
	int64_t bytes, removal_bytes;
};

struct job_prune {
	struct job_prune_task *task; /* tasks that have a directory */
	size_t count;
	struct strlist trouble; /* reasons why directories were skipped */
	struct strlist links;   /* reasons why links were skipped */
};

/*
 * Find the checkpoints of tasks of a job.  Returns 0, or -1 with *out empty.
 * Call job_prune_free on out.
 */
int job_prune_find(
    const struct job_tasks *, struct job_prune *out, struct error *e);
void job_prune_free(struct job_prune *);

/*
 * Decide by the rules what to delete.  Returns 0, or -1 with nothing decided.
 */
int job_prune_plan(
    struct job_prune *, const struct job_prune_rules *, struct error *e);

/*
 * Delete the checkpoints that job_prune_plan chose.  Each checkpoint is first
 * moved as a whole to the store's trash.  A checkpoint that cannot be deleted
 * is taken off the plan, with the reason in trouble.  Returns 0, or -1 if there
 * are such checkpoints.
 */
int job_prune_discard(struct job_prune *, const struct store *);

#endif
