/*
 * Who holds what of which node, and when: by jobs that run, jobs that are
 * expected, reservations, and because a node is down.  Jobs of others that the
 * site hides have no names and no end.
 */
#ifndef STFM_NODES_CALENDAR_INPUT_H
#define STFM_NODES_CALENDAR_INPUT_H

#include "nodes/calendar.h"
#include "slurm/allocations.h"
#include "slurm/queue.h"

/* Its texts belong to the cluster and the uses. */
struct nodes_hold {
	const struct queue_node *node;
	enum calendar_use use;
	int mine;
	const char *job, *name, *user, *partition; /* or NULL */
	int64_t gpus, cpus;                        /* on this node */
	int whole;                                 /* all that the node has */
	int64_t from, to; /* 0 where no begin or end is known */
};

struct nodes_holds {
	struct nodes_hold *hold;
	size_t count;
	size_t unplaced; /* jobs that are expected, and nobody knows where */
};

/*
 * Those of the chosen nodes that are not over by now and begin before until;
 * by node, as people sort them, and then in the order in which they begin.
 */
void nodes_holds(const struct queue_cluster *, const struct queue_uses *,
    const char *chosen, int64_t now, int64_t until, struct nodes_holds *out);
void nodes_holds_free(struct nodes_holds *);

#endif
