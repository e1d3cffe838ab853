/*
 * On a node where a task runs: becoming a command beside its training, as if
 * the training had started it.
 *
 * The environment is that of a process of the training, as the kernel has it,
 * so nothing of it need be kept anywhere.
 */
#ifndef STFM_RUNNER_ATTACH_NODE_H
#define STFM_RUNNER_ATTACH_NODE_H

#include "base/error.h"

/* What the words of stfm-run behind "attach" and "where" are. */
enum {
	JOB_ATTACH_INSIDE_JOB, /* the job's directory */
	JOB_ATTACH_INSIDE_ID,  /* and its id */
	JOB_ATTACH_INSIDE_ARRAY,
	JOB_ATTACH_INSIDE_INDEX,
	JOB_ATTACH_INSIDE_TASK, /* of those at this index */
	JOB_ATTACH_INSIDE_RANK, /* of a distributed one, or "-" for any here */
	JOB_ATTACH_INSIDE_COMMAND
};

/*
 * Become the command, or a shell when there is none.  Returns -1; errno is
 * ENOENT when there is no such program.
 */
int job_attach_inside(char *const words[], struct error *e);

/* Whether that rank of the training runs on this node: 1, 0, or -1. */
int job_attach_inside_is_here(char *const words[], struct error *e);

#endif
