/* Reservations as the user asks for them. */
#ifndef STFM_NODES_RESERVE_H
#define STFM_NODES_RESERVE_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/allocations.h"
#include "slurm/queue.h"

struct nodes_request {
	const char *what; /* "n1", "n[1-2]", "n1:2" (two GPUs of n1) */
	const char *from; /* as sbatch --begin; NULL: now */
	const char *span; /* as sbatch --time; NULL: not given */
};

/*
 * Get the command line of scontrol for a reservation of this user into out;
 * free with strlist_free.  A relative time, "now+2hours", becomes absolute, so
 * that the words can be run later.  Returns 0, or -1 if a word cannot be read,
 * the nodes or GPUs do not exist, or this release of Slurm reserves no GPUs.
 */
int nodes_reserve_words(const struct nodes_request *,
    const struct queue_cluster *, int64_t now, struct strlist *out,
    struct error *e);

/*
 * Add to out a sentence for each reservation and running job on these nodes,
 * which may be why Slurm refused the reservation.
 */
void nodes_reserve_others(const struct nodes_request *,
    const struct queue_uses *, int64_t now, struct strlist *out);

/*
 * Get the command line that ends a reservation of this user into out.  Returns
 * 0, or -1 if it does not exist or belongs to others.
 */
int nodes_release_words(const char *name, const struct queue_uses *,
    struct strlist *out, struct error *e);

#endif
