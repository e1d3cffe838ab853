/*
 * Which checkpoints of a job's tasks stay, by rules, and letting go of the
 * others.  What any rule keeps is kept.  So is all of a task that runs, waits,
 * or is to be queued again by the job's policy.
 */
#ifndef STFM_CHECKPOINT_PRUNE_H
#define STFM_CHECKPOINT_PRUNE_H

#include <stdint.h>

#include "base/error.h"
#include "checkpoint/scan.h"
#include "status/page-parts.h"
#include "store/store.h"

struct job_prune_rules {
	uint64_t best; /* the best tasks of the job keep all; or 0 */
	uint64_t last; /* each task keeps the newest of a series; or 0 */
	int named;     /* the user has said which states are meant */
};

/* A directory of a task: of one attempt, and those that went on from it. */
struct job_prune_dir {
	char *name; /* in checkpoint/ */
	struct checkpoints units;
	char *goes; /* whether each of them does, while something is kept */
};

struct job_prune_task {
	struct job_view *view;
	uint64_t task;
	struct job_prune_dir *dir; /* the current one last */
	size_t dirs;
	const char *why; /* nothing of it goes: "runs", "best"; or NULL */
	int all;         /* all of it goes */

	uint64_t checkpoints, goes;
	int64_t bytes, goes_bytes;
};

struct job_prune {
	struct job_prune_task *task; /* those that have a directory */
	size_t count;
	struct strlist trouble; /* reasons: what was passed over */
	struct strlist links;   /* the same of links among the checkpoints */
};

/* Find the checkpoints of these tasks.  Returns 0, or -1 with *out empty. */
int job_prune_find(
    const struct job_tasks *, struct job_prune *out, struct error *e);
void job_prune_free(struct job_prune *);

/* Say of each of them what goes by the rules: 0, or -1 with nothing said. */
int job_prune_plan(
    struct job_prune *, const struct job_prune_rules *, struct error *e);

/*
 * Remove what goes.  What is removed is first given another name, whole, in
 * the store's trash.  What was not removed is taken from what goes, and why is
 * put into trouble.  Returns 0, or -1 when there was such.
 */
int job_prune_discard(struct job_prune *, const struct store *);

#endif
