/*
 * A newer copy of a job's code.  Tasks that are queued later run it; tasks that
 * are queued already keep their copy.
 */
#ifndef STFM_JOB_CODE_RENEW_H
#define STFM_JOB_CODE_RENEW_H

#include "base/error.h"

struct store_job;
struct strlist;

/*
 * Compare the code as it is now with the job's newest copy, add up to most
 * paths that differ to the empty list differing, which is to be freed, and,
 * unless only_look is set, publish a newer copy if there are any.  store is the
 * path of the store.  Returns 1 if the code differs, 0 if it does not, or -1;
 * the code is ERROR_LATER if another program changed the job meanwhile.
 */
int job_code_renew(const struct store_job *, const char *store, int only_look,
    size_t most, struct strlist *differing, struct error *e);

#endif
