/*
 * Runs for TensorBoard: a directory with event files for each task, and a
 * directory of links to all of them, to give to TensorBoard.
 */
#ifndef STFM_STATUS_TENSORBOARD_H
#define STFM_STATUS_TENSORBOARD_H

#include "base/error.h"
#include "status/page-parts.h"

struct tensorboard_run {
	char *id;        /* "conv2d/3" */
	char *name;      /* "conv2d/3 lr=0.1", the name in TensorBoard */
	char *directory; /* directory with event files in or below it */
};

struct tensorboard {
	struct tensorboard_run *run;
	size_t count;
	size_t without; /* tasks without event files */
	size_t unread;  /* tasks with unreadable records; views have notes */
};

/*
 * Add the tasks of a job.  A run's directory is its log if that is a directory,
 * else its checkpoint directory, else the directory where S-TFManager's scripts
 * write.  Its name has the hyperparameters that differ between tasks.
 */
void tensorboard_add(struct tensorboard *, const struct job_tasks *);
void tensorboard_free(struct tensorboard *);

/*
 * Create directory and its parents, with a link to each run under its name.
 * Removes old links to other runs and nothing else.  Returns 0 or -1.
 */
int tensorboard_link(
    const struct tensorboard *, const char *directory, struct error *e);

#endif
