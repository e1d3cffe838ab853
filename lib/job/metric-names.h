/* The names of what a training logs, for who chooses among them. */
#ifndef STFM_JOB_METRIC_NAMES_H
#define STFM_JOB_METRIC_NAMES_H

#include "base/strlist.h"
#include "metrics/reader.h"
#include "store/job.h"

/*
 * Add the names of the columns with numbers in a log, by its first bytes; all
 * names of a log in text are those of the pattern, which is NULL for others.
 * The column that the others are drawn along is left out.
 * A log that cannot be read has none.
 */
void job_metric_names_log(
    const char *path, const struct record_pattern *, struct strlist *out);

/* Add those of a job's tasks, by the log of one that has one. */
void job_metric_names_metrics(const struct store_job *, struct strlist *out);

#endif
