/* Training logs that are a directory of event files. */
#ifndef STFM_JOB_TENSORBOARD_LOG_H
#define STFM_JOB_TENSORBOARD_LOG_H

#include "base/error.h"
#include "metrics/metrics.h"

/*
 * Bring a summary up to date with the files in the directory.  *marks, to free,
 * says how far each was read; NULL at first.  *time is when one was last
 * written to.  Returns 0, or -1.
 */
int job_tensorboard_log_read(const char *directory, const struct metrics_wish *,
    int ended, char **marks, struct metrics_summary *, double *time,
    struct error *e);

/* When any of its files was last written to, or 0. */
int64_t job_tensorboard_log_time(const char *directory);

#endif
