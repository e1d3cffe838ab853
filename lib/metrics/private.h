/* What the files of metrics share with each other. */
#ifndef STFM_METRICS_PRIVATE_H
#define STFM_METRICS_PRIVATE_H

#include "metrics/metrics.h"

/* Copy a name, shortened and made UTF-8 where it must be. */
void metrics_copy_name(char out[METRICS_NAME], const char *name);

/* Name what is followed: a best value carried over is of that, or goes. */
void metrics_name_objective(struct metrics_summary *, const char *name);

/* Take in a row, whose columns lie as the summary says. */
void metrics_take_row(
    struct metrics_summary *, char *const *field, size_t count);

#endif
