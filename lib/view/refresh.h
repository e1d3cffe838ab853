/*
 * Refreshing views before a command shows them.  If the table is old,
 * stfm-watch makes a reconcile pass.  So no watcher has to run, and commands
 * that only read do not load libslurm.
 */
#ifndef STFM_VIEW_REFRESH_H
#define STFM_VIEW_REFRESH_H

#include "store/store.h"
#include "view/view.h"

/* When to refresh views. */
enum job_refresh {
	JOB_WHEN_OLD, /* if job_view_is_fresh says that the table is old */
	JOB_ALWAYS,
	JOB_NEVER
};

/*
 * If the store is read-only, so that no reconcile pass can write to it, update
 * the views from the records in memory.  Returns why the store is read-only or
 * why the records cannot be read, to free; or NULL.
 */
char *job_refresh_look(const struct store *, struct job_view *const *views,
    size_t count, enum job_refresh, int64_t now);

/*
 * Make one reconcile pass for the jobs whose tables are old, and load their
 * views again.  In a read-only store, does what job_refresh_look does.  now is
 * the time in seconds since 1970.  If the pass fails for a job, for example on
 * a full disk, its view is updated from the records.  If Slurm does not answer,
 * the pass records this in the store, for job_refresh_trouble.  Returns NULL,
 * or why views are out of date, to free.
 */
char *job_refresh(const struct store *, struct job_view *const *views,
    size_t count, enum job_refresh, int64_t now);

/*
 * Return a message for the user, to free, or NULL if there is none.  It says
 * one of these:
 * - Slurm was not reachable, and when it last answered about these jobs; it may
 *   have answered about others since;
 * - Slurm's accounting did not answer;
 * - why, the text that job_refresh returned.
 */
char *job_refresh_trouble(struct job_view *const *views, size_t count,
    enum job_refresh, int64_t now, const char *why);

#endif
