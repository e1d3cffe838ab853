/*
 * Targets: the jobs and tasks on which a command acts, by their current states.
 */
#ifndef STFM_VIEW_TARGETS_H
#define STFM_VIEW_TARGETS_H

#include "view/filter.h"
#include "view/select.h"

struct job_target {
	const struct selected *named; /* what the user's words name */
	const struct store_job *job;  /* the job of named */
	struct job_view *view;
	struct idset tasks; /* named tasks that the filter takes */
	char *unwritten;    /* why the table could not be written, or NULL */
	struct strlist damaged; /* reasons: its unreadable records */
	struct strlist notes;   /* see reconcile_notes */
};

/*
 * Make a target of each selected job, in their order, after a reconcile pass.
 * The selection must outlive them.  A copy of a job is refused.  Returns 0 with
 * *out, to job_targets_free, or -1 with *out NULL.
 */
int job_targets(const struct store *, const struct selection *,
    const struct job_filter *, struct job_target **out, struct error *e);

void job_targets_free(struct job_target *, size_t count);

#endif
