/*
 * The stray arrays of a store's jobs in Slurm's queue: see control/stray.h.
 */
#ifndef STFM_VERIFY_STRAY_ARRAYS_H
#define STFM_VERIFY_STRAY_ARRAYS_H

#include <stddef.h>

#include "base/strlist.h"
#include "store/store.h"

/*
 * Add a sentence to out for each stray array of the jobs with these names or,
 * if count is 0, of all jobs and removed ones.  Without an answer of Slurm,
 * nothing is added.
 */
void job_strays_list(const struct store *, char *const *names, size_t count,
    struct strlist *out);

#endif
