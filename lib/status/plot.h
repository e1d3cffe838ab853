/*
 * Tasks of stored jobs as the runs of plots.  Their logs are read now; what
 * else there is to know of them comes from the newest fold.
 */
#ifndef STFM_STATUS_PLOT_H
#define STFM_STATUS_PLOT_H

#include <stdio.h>

#include "plot/plot.h"
#include "status/page-parts.h"

struct job_plots {
	struct plot *plot;
	size_t count;
	size_t bad; /* logs that could not be read */
};

/*
 * Make a plot for each objective that the jobs have, like the one given, with
 * their tasks; those without values are left out.  Of many tasks only those
 * are read that may be among the best, where the fold tells that.
 * Why tasks are left out goes to notes, one line for each reason and job.
 */
void job_plots_make(struct job_plots *out, const struct plot *like,
    const struct job_tasks *, size_t count, FILE *notes);

/*
 * Check that each hyperparameter to draw along or to average over is one of
 * some job.  For plots that have no runs: plot_merge and plot_draw do not look
 * at the names then.  Returns 0, or -1 with the reason in e.
 */
int job_plots_check(const struct job_plots *, struct error *e);
void job_plots_free(struct job_plots *);

#endif
