/* The names of partitions, nodes and reservations. */
#ifndef STFM_SLURM_PARTITIONS_H
#define STFM_SLURM_PARTITIONS_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

enum queue_names {
	QUEUE_PARTITION_NAMES,
	QUEUE_NODE_NAMES,
	QUEUE_RESERVATION_NAMES /* of all users; out must be empty */
};

/*
 * Ask sinfo(1) for names, for at most ms milliseconds, and add them to out.
 * Returns 0, or -1 with a code as slurm/queue.h says.
 */
int queue_names(
    enum queue_names, int64_t ms, struct strlist *out, struct error *e);

#endif
