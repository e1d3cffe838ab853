/* What the files of lib/metrics share. */
#ifndef STFM_METRICS_PRIVATE_H
#define STFM_METRICS_PRIVATE_H

#include "metrics/metrics.h"

/* Copy a name, shortened and made UTF-8 if necessary. */
void metrics_copy_name(char out[METRICS_NAME], const char *name);

/* Name the metric that is followed; a best value of another one is dropped. */
void metrics_name_objective(struct metrics_summary *, const char *name);

/* Take a row with the columns of the summary. */
void metrics_take_row(
    struct metrics_summary *, char *const *field, size_t count);

#endif
