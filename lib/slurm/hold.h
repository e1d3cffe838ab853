/*
 * Who holds what waits, by the reason as Slurm spells it.  Slurm holds what it
 * could not start, and what it was told to put back held; its user may let that
 * go.
 */
#ifndef STFM_SLURM_HOLD_H
#define STFM_SLURM_HOLD_H

enum queue_hold {
	QUEUE_FREE,
	QUEUE_HELD_BY_USER,
	QUEUE_HELD_BY_ADMIN,
	QUEUE_HELD_BY_SLURM
};

/* What follows the reason in a line does not matter. */
enum queue_hold queue_hold_of(const char *reason);

#endif
