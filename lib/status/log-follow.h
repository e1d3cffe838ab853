/*
 * Following logs: the states of tasks while their logs are read.
 *
 * The store is read again at intervals.  A reconcile pass is made if tasks have
 * left records that no pass has read, if a task that could not be started left
 * Slurm's queue without a record, or if the table is old.
 */
#ifndef STFM_STATUS_LOG_FOLLOW_H
#define STFM_STATUS_LOG_FOLLOW_H

#include "status/logs.h"
#include "store/store.h"

/* The followed tasks.  Set the first three members, and the others to zero. */
struct job_follow {
	struct view_selection *choice;
	struct job_log *logs;
	size_t count;

	/* Private: times and intervals in milliseconds of proc_clock. */
	int64_t looked, passed, gap, asked, pause;
};

/*
 * Look at the tasks again, unless the last look was a moment ago.  Calls
 * changed for each log that is now another file or whose task has another
 * state; before is the log's previous value.  Returns 0 or -1.
 */
int job_follow_look(struct job_follow *,
    void (*changed)(void *arg, size_t log, const struct job_log *before),
    void *arg, struct error *e);

/* Return how many tasks are not over. */
size_t job_follow_open(const struct job_follow *);

#endif
