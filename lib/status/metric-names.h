/* The names of the metrics in training logs, for users to choose from. */
#ifndef STFM_STATUS_METRIC_NAMES_H
#define STFM_STATUS_METRIC_NAMES_H

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

struct job_view;
struct record_pattern;
struct store_job;
struct store_row;

/*
 * Add the names of the numeric columns of the log at path, read from its first
 * bytes, except the x axis.  For a text log, pattern has the names; NULL for
 * other logs.  Adds nothing if the log cannot be read.
 */
void job_metric_names_log(const char *path,
    const struct record_pattern *pattern, struct strlist *out);

/*
 * Check that some log of a job has its metric.  Returns 0, also if there is no
 * log yet, or -1 with e naming the metrics that the logs have.
 */
int job_metric_names_check(const struct job_view *, struct error *e);

/*
 * Read the logs of a job again with another metric as its objective, in memory
 * only.  job, the job of the view, gets the metric.  Returns 0, or -1.
 */
int job_metric_names_use(struct store_job *job, struct job_view *,
    const char *metric, int64_t now, struct error *e);

/*
 * Add columns to a view: the values of these metrics at the epoch of the best
 * value, read from the logs of tasks.  Returns 0, or -1 if one of the metrics
 * is in no log.
 */
int job_metric_names_add(struct job_view *, const struct strlist *metrics,
    const struct idset *tasks, struct error *e);

/* Add the objective of a job, and the names in the log of one of its tasks. */
void job_metric_names_metrics(const struct store_job *, struct strlist *out);

/*
 * Return the same names, except a metric, the nearest first, for people:
 * "val_acc, val_loss".  To free; NULL if there are none.
 */
char *job_metric_names_text(const struct store_job *, const char *metric);

/*
 * Return the first text in the column of the objective that is not blank, read
 * from the first bytes of a task's log; to free.  In printed output it is what
 * the group of --metrics-regex matches.  NULL if there is none or if the log
 * has another format.
 */
char *job_metric_names_cell(const struct store_job *, const struct store_row *);

#endif
