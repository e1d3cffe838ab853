/*
 * Plots of stored jobs: their tasks are the runs.  Logs are read now;
 * everything else comes from the newest table.
 */
#ifndef STFM_STATUS_PLOT_H
#define STFM_STATUS_PLOT_H

#include <stdio.h>

#include "plot/plot.h"
#include "status/page-parts.h"

struct job_plots {
	struct plot *plot;
	size_t count;
	size_t bad; /* unreadable logs */
};

/*
 * Make a plot for each objective of the jobs, with the options of like and the
 * jobs' tasks; leave out tasks without values.  Of many tasks, only tasks that
 * may be among the best are read, if the table has their values.  Writes a line
 * to notes for each job about the tasks that are left out, and a line to errors
 * for each reason why logs cannot be read.  Free out with job_plots_free.
 */
void job_plots_make(struct job_plots *out, const struct plot *like,
    const struct job_tasks *, size_t count, FILE *notes, FILE *errors);

/*
 * Check that each hyperparameter used as x axis or averaged over belongs to
 * some job.  Plots without runs need this, because plot_merge and plot_draw do
 * not check names without runs.  Returns 0, or -1 with the reason in e.
 */
int job_plots_check(const struct job_plots *, struct error *e);
void job_plots_free(struct job_plots *);

#endif
