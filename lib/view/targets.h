/*
 * Targets: the jobs and tasks that a command changes, selected by current
 * state.
 */
#ifndef STFM_VIEW_TARGETS_H
#define STFM_VIEW_TARGETS_H

#include "view/filter.h"
#include "view/select.h"

struct queue;
struct reconcile;

struct job_target {
	const struct selected *named; /* the selected job that the user named */
	const struct store_job *job;  /* the job of named */
	struct job_view *view;
	struct idset tasks; /* named tasks that the filter takes */
	char *unwritten;    /* why the table could not be written, or NULL */
	struct strlist damaged;    /* why records cannot be read */
	struct strlist notes;      /* arrays that the pass cancelled */
	const struct queue *queue; /* Slurm's answer to the pass, or NULL */

	struct reconcile *pass; /* private: of all targets, in the first */
};

/*
 * Make a target of each selected job, in their order, after a reconcile pass.
 * The selection must outlive the targets.  Refuses a job in a store that was
 * copied (job/location.h).  Returns 0 with *out, an array of selection->count
 * targets, to job_targets_free; or -1 with *out NULL.
 */
int job_targets(const struct store *, const struct selection *,
    const struct job_filter *, struct job_target **out, struct error *e);

void job_targets_free(struct job_target *, size_t count);

#endif
