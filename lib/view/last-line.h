/*
 * The failure line of a task in ERROR: the line of its log that says why it
 * ended, and the cause that this line names.
 */
#ifndef STFM_VIEW_LAST_LINE_H
#define STFM_VIEW_LAST_LINE_H

#include <stdint.h>

#include "view/view.h"

/* Return the line that says why a task ended, to free; or NULL. */
char *job_last_line(struct job_view *, uint64_t task);

/*
 * Return the cause that the log of a task in ERROR names (see
 * job_failure_line_named), or NULL.  Reads the end of the log.  A cause that
 * Slurm recorded is only in the task's row.
 */
const char *job_last_line_cause(struct job_view *, uint64_t task);

#endif
