/*
 * Who holds a pending task, read from Slurm's pending reason.  Slurm itself
 * holds tasks that it could not start and tasks that were requeued with hold
 * (QUEUE_HELD_BY_SLURM); their user may release them.
 */
#ifndef STFM_SLURM_HOLD_H
#define STFM_SLURM_HOLD_H

enum queue_hold {
	QUEUE_FREE,
	QUEUE_HELD_BY_USER,
	QUEUE_HELD_BY_ADMIN,
	QUEUE_HELD_BY_SLURM
};

/* Return who holds a task, by the beginning of its pending reason. */
enum queue_hold queue_hold_of(const char *reason);

#endif
