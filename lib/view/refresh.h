/*
 * Refreshing views before a command shows them.  If the table is old,
 * stfm-watch makes a reconcile pass.  So no watcher has to run, and commands
 * that only read do not load libslurm.
 */
#ifndef STFM_VIEW_REFRESH_H
#define STFM_VIEW_REFRESH_H

#include "store/store.h"
#include "view/view.h"

enum job_refresh { JOB_WHEN_OLD, JOB_ALWAYS, JOB_NEVER };

/*
 * Update the views from the records alone if the store is read-only, because no
 * reconcile pass can write to it.  Returns why the store is read-only or why
 * the records cannot be read, to free; or NULL.
 */
char *job_refresh_look(const struct store *, struct job_view *const *views,
    size_t count, enum job_refresh, int64_t now);

/*
 * Make one reconcile pass for the jobs whose tables are old and read their
 * views again; in a read-only store do as job_refresh_look does.  now is the
 * time.  If the pass failed for a job, for example on a full disk, its view is
 * updated from the records.  If Slurm did not answer, the pass records this in
 * the store, for job_refresh_trouble.  Returns NULL, or why views are out of
 * date, to free.
 */
char *job_refresh(const struct store *, struct job_view *const *views,
    size_t count, enum job_refresh, int64_t now);

/*
 * Return a message, to free, or NULL.  The message says that Slurm was not
 * reachable and when it last answered about these jobs (it may have answered
 * about others since), that Slurm's accounting did not answer, or why, the text
 * that job_refresh returned.
 */
char *job_refresh_trouble(struct job_view *const *views, size_t count,
    enum job_refresh, int64_t now, const char *why);

#endif
