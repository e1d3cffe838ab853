/*
 * The options of stfm-submit that the record of a job holds, but those that
 * choose its points, and those for sbatch.
 */
#ifndef STFM_JOB_OPTIONS_H
#define STFM_JOB_OPTIONS_H

#include <stddef.h>

struct store_job;

/* An option, and its value as users write it; NULL if it is not in force. */
struct job_option {
	const char *name; /* "--parallel" */
	char *value;
};

enum { JOB_OPTIONS = 28 };

/*
 * Set option to the options of a job, always the same ones in the same order;
 * to job_options_free.
 */
void job_options(const struct store_job *, struct job_option[JOB_OPTIONS]);
void job_options_free(struct job_option[JOB_OPTIONS]);

#endif
