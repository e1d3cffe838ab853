/*
 * Where a job is, and where it was made: from there Slurm starts its tasks,
 * and there it puts their logs, whatever became of the store since.
 */
#ifndef STFM_JOB_LOCATION_H
#define STFM_JOB_LOCATION_H

#include "base/error.h"
#include "store/job.h"

enum job_location {
	JOB_IN_PLACE, /* by any path; or nobody can tell */
	JOB_COPIED,   /* the one that Slurm has is still where it was made */
	JOB_MOVED     /* it is there no more, and was not imported */
};

/*
 * Where it stands, and what of it, if it is not in its place, without its name.
 * Where the path is that of the record nothing is looked at.
 */
enum job_location job_location(const struct store_job *, struct error *e);

/* Refuse to tell Slurm anything by the records of a copy: 0 or -1. */
int job_location_steer(const struct store_job *, struct error *e);

/* ... and to let tasks begin which Slurm could not start: 0 or -1. */
int job_location_begin(const struct store_job *, struct error *e);

#endif
