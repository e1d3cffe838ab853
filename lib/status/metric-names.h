/* The names of the metrics in training logs, for users to choose from. */
#ifndef STFM_STATUS_METRIC_NAMES_H
#define STFM_STATUS_METRIC_NAMES_H

#include "base/strlist.h"

struct record_pattern;
struct store_job;

/*
 * Add the names of the numeric columns in a log, read from its first bytes; for
 * a text log, the names in the pattern, which is NULL for others.  The column
 * of the x axis is omitted.  A log that cannot be read has none.
 */
void job_metric_names_log(
    const char *path, const struct record_pattern *, struct strlist *out);

/* Add the objective of a job, and the names in the log of one of its tasks. */
void job_metric_names_metrics(const struct store_job *, struct strlist *out);

#endif
