/*
 * The GPUs of a node, seen from a step inside a running job of this user: only
 * there may a user look.
 */
#ifndef STFM_SLURM_GPU_LOOK_H
#define STFM_SLURM_GPU_LOOK_H

#include <stdint.h>

#include "base/error.h"

/*
 * Run a step of job on node and return what the node says of the processes on
 * its GPUs, to free; usage/holder.h reads it.  Returns NULL if there is no
 * answer within a minute.
 */
char *queue_look(int64_t job, const char *node, struct error *e);

/* Slurm's numbers of GPUs on a node are below QUEUE_HELD. */
enum { QUEUE_HELD = 64 };

/* The GPUs of one node that a running job has. */
struct queue_held {
	int64_t count;
	int64_t seconds;      /* how long the job has run; -1: unknown */
	char has[QUEUE_HELD]; /* indexed by Slurm's number */
};

/*
 * Ask Slurm which GPUs of node a job has.  Returns 0, or -1 if that is not
 * certain: the job does not run any more, has the node for itself, or has parts
 * of GPUs.
 */
int queue_held(int64_t job, const char *node, struct queue_held *out);

/* Return whether users see the jobs of others: 1, 0, or -1 if unknown. */
int queue_shows_jobs(void);

#endif
