/* What the files of verification share with each other. */
#ifndef STFM_JOB_VERIFY_OWN_H
#define STFM_JOB_VERIFY_OWN_H

#include "job-verify.h"
#include "store-job.h"

/*
 * Note something about the file at a path below the store's.  what may begin
 * with the whole path and a line, as reasons do.
 */
struct job_finding *job_finding_add(struct job_findings *,
    enum job_finding_kind, const char *job, const char *path, const char *what);

/* Whether what fails with this errno can be read tomorrow no better. */
int job_verify_is_for_good(int reason);

/* Hold the job's newest table against its facts. */
int job_verify_table(
    struct job_findings *, const struct store_job *, struct error *e);

#endif
