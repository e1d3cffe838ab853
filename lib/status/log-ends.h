/*
 * How tasks ended that failed: the end of each log around what tells of the
 * error.
 */
#ifndef STFM_STATUS_LOG_ENDS_H
#define STFM_STATUS_LOG_ENDS_H

#include "status/page-parts.h"
#include "view/logs.h"

/*
 * For people: of those in ERROR, in their order, the task, its cause and at
 * most so many lines: from where a traceback begins, or a little before the
 * line that tells of the error.  Ends that are equal but for numbers and paths
 * are shown once, with the tasks that had them.  Returns how many tasks there
 * were.
 */
size_t job_show_ends(FILE *out, const struct job_log *, size_t count,
    uint64_t lines, const struct job_look *);

#endif
