/*
 * Bad nodes (--avoid-bad-nodes): nodes on which tasks fail right after they
 * start and none succeeds.  The job's other tasks exclude them.
 */
#ifndef STFM_CONTROL_BAD_NODES_H
#define STFM_CONTROL_BAD_NODES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct queue;
struct store_chunk;
struct store_chunks;
struct store_job;
struct store_row;
struct store_table;
struct strlist;

/* A task that fails within this many seconds counts against its node. */
enum { BAD_NODES_AT_ONCE = 60 };

/* The results of a job's tasks on one node. */
struct bad_node {
	char *name;
	int64_t failed;    /* within BAD_NODES_AT_ONCE */
	int64_t succeeded; /* finished, or completed an epoch */
};

struct bad_nodes {
	struct bad_node *node;
	size_t count;
};

/* Free the list in nodes, and reset it to zero. */
void bad_nodes_free(struct bad_nodes *nodes);

/* Count the result of the task in row for its node. */
void bad_nodes_add(struct bad_nodes *, const struct store_row *row);

/* Return whether node has this many failures and no success. */
int bad_nodes_is_bad(const struct bad_node *node, int64_t failures);

/*
 * Find the job's bad nodes, record them, and exclude them from its pending
 * arrays.  A bad node is not excluded if the job's partition would have no
 * other node left.  queue is Slurm's current answer.  Returns 0 or -1.
 */
int bad_nodes_avoid(const struct store_job *, const struct store_table *,
    const struct store_chunks *, const struct queue *queue, struct error *e);

/*
 * Return the options of a chunk plus --exclude for the bad nodes recorded so
 * far; to strlist_free.
 */
struct strlist bad_nodes_options(
    const struct store_job *, const struct store_chunk *);

#endif
