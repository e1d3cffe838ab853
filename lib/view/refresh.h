/*
 * Views brought up to date before they are shown.  Where what the store knows
 * is old, stfm-watch makes a pass: no watcher need be running, and who only
 * reads does not need Slurm's library.
 */
#ifndef STFM_VIEW_REFRESH_H
#define STFM_VIEW_REFRESH_H

#include "store/store.h"
#include "view/view.h"

enum job_refresh { JOB_WHEN_OLD, JOB_ALWAYS, JOB_NEVER };

/*
 * In a store that cannot be written nobody can make a pass: take what the
 * records of those jobs say instead.  Returns why it cannot be written, or the
 * records not be read, to free; NULL when there was nothing to do.
 */
char *job_refresh_look(const struct store *, struct job_view *const *views,
    size_t count, enum job_refresh, int64_t now);

/*
 * Make one pass for those of the views' jobs that are old, and read these
 * views again, or job_refresh_look; now is the time.  Of jobs for which the
 * pass failed, as on a full disk, what the records say is taken as well; that
 * Slurm did not answer is in the store then, for job_refresh_trouble.
 * Returns NULL, or why they could not be brought up to date, to free.
 */
char *job_refresh(const struct store *, struct job_view *const *views,
    size_t count, enum job_refresh, int64_t now);

/*
 * What to say when Slurm was not reachable, and when it last answered about
 * these jobs (it may have about others since), or its accounting did not
 * answer, or when job_refresh returned why (or NULL); to free, or NULL.
 */
char *job_refresh_trouble(struct job_view *const *views, size_t count,
    enum job_refresh, int64_t now, const char *why);

#endif
