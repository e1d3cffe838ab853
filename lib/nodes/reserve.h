/* Reservations that the user makes and ends. */
#ifndef STFM_NODES_RESERVE_H
#define STFM_NODES_RESERVE_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/allocations.h"

struct queue_cluster;

struct nodes_request {
	const char *what; /* "n1", "n[1-2]", "n1:2" (two GPUs of n1) */
	const char *from; /* in the syntax of sbatch --begin; NULL: now */
	const char *span; /* in the syntax of sbatch --time; NULL: not given */
};

/*
 * Put the command line of scontrol for a reservation of this user into out;
 * free it with strlist_free.  A relative time, "now+2hours", becomes absolute,
 * so that the command can be run later.  Returns 0, or -1 if a word cannot be
 * read, the nodes or GPUs do not exist, or this release of Slurm cannot reserve
 * GPUs.
 */
int nodes_reserve_words(const struct nodes_request *,
    const struct queue_cluster *, int64_t now, struct strlist *out,
    struct error *e);

/*
 * Add to out a sentence for each reservation and running job on these nodes.
 * They may be the reason why Slurm refused the reservation.
 */
void nodes_reserve_others(const struct nodes_request *,
    const struct queue_allocations *, int64_t now, struct strlist *out);

/*
 * Put the command line that ends a reservation of this user into out.  Returns
 * 0, or -1 if it does not exist or belongs to others.
 */
int nodes_release_words(const char *name, const struct queue_allocations *,
    struct strlist *out, struct error *e);

#endif
