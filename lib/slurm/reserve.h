/* Reservations, made by scontrol(1); few sites let users make them. */
#ifndef STFM_SLURM_RESERVE_H
#define STFM_SLURM_RESERVE_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

enum queue_reserve {
	QUEUE_RESERVE_DONE,
	QUEUE_RESERVE_MAY_NOT, /* this user lacks the permission */
	QUEUE_RESERVE_FAILED   /* another reason, given in the error */
};

/* Return scontrol's words to make a reservation for a user; strlist_free it. */
struct strlist queue_reserve_words(const char *user, const char *nodes,
    int64_t gpus, const char *start, int64_t minutes);

/* Return scontrol's arguments to end a reservation; strlist_free it. */
struct strlist queue_release_words(const char *name);

/*
 * Run scontrol.  Sets *name to the name that Slurm gives a new reservation, to
 * free, or to NULL if there is none or Slurm did not print it.  Unless the
 * result is QUEUE_RESERVE_DONE, e has the reason and a code as slurm/queue.h
 * says.
 */
enum queue_reserve queue_reserve_run(
    const struct strlist *, char **name, struct error *e);

/* Return whether Slurm ("23.11.1") can reserve GPUs without their node. */
int queue_reserves_gpus(const char *version);

/* Return whether scontrol's complaint is that this user lacks permission. */
int queue_reserve_is_refusal(const char *complaint);

#endif
