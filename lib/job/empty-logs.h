/*
 * Empty logs of finished tasks.  A pass removes them, because a sweep would
 * keep a file for each task that printed nothing.  The job has a marker
 * (store/once.h) that names these tasks, so that a missing log is not taken for
 * a lost one.
 */
#ifndef STFM_JOB_EMPTY_LOGS_H
#define STFM_JOB_EMPTY_LOGS_H

#include <stddef.h>

#include "base/error.h"
#include "base/idset.h"

struct store_job;

/*
 * For attempts, the tasks whose log in that attempt was empty.  An attempt may
 * have several entries.
 */
struct job_empty_logs {
	struct job_empty_logs_of {
		uint32_t attempt;
		struct idset tasks;
	} * of;
	size_t count;
};

/*
 * Record that the logs of tasks in an attempt are empty.  Call this before you
 * remove a log.  Returns 0, or -1 if it may not be recorded for all of them.
 */
int job_empty_logs_note(const struct store_job *, uint32_t attempt,
    const struct idset *tasks, struct error *e);

/*
 * Load what is recorded into *out, to job_empty_logs_free.  Returns 0, or -1
 * with *out empty.
 */
int job_empty_logs_load(
    const struct store_job *, struct job_empty_logs *out, struct error *e);
void job_empty_logs_free(struct job_empty_logs *);

/* Return whether the log of a task in an attempt was recorded as empty. */
int job_empty_logs_has(
    const struct job_empty_logs *, uint64_t task, uint32_t attempt);

#endif
