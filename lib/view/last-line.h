/*
 * The failure line of a task in ERROR: the line of its log that tells why it
 * ended, and the cause that this line names.
 */
#ifndef STFM_VIEW_LAST_LINE_H
#define STFM_VIEW_LAST_LINE_H

#include <stdint.h>

#include "view/view.h"

/* Return the line that tells why a task ended; to free, or NULL. */
char *job_last_line(struct job_view *, uint64_t task);

/*
 * Return the cause that the log of a task in ERROR names (see
 * job_failure_line_named), or NULL.  A cause that Slurm recorded is in the
 * task's row and not repeated here.  Reads the end of the log.
 */
const char *job_last_line_cause(struct job_view *, uint64_t task);

#endif
