/* Files as the runs of a plot. */
#ifndef STFM_PLOT_FILES_H
#define STFM_PLOT_FILES_H

#include "plot/plot.h"

/*
 * Read files ("-" is standard input) and add them.  What there is to say of
 * them, also why one could not be read, goes to notes, a line each.  Returns
 * how many could not be read.
 */
size_t plot_add_files(
    struct plot *, const struct strlist *files, struct strlist *notes);

#endif
