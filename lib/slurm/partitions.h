/* The names of partitions, nodes and reservations. */
#ifndef STFM_SLURM_PARTITIONS_H
#define STFM_SLURM_PARTITIONS_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/*
 * Ask sinfo(1) for the names of partitions, for at most ms milliseconds, and
 * add them to out.  Returns 0, or -1 with a code as slurm/queue.h says.
 */
int queue_partitions(int64_t ms, struct strlist *out, struct error *e);

/*
 * Ask sinfo(1) for the names of nodes.  Arguments and result are those of
 * queue_partitions.
 */
int queue_node_names(int64_t ms, struct strlist *out, struct error *e);

/*
 * Ask sinfo(1) for the names of all users' reservations; out must be empty.
 * Arguments and result are those of queue_partitions.
 */
int queue_reservation_names(int64_t ms, struct strlist *out, struct error *e);

#endif
