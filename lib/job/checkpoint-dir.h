/*
 * The checkpoint directories of the attempts of a task.  An attempt from
 * scratch has its own; an attempt that resumes uses that of the attempt before
 * it.
 */
#ifndef STFM_JOB_CHECKPOINT_DIR_H
#define STFM_JOB_CHECKPOINT_DIR_H

#include <stdint.h>

#include "base/error.h"

struct store_chunks;
struct store_job;

/*
 * Return the attempt that created the checkpoint directory of an attempt:
 * itself or an earlier one.
 */
uint32_t job_checkpoint_origin(
    const struct store_chunks *, uint64_t task, uint32_t attempt);

/* Return whether the chunks of all attempts back to its origin are known. */
int job_checkpoint_is_known(
    const struct store_chunks *, uint64_t task, uint32_t attempt);

/* Return the checkpoint directory of an attempt from scratch; to free. */
char *job_checkpoint_path(
    const struct store_job *, uint64_t task, uint32_t origin);

/* Return whether the directory has any content: 1, 0, or -1 if unknown now. */
int job_checkpoint_is_there(
    const struct store_job *, uint64_t task, uint32_t origin, struct error *e);

#endif
