/*
 * Changes of tasks since the last look: states, causes and marks of running
 * tasks.
 */
#ifndef STFM_STATUS_CHANGES_H
#define STFM_STATUS_CHANGES_H

#include "status/page-parts.h"

/* What was last seen of each job; all zero at the start. */
struct job_changes {
	struct job_seen *seen;
	size_t count;
};

void job_changes_free(struct job_changes *);

/*
 * Look at tasks and put the tasks that changed since the last look into out,
 * which has room for count jobs.  Sets *found to the number of jobs with
 * changes; free their task lists.  The first look at a job finds nothing,
 * unless all is true.
 */
void job_changes_look(struct job_changes *, const struct job_tasks *tasks,
    size_t count, int all, struct job_tasks *out, size_t *found);

/*
 * Print a line for each of these tasks: the time, the task and its current
 * state.
 */
void job_changes_show(FILE *out, const struct job_tasks *, size_t count,
    const struct show_style *);

#endif
