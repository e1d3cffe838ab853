/* The output file of a run. */
#ifndef STFM_JOB_OUTPUT_H
#define STFM_JOB_OUTPUT_H

struct store_job;
struct store_row;

/* Return the path of a run's output, to free, or NULL if it is not recorded. */
char *job_output(const struct store_job *, const struct store_row *);

#endif
