/*
 * Where the attempts of a task keep their checkpoints.  An attempt from scratch
 * has a directory of its own; one that resumes goes on in that of the attempt
 * before it.
 */
#ifndef STFM_JOB_CHECKPOINT_DIR_H
#define STFM_JOB_CHECKPOINT_DIR_H

#include <stdint.h>

#include "base/error.h"
#include "store/chunk.h"
#include "store/job.h"

/*
 * The attempt in whose directory an attempt of a task works: its own, or that
 * of an earlier one.
 */
uint32_t job_checkpoint_origin(
    const struct store_chunks *, uint64_t task, uint32_t attempt);

/* Whether each attempt on the way to that one is there. */
int job_checkpoint_is_known(
    const struct store_chunks *, uint64_t task, uint32_t attempt);

/* The directory of an attempt from scratch; to free. */
char *job_checkpoint_path(
    const struct store_job *, uint64_t task, uint32_t origin);

/*
 * Whether there is something in that directory: 1, 0, or -1 where that cannot
 * be seen now.
 */
int job_checkpoint_is_there(
    const struct store_job *, uint64_t task, uint32_t origin, struct error *e);

#endif
