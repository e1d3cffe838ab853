/* What the files that use libslurm share; slurm/private.h says the rest. */
#ifndef STFM_SLURM_LIBRARY_H
#define STFM_SLURM_LIBRARY_H

#include "slurm/private.h"

/*
 * Call work(out, arg) in a guarded child, with libslurm initialised.  The work
 * has to write queue_put_number(out, 0) once nothing can fail any more, and
 * then its result; before that it may return queue_failed(out).
 * Returns 0 with *in placed behind that number, or -1 with errno as
 * slurm/queue.h says.  *result is to be freed in both cases; after a time-out
 * *in holds what was written until then, unless it is broken.
 */
int queue_guard(int (*work)(FILE *out, void *arg), void *arg,
    int64_t milliseconds, struct proc_result *result, struct queue_input *in,
    struct error *e);

/* In the child: hand over errno of a call that failed. */
int queue_failed(FILE *out);

/* As struct queue_way has it. */
int queue_library_cluster(
    enum queue_depth, int64_t ms, struct queue_cluster *out, struct error *e);
int queue_library_uses(
    enum queue_whose, int64_t ms, struct queue_uses *out, struct error *e);

#endif
