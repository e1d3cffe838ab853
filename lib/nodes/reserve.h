/* A wish for a reservation, in words of the user. */
#ifndef STFM_NODES_RESERVE_H
#define STFM_NODES_RESERVE_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/allocations.h"
#include "slurm/queue.h"

struct nodes_wish {
	const char *what; /* "n1", "n[1-2]", "n1:2": two GPUs of it */
	const char *from; /* as sbatch --begin; NULL: now */
	const char *span; /* as sbatch --time; NULL: it is not said */
};

/*
 * The words of scontrol for it, for this user; to strlist_free.  A time from
 * now on, "now+2hours", becomes that of the clock, so that it does not matter
 * when they are run.  Returns 0, or -1 when the cluster has no such nodes or
 * GPUs or the release of Slurm reserves no GPUs, or a word cannot be read.
 */
int nodes_reserve_words(const struct nodes_wish *, const struct queue_cluster *,
    int64_t now, struct strlist *out, struct error *e);

/*
 * Add a sentence to out for each reservation and each running job of others
 * that the nodes of a wish have: why Slurm may have refused it.
 */
void nodes_reserve_others(const struct nodes_wish *, const struct queue_uses *,
    int64_t now, struct strlist *out);

/*
 * The words that end a reservation of this user.  Returns 0, or -1 when there
 * is none of this name or it is not for this user.
 */
int nodes_release_words(const char *name, const struct queue_uses *,
    struct strlist *out, struct error *e);

#endif
