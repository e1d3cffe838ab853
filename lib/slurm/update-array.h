/*
 * Change an array in Slurm's queue that stfm made: hold or release tasks, set
 * its throttle or its dependency.  Each function runs scontrol(1) and returns
 * 0, or -1 with a code as slurm/queue.h says.
 *
 * Each function first asks Slurm about the array.  If the array does not carry
 * the token, its id now belongs to another job: the function changes nothing
 * and fails with ERROR_REFUSED.
 */
#ifndef STFM_SLURM_UPDATE_ARRAY_H
#define STFM_SLURM_UPDATE_ARRAY_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"

/*
 * Hold pending tasks as their user, or release them if hold is 0.  indices are
 * their array indices, or NULL for a job that is not an array.  Do not hold a
 * running task: Slurm would hold it when it is requeued.  If some of the tasks
 * have ended, Slurm fails the request but still changes the others.
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
