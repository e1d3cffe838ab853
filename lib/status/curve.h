/* The learning curve of a task: the objective from its training log. */
#ifndef STFM_STATUS_CURVE_H
#define STFM_STATUS_CURVE_H

#include "base/error.h"
#include "plot/plot.h"
#include "view/view.h"

struct job_curve {
	const struct metrics_series *series;
	struct plot plot;
	struct plot_run run;
};

/*
 * Add to out the paths of the logs of the earlier attempts that the attempt in
 * row continues from their checkpoints, oldest first.  Notes damaged records
 * that may hide such logs in the view.
 */
void job_curve_before(
    struct job_view *, const struct store_row *, struct strlist *out);

/*
 * Read the curve from the log at path; the log is text if there is a pattern.
 * before lists the logs that this one continues, oldest first, or is NULL.
 * metric NULL is guessed.  A log of more than limit bytes is refused, because a
 * part of it would be another curve.  ended says that no process writes to the
 * log any more, so that an incomplete last line counts.  Returns 0, to be freed
 * with job_curve_free, or -1 if there is no file or nothing in it (errno
 * ENOENT), it is not a log, or it has no such metric.
 */
int job_curve_read(struct job_curve *, const char *path,
    const struct strlist *before, const char *metric,
    const struct record_pattern *, size_t limit, int ended, struct error *e);
void job_curve_free(struct job_curve *);

#endif
