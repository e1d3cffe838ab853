/*
 * The jobs and reservations that hold nodes, and when: running jobs, expected
 * jobs, reservations, and nodes that are down.  Other users' jobs that the site
 * hides have no names and no end.
 */
#ifndef STFM_NODES_CALENDAR_INPUT_H
#define STFM_NODES_CALENDAR_INPUT_H

#include "nodes/calendar.h"
#include "slurm/allocations.h"

struct queue_cluster;

/*
 * A part of a node that is not free.  The texts belong to the structures of
 * lib/slurm that it was made from.
 */
struct nodes_hold {
	const struct queue_node *node;
	enum calendar_use use;
	int mine;
	const char *job, *name, *user, *partition; /* or NULL */
	int64_t gpus, cpus;                        /* on this node */
	int whole;                                 /* the whole node */
	int64_t from, to; /* seconds since 1970; 0: unknown */
};

struct nodes_holds {
	struct nodes_hold *hold;
	size_t count;
	size_t unplaced; /* expected jobs whose nodes are unknown */
};

/*
 * Collect the holds of the chosen nodes that end after now and begin before
 * until (seconds since 1970), sorted by node in natural order, then by begin.
 * chosen has a byte for each node of the cluster.  Free out with
 * nodes_holds_free.
 */
void nodes_holds(const struct queue_cluster *, const struct queue_allocations *,
    const char *chosen, int64_t now, int64_t until, struct nodes_holds *out);
void nodes_holds_free(struct nodes_holds *);

#endif
