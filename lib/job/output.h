/*
 * Where the output of a run is.
 */
#ifndef STFM_JOB_OUTPUT_H
#define STFM_JOB_OUTPUT_H

#include "store/job.h"
#include "store/table-row.h"

/*
 * Return the path of a run's output, to free, or NULL when the records do not
 * tell it.
 */
char *job_output(const struct store_job *, const struct store_row *);

#endif
