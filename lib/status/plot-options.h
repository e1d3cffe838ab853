/*
 * The operands of stfm-plot: tasks of the store, and files.  A word that could
 * be either names the job.
 */
#ifndef STFM_STATUS_PLOT_OPTIONS_H
#define STFM_STATUS_PLOT_OPTIONS_H

#include "base/error.h"
#include "base/strlist.h"

struct job_plot_words {
	struct strlist tasks; /* operands for job_select */
	struct strlist files; /* paths; "-" is standard input */
};

void job_plot_words_free(struct job_plot_words *);

/* Add an operand as a task or a file.  store is the value of -d, or NULL. */
void job_plot_words_add(
    struct job_plot_words *, const char *store, const char *word);

/* Add "no such file" to e, which says that there is no such job. */
void job_plot_words_blame(const struct job_plot_words *, struct error *e);

#endif
