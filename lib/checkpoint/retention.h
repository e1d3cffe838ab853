/*
 * Checkpoint retention: stfm deletes a checkpoint unless some rule keeps it.
 * All checkpoints of a task stay if it was queued again.  Those of a task that
 * runs, waits or would be requeued by the job's policy stay, too, unless the
 * user asked for tasks in named states.
 */
#ifndef STFM_CHECKPOINT_RETENTION_H
#define STFM_CHECKPOINT_RETENTION_H

#include <stdint.h>

#include "base/error.h"
#include "checkpoint/scan.h"
#include "status/page-parts.h"
#include "store/store.h"

struct checkpoint_rules {
	uint64_t best; /* best tasks that keep all checkpoints, or 0 */
	uint64_t last; /* newest checkpoints to keep of each series, or 0 */
	int named;     /* the user chose tasks by their states (-t) */
};

/*
 * A checkpoint directory of a task: of one attempt and the attempts that
 * continued from it.
 */
struct checkpoint_dir {
	char *name; /* name in checkpoint/ */
	struct checkpoints found;
	char *remove; /* for each checkpoint, whether it is deleted */
};

struct checkpoint_task {
	struct job_view *view;
	uint64_t task;
	struct checkpoint_dir *dir; /* the current directory is last */
	size_t dirs;
	const char *why; /* why all is kept, "runs", "best"; or NULL */
	int all;         /* everything is deleted */

	uint64_t checkpoints, removals;
	int64_t bytes, removal_bytes;
};

/* The checkpoints of tasks of one job, and which of them to delete. */
struct checkpoint_plan {
	struct checkpoint_task *task; /* tasks that have a directory */
	size_t count;
	struct strlist trouble; /* reasons why directories were skipped */
	struct strlist links;   /* reasons why links were skipped */
};

/*
 * Find the checkpoints of tasks of a job.  Returns 0, or -1 with *out empty.
 * Call checkpoint_plan_free on out.
 */
int checkpoint_plan_find(
    const struct job_tasks *, struct checkpoint_plan *out, struct error *e);
void checkpoint_plan_free(struct checkpoint_plan *);

/*
 * Decide by the rules what to delete.  Returns 0, or -1 with nothing decided.
 */
int checkpoint_plan_decide(
    struct checkpoint_plan *, const struct checkpoint_rules *, struct error *e);

/*
 * Delete the checkpoints that checkpoint_plan_decide chose.  Each checkpoint is
 * first moved as a whole to the store's trash.  A checkpoint that cannot be
 * deleted is taken off the plan, with the reason in trouble.  Returns 0, or -1
 * if there are such checkpoints.
 */
int checkpoint_plan_discard(struct checkpoint_plan *, const struct store *);

#endif
