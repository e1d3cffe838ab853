/*
 * Reservations of Slurm, made and ended by scontrol(1).  Few sites let their
 * users do that.
 */
#ifndef STFM_SLURM_RESERVE_H
#define STFM_SLURM_RESERVE_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

enum queue_reserve {
	QUEUE_RESERVE_DONE,
	QUEUE_RESERVE_MAY_NOT, /* this user may not: somebody else has to */
	QUEUE_RESERVE_FAILED   /* for another reason, which is in the error */
};

/* The words of scontrol that make one for a user; to strlist_free. */
struct strlist queue_reserve_words(const char *user, const char *nodes,
    int64_t gpus, const char *start, int64_t minutes);

/* The words that end one. */
struct strlist queue_release_words(const char *name);

/*
 * Run them.  What Slurm calls a new reservation goes to *name, to free, which
 * is NULL otherwise, and may be so when it did not say.  Errno is set as
 * slurm/queue.h says unless it is done.
 */
enum queue_reserve queue_reserve_run(
    const struct strlist *, char **name, struct error *e);

/* Whether a release of Slurm reserves GPUs without their node: "23.11.1". */
int queue_reserves_gpus(const char *version);

/* What it means that scontrol says this. */
int queue_reserve_is_refusal(const char *complaint);

#endif
