/* Declarations shared by the files of lib/nodes: sums and texts of nodes. */
#ifndef STFM_NODES_PRIVATE_H
#define STFM_NODES_PRIVATE_H

#include <stdint.h>

#include "base/strlist.h"
#include "nodes/nodes.h"
#include "slurm/queue.h"

/* Bytes of a megabyte as Slurm counts them. */
enum { NODES_MIB = 1 << 20 };

/* The largest number of GPU types that are counted separately. */
enum { NODES_TYPES = 32 };

/* The resources of nodes, and the free ones of nodes that can start jobs. */
struct nodes_sum {
	int64_t nodes, usable, idle;
	int64_t cpus, cpus_free;
	int64_t memory, memory_free; /* MB */
	struct queue_gpus gpu[NODES_TYPES];
	size_t types;
	int64_t gpus, gpus_free;
};

/* Add a node to a sum. */
void nodes_sum_add(struct nodes_sum *, const struct queue_node *);

/*
 * Return the free and all GPUs of each type, "a100 3/8, v100 0/2", or "" if
 * there are none; to free.
 */
char *nodes_gpu_text(const struct nodes_sum *);

/* Return "FREE/ALL", such as "3/8"; to free. */
char *nodes_part_text(int64_t free_, int64_t all);

/* Return memory for people, "512G"; to free. */
char *nodes_memory_text(int64_t megabytes);

/* Write a time for people, "2026-11-22 10:00", or "?" for 0.  Returns out. */
char *nodes_time(int64_t seconds, char out[TABLE_TIME]);

/* Return a time limit, "1-00:00:00", or "" if negative; to free. */
char *nodes_minutes_text(int64_t minutes);

/* Return the chosen nodes in natural order (n2 before n10); to free. */
const struct queue_node **nodes_sorted(
    const struct queue_cluster *, const char *chosen, size_t *count);

/* Return how many GPUs a node has. */
uint64_t nodes_gpus(const struct queue_node *);

/* Return whether all memory of a node is in use: then it cannot start jobs. */
int nodes_memory_gone(const struct queue_node *);

/* Return the i-th of n equal shares; the first shares get the remainder. */
int64_t nodes_share(int64_t all, size_t n, size_t i);

/* Set a cell to a text; "" means a missing value. */
void nodes_put_text(struct table *, size_t column, const char *text);

/* Show text in a cell instead of its value (table_show), and free text. */
void nodes_show_taken(struct table *, size_t column, char *text);

/*
 * Set e to a refusal of a name that is not a partition or, if or_node, a node.
 * Returns -1.
 */
int nodes_refuse(const struct queue_cluster *, const char *name, int or_node,
    struct error *e);

/* Return the node with this name, or NULL. */
const struct queue_node *nodes_find(
    const struct queue_cluster *, const char *name);

/* Return whether Slurm ("23.11.1") can reserve GPUs without their node. */
int nodes_reserves_gpus(const char *version);

#endif
