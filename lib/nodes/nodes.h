/*
 * The cluster as its user sees it: its nodes and partitions, what is free of
 * them and what is in use, and what of that by this user.
 */
#ifndef STFM_NODES_NODES_H
#define STFM_NODES_NODES_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "slurm/allocations.h"
#include "slurm/queue.h"
#include "term/cli.h"
#include "term/table.h"

struct nodes_look {
	enum table_format format;
	size_t width; /* 0: without limit */
	int colors;
	enum cli_charset charset;
	int each; /* a line for each node, for people too */
};

/*
 * Which nodes the words mean: names of nodes, "n[1-3]", or partitions; no words
 * mean all.  Returns a flag for each node of the cluster, to free, or NULL when
 * there is no such node or partition.
 */
char *nodes_choose(const struct queue_cluster *, char *const words[],
    size_t count, struct error *e);

/* A table of the chosen nodes; for people those that are alike in one line. */
void nodes_show(FILE *, const struct queue_cluster *,
    const struct queue_uses *mine, const char *chosen,
    const struct nodes_look *);

/*
 * Who has what of the chosen nodes from now on: a calendar for people, and a
 * row for each job, reservation and node for programs.
 */
void nodes_calendar(FILE *, const struct queue_cluster *,
    const struct queue_uses *, const char *chosen, const struct nodes_look *,
    int64_t now, int days);

/*
 * A table of partitions: all, or those with these names.  Returns 0, or -1 when
 * there is none of a name.
 */
int nodes_show_partitions(FILE *, const struct queue_cluster *,
    char *const words[], size_t count, const struct nodes_look *,
    struct error *e);

#endif
