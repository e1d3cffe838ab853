/*
 * --avoid-bad-nodes: a node on which tasks fail as soon as they start, and none
 * succeeds, is left out by what still waits and by what is queued later.
 */
#ifndef STFM_CONTROL_BAD_NODES_H
#define STFM_CONTROL_BAD_NODES_H

#include "base/error.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/table.h"

/* A task that fails within so many seconds speaks against its node. */
enum { BAD_NODES_AT_ONCE = 60 };

/* What the tasks of a job say of one node. */
struct bad_node {
	char *name;
	int64_t failed;    /* at once */
	int64_t succeeded; /* or completed an epoch */
};

struct bad_nodes {
	struct bad_node *node;
	size_t count;
};

void bad_nodes_free(struct bad_nodes *);

/* Take note of a task. */
void bad_nodes_add(struct bad_nodes *, const struct store_row *);

/* Whether a node is a bad one, after so many failures. */
int bad_nodes_is_bad(const struct bad_node *, int64_t failures);

/*
 * Look for bad nodes of the job and leave them out, but for the last node of a
 * partition.  queue is as Slurm just answered.  Returns 0, or -1.
 */
int bad_nodes_avoid(const struct store_job *, const struct store_table *,
    const struct store_chunks *, const struct queue *queue, struct error *e);

/*
 * The nodes that the job avoids, by their names, and those that it would if
 * they were not the last; both lists are empty before.
 */
int bad_nodes_avoided(const struct store_job *, struct strlist *avoided,
    struct strlist *kept, struct error *e);

/* The options of a chunk with the nodes to avoid added; to strlist_free. */
struct strlist bad_nodes_options(
    const struct store_job *, const struct store_chunk *);

#endif
