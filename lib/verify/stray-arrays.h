/*
 * The stray arrays in Slurm's queue, of all jobs of a store: control/stray.h
 * says what they are.
 */
#ifndef STFM_VERIFY_STRAY_ARRAYS_H
#define STFM_VERIFY_STRAY_ARRAYS_H

#include <stddef.h>

#include "base/strlist.h"
#include "store/store.h"

/*
 * Ask Slurm for the stray arrays of jobs with these names, or of all jobs and
 * of those that were removed when count is 0.  Adds a sentence for each to out,
 * and nothing where Slurm does not answer.
 */
void job_strays_list(const struct store *, char *const *names, size_t count,
    struct strlist *out);

#endif
