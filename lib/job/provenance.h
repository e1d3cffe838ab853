/*
 * Where a job comes from: the command line, and what of the environment is
 * worth keeping to make the same run again.  Only variables of a fixed list
 * are kept, and what looks like a secret in them is not.
 */
#ifndef STFM_JOB_PROVENANCE_H
#define STFM_JOB_PROVENANCE_H

#include "store/job.h"

/*
 * Put argv, cwd and the environment into the record of a job whose command is
 * known.  A Python that the command runs is asked for its version, for 2
 * seconds at most.
 */
void job_provenance_record(struct store_job *, int argc, char *const argv[]);

/*
 * A word or text of the job that has a secret in it, masked, or NULL.  These
 * are needed as they are, and stored so.  To free.
 */
char *job_provenance_secret(const struct store_job *);

/* The same of words alone, such as options for sbatch. */
char *job_provenance_secret_word(const struct strlist *);

#endif
