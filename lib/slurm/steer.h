/*
 * What Slurm is asked to change in an array of ours, by scontrol(1).  Functions
 * return 0, or -1 with errno as slurm/queue.h says.
 *
 * Slurm is asked about the array first: one without the token is another job
 * by now, and is not touched (EIO).
 */
#ifndef STFM_SLURM_STEER_H
#define STFM_SLURM_STEER_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"

/*
 * Hold waiting tasks for their user, or let them go; NULL is a job that is no
 * array.  One that runs would be
 * held when it comes back into the queue.  Slurm refuses (EIO) for tasks that
 * are over, and does it for the others all the same.
 */
int queue_hold(uint32_t array, const struct idset *indices, const char *token,
    struct error *e);
int queue_release(uint32_t array, const struct idset *indices,
    const char *token, struct error *e);

/* Let an array that waits depend on this alone, or with "" on nothing. */
int queue_depend(
    uint32_t array, const char *token, const char *on, struct error *e);

/* Let so many tasks of an array run at once; 0 is no limit. */
int queue_throttle(
    uint32_t array, const char *token, int64_t most, struct error *e);

#endif
