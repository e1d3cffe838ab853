/*
 * What the words of stfm-plot name: tasks of the store, and files.  A word that
 * may name both names the job.
 */
#ifndef STFM_STATUS_PLOT_OPTIONS_H
#define STFM_STATUS_PLOT_OPTIONS_H

#include "base/error.h"
#include "base/strlist.h"

struct job_plot_words {
	struct strlist tasks; /* for job_select */
	struct strlist files; /* "-" is standard input */
};

void job_plot_words_free(struct job_plot_words *);

/* Add a word; store is the value of -d, or NULL. */
void job_plot_words_add(
    struct job_plot_words *, const char *store, const char *word);

/* Say beside why there is no such job that there is no such file. */
void job_plot_words_blame(const struct job_plot_words *, struct error *e);

#endif
