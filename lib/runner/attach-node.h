/*
 * Attaching on the node of a running task: become a command in the environment
 * of its training, as if the training had started the command.
 *
 * The environment is read from a process of the training, by way of the kernel,
 * so nothing needs to be stored.
 */
#ifndef STFM_RUNNER_ATTACH_NODE_H
#define STFM_RUNNER_ATTACH_NODE_H

#include "base/error.h"

/* The arguments of stfm-run after "attach" and "where". */
enum {
	JOB_ATTACH_INSIDE_JOB, /* the job's directory */
	JOB_ATTACH_INSIDE_ID,  /* the job's id */
	JOB_ATTACH_INSIDE_ARRAY,
	JOB_ATTACH_INSIDE_INDEX,
	JOB_ATTACH_INSIDE_TASK, /* the number of the task */
	JOB_ATTACH_INSIDE_RANK, /* the rank, or "-" for any on this node */
	JOB_ATTACH_INSIDE_COMMAND
};

/*
 * Become the command, or a shell if there is none.  Returns only on failure:
 * -1; the code is ERROR_ABSENT if there is no such program.
 */
int job_attach_inside(char *const words[], struct error *e);

/* Return 1 if that rank of the training runs on this node, 0 if not, or -1. */
int job_attach_inside_is_here(char *const words[], struct error *e);

#endif
