/*
 * What a command that changes tasks acts on: jobs, each with the tasks that are
 * meant, by the truth of now.
 */
#ifndef STFM_VIEW_TARGETS_H
#define STFM_VIEW_TARGETS_H

#include "view/filter.h"
#include "view/select.h"

struct job_target {
	const struct selected *named; /* what the words say */
	const struct store_job *job;  /* the same as there */
	struct job_view *view;
	struct idset tasks;     /* of those named, what the filter takes */
	char *unwritten;        /* why the truth of now could not be, or NULL */
	struct strlist damaged; /* reasons: records that may say more of them */
	struct strlist notes;   /* as reconcile_notes tells */
};

/*
 * Make a target of each selected job, in their order, after a pass over them.
 * The selection outlives them.  One that is a copy is refused.  Returns 0, or
 * -1 with *out NULL.
 */
int job_targets(const struct store *, const struct selection *,
    const struct job_filter *, struct job_target **out, struct error *e);

void job_targets_free(struct job_target *, size_t count);

#endif
