/* Training logs that are directories of TensorBoard event files. */
#ifndef STFM_JOB_TENSORBOARD_LOG_H
#define STFM_JOB_TENSORBOARD_LOG_H

#include <stdint.h>

#include "base/error.h"

struct metrics_request;
struct metrics_summary;

/*
 * Update a summary with new data from the files in the directory.  *marks, to
 * free, says how far each file was read; NULL at first.  ended says that no
 * process writes to them any more.  *time is when the newest was written.
 * Returns 0, or -1.
 */
int job_tensorboard_log_read(const char *directory,
    const struct metrics_request *, int ended, char **marks,
    struct metrics_summary *, double *time, struct error *e);

#endif
