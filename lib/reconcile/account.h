/*
 * What Slurm's accounting says of tasks that are gone from the queue.  It is
 * asked once a pass, for all its jobs together, and only when a task is gone.
 */
#ifndef STFM_RECONCILE_ACCOUNT_H
#define STFM_RECONCILE_ACCOUNT_H

#include "job/selection.h"
#include "slurm/account.h"
#include "store/chunk.h"
#include "store/table.h"

/*
 * Ask for all tasks of the jobs that are not over by their folds, or LOST since
 * not long ago, and that the queue does not know.  To queue_account_free.
 */
struct queue_account *job_account_load(
    const struct selection *jobs, const struct queue *queue);

/*
 * The record of a row's run in a chunk, or NULL; it belongs to the account.
 * What the accounting says of a run before is of no use.
 */
const struct queue_account_record *job_account_find(
    const struct queue_account *, const struct store_job *,
    const struct store_chunk *, const struct store_row *row);

#endif
