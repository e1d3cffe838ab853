/*
 * The process that measures the use that a run makes of its machine, now and
 * then while it trains.  It is a process of its own because a GPU's tool may
 * hang, and the training must not wait for it.
 */
#ifndef STFM_RUNNER_SAMPLER_H
#define STFM_RUNNER_SAMPLER_H

#include <sys/types.h>

#include "base/error.h"
#include "runner/task.h"

/* The running process. */
struct job_sampler {
	pid_t pid; /* 0: it does not run */
	int fd;    /* the process ends when this is closed */
};

/*
 * Start the process, before the training.  The pid is 0 where the user wants
 * none, or where it cannot be started, which does not stop the training.
 */
struct job_sampler job_sampler_start(const struct job_run *);

/*
 * End the process.  Returns the record that it wrote, to free, or NULL.  asked:
 * the task was asked to end, so what is not written yet is left out.
 */
char *job_sampler_end(struct job_sampler *, const struct job_run *, int asked);

/*
 * Be the process.  words are the job's directory, the file of the run
 * ("000123.0.1.csv"), which processes belong to the training ("tree": all below
 * the program around it, "alone": others share its allocation, or "no"), and
 * its GPUs.  Ends when standard input does; say is called with each remark.
 * Returns 0 or -1.
 */
int job_sampler_main(
    char *const words[], void (*say)(const char *text), struct error *e);

#endif
