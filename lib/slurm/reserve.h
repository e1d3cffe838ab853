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
 * Run the scontrol command in words.  If it makes a reservation and Slurm
 * prints the name, *name is that name, to free; else NULL.  Unless the result
 * is QUEUE_RESERVE_DONE, e has the reason and a code as slurm/queue.h says.
 */
enum queue_reserve queue_reserve_run(
    const struct strlist *words, char **name, struct error *e);

/*
 * Return whether an error message of scontrol says that this user lacks the
 * permission.
 */
int queue_reserve_is_refusal(const char *complaint);

#endif
