/*
 * A look at the GPUs of a node, from a step beside what a job of ours runs
 * there: nobody may look anywhere else.
 */
#ifndef STFM_SLURM_GPU_LOOK_H
#define STFM_SLURM_GPU_LOOK_H

#include <stdint.h>

#include "base/error.h"

/*
 * What the node says of the processes on its GPUs, for usage/holder.h; to
 * free.  NULL when there is no answer within a minute.
 */
char *queue_look(int64_t job, const char *node, struct error *e);

/* Slurm's numbers of GPUs on a node are below this. */
enum { QUEUE_HELD = 64 };

/* The GPUs of one node that a running job has. */
struct queue_held {
	int64_t count;
	int64_t seconds;      /* that the job has run */
	char has[QUEUE_HELD]; /* by Slurm's number */
};

/*
 * Ask Slurm which GPUs of a node a job has.  Returns 0, or -1 if that is not
 * certain: the job does not run any more, has the node for itself, or has parts
 * of GPUs.
 */
int queue_held(int64_t job, const char *node, struct queue_held *out);

/* Whether this cluster shows the jobs of others: 1, 0, or -1 for nobody knows.
 */
int queue_shows_jobs(void);

#endif
