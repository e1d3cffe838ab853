/*
 * The names of pending reasons, who holds a pending task, and what each state
 * that ends a run in Slurm says about the run.
 */
#ifndef STFM_SLURM_NAMES_H
#define STFM_SLURM_NAMES_H

#include <stdint.h>

/* Return the name of a pending reason by its number, or "Unknown". */
const char *queue_reason_name(uint32_t number);

struct queue_end_state {
	const char *name;        /* "TIMEOUT" */
	int rank;                /* the higher, the more specific */
	unsigned by_itself : 1;  /* the exit code says how the run ended */
	unsigned node_lost : 1;  /* the node did not start, or failed */
	unsigned taken_away : 1; /* the cluster or a limit ended a sound run */
	unsigned not_node : 1;   /* the node is not to blame */
};

/*
 * Return the entry of a state.  "LOST", stfm's own state of a run that Slurm
 * forgot, has one, too.  Never NULL: the members of the entry of another name,
 * or of NULL, are 0.
 */
const struct queue_end_state *queue_end_state(const char *name);

/*
 * Who holds a pending task.  Slurm itself holds tasks that it could not start
 * and tasks that were requeued with hold (QUEUE_HELD_BY_SLURM); their user may
 * release them.
 */
enum queue_hold {
	QUEUE_FREE,
	QUEUE_HELD_BY_USER,
	QUEUE_HELD_BY_ADMIN,
	QUEUE_HELD_BY_SLURM
};

/* Return who holds a task, by the beginning of its pending reason. */
enum queue_hold queue_hold_of(const char *reason);

#endif
