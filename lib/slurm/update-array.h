/*
 * Requests to hold, release and throttle an array that stfm queued, and to set
 * its dependencies, made by scontrol(1).  Functions return 0, or -1 with a code
 * as slurm/queue.h says.
 *
 * Each function asks Slurm about the array first.  If the array does not carry
 * the token, its id now belongs to another job: the function changes nothing
 * and fails with ERROR_REFUSED.
 */
#ifndef STFM_SLURM_UPDATE_ARRAY_H
#define STFM_SLURM_UPDATE_ARRAY_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"

/*
 * Hold pending tasks as their user, or release them if hold is 0; indices is
 * NULL for a job without an array.  Do not hold a running task: Slurm would
 * hold it once it is requeued.  If some of the tasks have ended, Slurm refuses,
 * but still changes the others.
 */
int queue_hold(int hold, uint32_t array, const struct idset *indices,
    const char *token, struct error *e);

/* Replace the dependency of a pending array with on; "" removes it. */
int queue_depend(
    uint32_t array, const char *token, const char *on, struct error *e);

/* Set the throttle of an array (most tasks at once); 0 is no limit. */
int queue_throttle(
    uint32_t array, const char *token, int64_t most, struct error *e);

#endif
