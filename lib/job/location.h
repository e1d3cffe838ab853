/*
 * The location of a job: where it is, and where it was created.  Slurm starts
 * its tasks from there and writes their logs there, even if the store was moved
 * since.
 */
#ifndef STFM_JOB_LOCATION_H
#define STFM_JOB_LOCATION_H

#include "base/error.h"

struct store_job;

enum job_location {
	JOB_IN_PLACE, /* by any path; or unknown */
	JOB_COPIED,   /* a copy: Slurm's original is still in its place */
	JOB_MOVED     /* moved, and not imported */
};

/*
 * Return the location of a job.  Unless it is in place, e says what is wrong,
 * without the job's name.  If its path is that of its record, no file is
 * examined.
 */
enum job_location job_location(const struct store_job *, struct error *e);

/*
 * Refuse to change a job in Slurm by the records of a copy.  Returns 0, or -1
 * with the reason in e if the job is a copy.
 */
int job_location_refuse_copy(const struct store_job *, struct error *e);

/*
 * Refuse to start tasks of a job that is not in its place, because Slurm could
 * not start them.  Returns 0, or -1.
 */
int job_location_begin(const struct store_job *, struct error *e);

#endif
