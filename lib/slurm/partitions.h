/* Partitions and nodes, for who needs no more than their names. */
#ifndef STFM_SLURM_PARTITIONS_H
#define STFM_SLURM_PARTITIONS_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/*
 * Ask Slurm's sinfo for their names, for at most so many milliseconds.
 * Returns 0, or -1.
 */
int queue_partitions(int64_t ms, struct strlist *out, struct error *e);

/* The same for the names of nodes. */
int queue_node_names(int64_t ms, struct strlist *out, struct error *e);

/* And for those of reservations, of everybody. */
int queue_reservation_names(int64_t ms, struct strlist *out, struct error *e);

#endif
