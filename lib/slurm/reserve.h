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

/*
 * Run scontrol.  Sets *name to the name that Slurm gives a new reservation, to
 * free, or to NULL if there is none or Slurm did not print it.  Unless the
 * result is QUEUE_RESERVE_DONE, e has the reason and a code as slurm/queue.h
 * says.
 */
enum queue_reserve queue_reserve_run(
    const struct strlist *, char **name, struct error *e);

/* Return whether scontrol's complaint is that this user lacks permission. */
int queue_reserve_is_refusal(const char *complaint);

#endif
