/*
 * The options of stfm-submit that the record of a job holds, except those that
 * choose its points and except those for sbatch.
 */
#ifndef STFM_JOB_OPTIONS_H
#define STFM_JOB_OPTIONS_H

#include "base/strlist.h"

struct store_job;

/*
 * Add to names and values the options of a job, always the same ones in the
 * same order: "--parallel", and "4" as users write it, or "" if it is not in
 * force.
 */
void job_options(
    const struct store_job *, struct strlist *names, struct strlist *values);

#endif
