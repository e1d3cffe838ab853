/*
 * The process that measures, at intervals, how a run uses its machine.  It is
 * apart from stfm-run because a GPU's tool may hang, and the training must not
 * wait for it.
 */
#ifndef STFM_RUNNER_MEASURE_H
#define STFM_RUNNER_MEASURE_H

#include <sys/types.h>

#include "base/error.h"
#include "runner/task.h"

/* The measuring process. */
struct job_measure {
	pid_t pid; /* 0: it does not run */
	int fd;    /* it ends when this is closed */
};

/*
 * Start the process, before the training.  If the user wants no measuring, or
 * it cannot be started, the pid is 0 and the training starts anyway.
 */
struct job_measure job_measure_start(const struct job_run *);

/*
 * End the process.  Returns the record that it wrote, to free, or NULL.  If
 * asked is 1, the task was asked to end, and data that is not written yet is
 * lost.
 */
char *job_measure_end(struct job_measure *, const struct job_run *, int asked);

/*
 * Be the process.  words are the job's directory, the file of the run
 * ("000123.0.1.csv"), the processes that belong to the training, and its GPUs.
 * The processes are "tree" (all below stfm-run), "alone" (other tasks share the
 * allocation) or "no".  Ends when standard input does; say is called with each
 * remark.  Returns 0 or -1.
 */
int job_measure_main(
    char *const words[], void (*say)(const char *text), struct error *e);

#endif
