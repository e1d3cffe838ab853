/* What the files of this module share. */
#ifndef STFM_NODES_PRIVATE_H
#define STFM_NODES_PRIVATE_H

#include <stdint.h>

#include "base/strlist.h"
#include "nodes/nodes.h"

/* GPUs of more types are not told apart. */
enum { NODES_TYPES = 32 };

/* What nodes have and what is free of it, of those that can start jobs. */
struct nodes_sum {
	int64_t nodes, usable, idle;
	int64_t cpus, cpus_free;
	int64_t memory, memory_free; /* MB */
	struct queue_gpus gpu[NODES_TYPES];
	size_t types;
	int64_t gpus, gpus_free;
};

void nodes_sum_add(struct nodes_sum *, const struct queue_node *);

/* "a100 3/8, v100 0/2", free and all of each type; to free, "" without. */
char *nodes_gpu_text(const struct nodes_sum *);

/* "3/8" or "12/64", free and all; to free. */
char *nodes_part_text(int64_t free_, int64_t all);

/* Memory for people, "512G"; to free. */
char *nodes_memory_text(int64_t megabytes);

/* A time for people, "2026-11-22 10:00", or "?" for 0.  Returns out. */
char *nodes_time(int64_t seconds, char out[TABLE_TIME]);

/* A time limit, "1-00:00:00"; to free; "" without one. */
char *nodes_minutes_text(int64_t minutes);

/* The chosen nodes as people sort them; to free. */
const struct queue_node **nodes_sorted(
    const struct queue_cluster *, const char *chosen, size_t *count);

/* How many GPUs a node has, of all types. */
uint64_t nodes_gpus(const struct queue_node *);

/*
 * Whether all memory of a node is taken: nobody can get what else is free of
 * it.
 */
int nodes_memory_gone(const struct queue_node *);

/* The i-th of n equal shares, of which the first have what is left. */
int64_t nodes_share(int64_t all, size_t n, size_t i);

/* A cell with a text, which is missing where it is "". */
void nodes_put_text(struct table *, size_t column, const char *text);

/* What people see in a cell; the text is freed. */
void nodes_show_taken(struct table *, size_t column, char *text);

/* Where this name is among the nodes, or NULL. */
const struct queue_node *nodes_find(
    const struct queue_cluster *, const char *name);

#endif
