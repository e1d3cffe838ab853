/*
 * The GPUs of a node, seen from a step inside a running job of this user.
 * Users may only look at a node from inside their jobs.
 */
#ifndef STFM_SLURM_GPU_LOOK_H
#define STFM_SLURM_GPU_LOOK_H

#include <stdint.h>

#include "base/error.h"

/*
 * Run a step of job on node that lists the processes on its GPUs.  Returns the
 * list, to free; usage/holder.h reads it.  Returns NULL with the reason in e if
 * there is no answer within a minute.
 */
char *queue_look(int64_t job, const char *node, struct error *e);

/* Slurm's numbers of GPUs on a node are below QUEUE_HELD. */
enum { QUEUE_HELD = 64 };

/* The GPUs of one node that Slurm allocated to a running job. */
struct queue_held {
	int64_t count;
	int64_t seconds;      /* run time of the job in seconds; -1: unknown */
	char has[QUEUE_HELD]; /* indexed by Slurm's number */
};

/*
 * Ask Slurm which GPUs of node a job has.  Returns 0, or -1 if that is not
 * certain: the job no longer runs, has the node exclusively, or has parts of
 * GPUs.
 */
int queue_held(int64_t job, const char *node, struct queue_held *out);

/* Ask whether users see the jobs of others.  Returns 1, 0, or -1 if unknown. */
int queue_shows_jobs(void);

#endif
