/*
 * The origin and output files of one job of any user, as squeue(1) shows them.
 * Slurm forgets a job some minutes after its end.
 */
#ifndef STFM_SLURM_SHOW_H
#define STFM_SLURM_SHOW_H

#include <stdint.h>

#include "base/error.h"

struct queue_show {
	uint32_t array; /* the id of its array, or its own without one */
	uint32_t het; /* the id of the heterogeneous job it belongs to, or 0 */
	uint32_t uid;
	char *user;
	char *command;   /* with its arguments, or "" */
	char *directory; /* its working directory */
	/*
	 * Absolute paths after sbatch_output; out is NULL without a batch
	 * script, and err also if it is the same as out.
	 */
	char *out, *err;
};

/*
 * Ask Slurm for a job.  Returns the job, to free with queue_show_free, or NULL
 * with ERROR_ABSENT if Slurm has no such job, else as slurm/queue.h says.
 */
struct queue_show *queue_show_load(uint32_t job, struct error *e);

/* Free a job; does nothing for NULL. */
void queue_show_free(struct queue_show *);

#endif
