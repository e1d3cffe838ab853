/*
 * Logs that are followed: what becomes of their tasks while they are read.
 *
 * The store is looked at, and a pass is made where the tasks have left records
 * that nobody has taken in, where one that could not be started has left
 * Slurm's queue without any, or where what is known is old.
 */
#ifndef STFM_STATUS_LOG_FOLLOW_H
#define STFM_STATUS_LOG_FOLLOW_H

#include "view/logs.h"

/* All zero but for the first three: nothing was looked at yet. */
struct job_follow {
	struct view_selection *choice;
	struct job_log *logs;
	size_t count;

	/* Its own: milliseconds of proc_clock. */
	int64_t looked, passed, gap, asked, pause;
};

/*
 * Look again, unless that was done a moment ago.  Calls changed for each log
 * that is another one now, or whose task is in another state, with what it was
 * before.  Returns 0, or -1.
 */
int job_follow_look(struct job_follow *,
    void (*changed)(void *arg, size_t log, const struct job_log *before),
    void *arg, struct error *e);

/* How many tasks are not over. */
size_t job_follow_open(const struct job_follow *);

#endif
