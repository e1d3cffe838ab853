/* Helpers shared by the files that use libslurm.  See also slurm/private.h. */
#ifndef STFM_SLURM_LIBRARY_H
#define STFM_SLURM_LIBRARY_H

#include "slurm/private.h"

/*
 * Call work(out, arg) in a guarded child process with libslurm initialised, for
 * at most the given milliseconds.  work must write queue_put_number(out, 0)
 * once nothing can fail any more, and then its result; before that it may
 * return queue_failed(out).
 *
 * Returns 0 with *in placed after that number, or -1 with a code as
 * slurm/queue.h says.  Free *result with proc_result_free in both cases.  After
 * a timeout *in holds the output until then, unless in->broken is set.
 */
int queue_guard(int (*work)(FILE *out, void *arg), void *arg,
    int64_t milliseconds, struct proc_result *result, struct queue_input *in,
    struct error *e);

/*
 * In the child: write the errno of a failed libslurm call to out, for the
 * parent.  Returns 0, which work returns in turn.
 */
int queue_failed(FILE *out);

/* Implement the functions cluster and uses of queue_way with libslurm. */
int queue_library_cluster(
    enum queue_depth, int64_t ms, struct queue_cluster *out, struct error *e);
int queue_library_uses(enum queue_whose, int64_t ms,
    struct queue_allocations *out, struct error *e);

#endif
