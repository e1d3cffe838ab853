/*
 * What TensorBoard shows of tasks: for each a directory with event files, and a
 * directory of links to them all, which is what TensorBoard is given.
 */
#ifndef STFM_STATUS_TENSORBOARD_H
#define STFM_STATUS_TENSORBOARD_H

#include "base/error.h"
#include "status/page-parts.h"

struct tensorboard_run {
	char *id;        /* "conv2d/3" */
	char *name;      /* "conv2d/3 lr=0.1": what TensorBoard calls it */
	char *directory; /* with event files in it or below */
};

struct tensorboard {
	struct tensorboard_run *run;
	size_t count;
	size_t without; /* tasks that have no event files */
	size_t unread;  /* ... or may have some: it is noted in their view */
};

/*
 * Add the tasks of a job: where its log is, if that is a directory, else where
 * its checkpoints are, else where S-TFManager's scripts write.  The name has
 * the hyperparameters that are not the same in all tasks.
 */
void tensorboard_add(struct tensorboard *, const struct job_tasks *);
void tensorboard_free(struct tensorboard *);

/*
 * Make a directory in which each name is a link to its run; it and those above
 * it are made where they are not there.  Links that are there for other runs
 * are removed, and nothing else is.  Returns 0, or -1.
 */
int tensorboard_link(
    const struct tensorboard *, const char *directory, struct error *e);

#endif
