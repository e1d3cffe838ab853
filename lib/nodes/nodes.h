/*
 * The cluster from the view of its user: nodes and partitions, their free and
 * used resources, and the resources that this user has.
 */
#ifndef STFM_NODES_NODES_H
#define STFM_NODES_NODES_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "slurm/allocations.h"
#include "slurm/limits.h"
#include "term/cli.h"
#include "term/table.h"

struct queue_cluster;

struct nodes_style {
	enum table_format format;
	size_t width; /* 0: without limit */
	int colors;
	enum cli_charset charset;
	int each; /* one line per node, also in tables for people */
};

/*
 * Choose nodes by names, "n[1-3]", or partitions; no words choose all.  Returns
 * a flag for each node of the cluster, to free, or NULL if there is no such
 * node or partition.
 */
char *nodes_choose(const struct queue_cluster *, char *const words[],
    size_t count, struct error *e);

/* Write a table of the chosen nodes; for people, similar nodes share a line. */
void nodes_show(FILE *, const struct queue_cluster *,
    const struct queue_allocations *mine, const char *chosen,
    const struct nodes_style *);

/*
 * Write who uses the chosen nodes from now on: a calendar for people; a row for
 * each job, reservation and node for programs.
 */
void nodes_calendar(FILE *, const struct queue_cluster *,
    const struct queue_allocations *, const char *chosen,
    const struct nodes_style *, int64_t now, int days);

/*
 * Write a table of the partitions with these names, or of all.  Returns 0, or
 * -1 if a partition does not exist.
 */
int nodes_show_partitions(FILE *, const struct queue_cluster *,
    char *const words[], size_t count, const struct nodes_style *,
    struct error *e);

/* Write tables of accounts and QOS; for programs, one table of both. */
void nodes_show_accounts(
    FILE *, const struct queue_limits *, const struct nodes_style *);

#endif
