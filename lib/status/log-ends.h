/* The ends of failed tasks' logs, around the failure line. */
#ifndef STFM_STATUS_LOG_ENDS_H
#define STFM_STATUS_LOG_ENDS_H

#include <stdio.h>

#include "status/logs.h"
#include "status/page-parts.h"
#include "store/store.h"

/*
 * Print for each task in ERROR, in order, its id, its cause and at most lines
 * lines of its log: from the start of a traceback, or from a little before the
 * failure line.  Ends that are equal except for numbers and paths are printed
 * once, with their tasks.  Returns the number of tasks in ERROR.
 */
size_t job_show_ends(FILE *out, const struct job_log *, size_t count,
    uint64_t lines, const struct show_style *);

#endif
