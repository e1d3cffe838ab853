/*
 * Who holds a pending task, read from Slurm's pending reason.  Slurm itself
 * holds tasks that it could not start or was told to requeue held
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

/*
 * Return who holds a task, by its pending reason; text after that is ignored.
 */
enum queue_hold queue_hold_of(const char *reason);

#endif
