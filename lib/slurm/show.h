/*
 * What Slurm shows of one job, whoever's it is: where it came from and where it
 * prints to.  It is asked through squeue(1), and has forgotten a job some
 * minutes after its end.
 */
#ifndef STFM_SLURM_SHOW_H
#define STFM_SLURM_SHOW_H

#include <stdint.h>

#include "base/error.h"

struct queue_show {
	uint32_t array; /* its id, or that of the array it is one task of */
	uint32_t het;   /* of the heterogeneous job it is a part of, or 0 */
	uint32_t uid;
	char *user;
	char *command;   /* with its arguments, or "" */
	char *directory; /* that it began in */
	/*
	 * Absolute paths as slurm/sbatch-output.h has them; NULL without a
	 * batch script, and err also where that is the same.
	 */
	char *out, *err;
};

/* Ask; to queue_show_free.  errno is ENOENT when Slurm has no such job. */
struct queue_show *queue_show_load(uint32_t job, struct error *e);

/* Takes NULL too. */
void queue_show_free(struct queue_show *);

#endif
