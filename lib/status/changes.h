/*
 * What has changed of tasks from one look to the next: their states and causes,
 * and what else people are told of them while they run.
 */
#ifndef STFM_STATUS_CHANGES_H
#define STFM_STATUS_CHANGES_H

#include "status/page-parts.h"

struct job_changes;

struct job_changes *job_changes_new(void);
void job_changes_free(struct job_changes *);

/*
 * Take a look at tasks: those that are not as they were at the last look are
 * put into out, which has room for count jobs, and counted by *found (jobs that
 * have some; the task lists are to free).  At the first look at a job nothing
 * is, unless all is true.
 */
void job_changes_look(struct job_changes *, const struct job_tasks *tasks,
    size_t count, int all, struct job_tasks *out, size_t *found);

/* A line for each of these tasks: when, which, how it stands now. */
void job_changes_show(
    FILE *out, const struct job_tasks *, size_t count, const struct job_look *);

#endif
