/*
 * Beginning a run of a task, so that none is trained twice.
 *
 * A controller of Slurm that crashed has lost what it did in its last seconds:
 * it starts tasks once more that ran already, as the same run, and ends those
 * that still run and that it does not know.
 */
#ifndef STFM_STATE_RUN_START_H
#define STFM_STATE_RUN_START_H

#include <stdint.h>

#include "base/error.h"
#include "store/fact.h"
#include "store/job.h"

/*
 * Publish that a run starts: the "S" of fact, with body.  Returns 1 when it may
 * train, or -1.
 * When this run was there before, and it ended by itself, that is the end of
 * the task: returns 0, and *code is the one it ended with.  When it was ended
 * from outside, or does not end for as long as patience (seconds), its node is
 * gone, and ours is the next run: fact->restart is raised, and the body says
 * how often Slurm has put it back.  An end that cannot be read now is -1: it
 * may be that of the task.
 */
int run_start(const struct store_job *, struct store_fact *fact,
    struct store_fact_body *body, int64_t patience, int64_t *code,
    struct error *e);

/*
 * Return whether an earlier run of the attempt of a run ended by itself with
 * exit 0, so that the task is trained: 1, 0, or -1 when that cannot be read
 * now.
 */
int run_start_is_done(
    const struct store_job *, const struct store_fact *run, struct error *e);

/*
 * How often Slurm had put a task back when it began this run, by its own count:
 * less than the number of a run that run_start has raised.
 */
uint32_t run_start_count(
    const struct store_job *, const struct store_fact *run);

/*
 * The last run of a task that has said that it starts, up to this one: 1 and
 * which, 0 when there is none, or -1.
 */
int run_start_last(const struct store_job *, const struct store_fact *launch,
    struct store_fact *last, struct error *e);

#endif
