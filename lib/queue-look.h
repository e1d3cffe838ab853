/*
 * A look at the GPUs of a node, from a step beside what a job of ours runs
 * there: nobody may look anywhere else.
 */
#ifndef STFM_QUEUE_LOOK_H
#define STFM_QUEUE_LOOK_H

#include <stdint.h>

#include "error.h"

/*
 * What the node says of the processes on its GPUs, for usage-holder.h; to
 * free.  NULL when there is no answer within a minute.
 */
char *queue_look(int64_t job, const char *node, struct error *e);

/* Whether this cluster shows the jobs of others: 1, 0, or -1 for nobody knows.
 */
int queue_shows_jobs(void);

#endif
