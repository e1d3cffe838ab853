/*
 * The start of a run, so that no task is trained twice.
 *
 * A Slurm controller that crashed has lost what it did in its last seconds.  It
 * starts tasks again that already ran, as the same run, and ends running tasks
 * that it does not know.
 */
#ifndef STFM_RUNNER_RUN_START_H
#define STFM_RUNNER_RUN_START_H

#include <stdint.h>

#include "base/error.h"
#include "store/fact.h"

/*
 * Publish the start of a run: the fact of kind "S", with body.  Returns 1 if
 * the run may train, or -1.
 *
 * If this run exists already and ended by itself, the task is over: returns 0
 * and sets *code to its exit code.  If the run was ended from outside, or does
 * not end within patience (seconds), its node is gone and this is the next run:
 * fact->restart is raised, and body->restarts has Slurm's count of requeues.
 * Returns -1 if an end cannot be read now: it may be the task's.
 */
int run_start(const struct store_job *, struct store_fact *fact,
    struct store_fact_body *body, int64_t patience, int64_t *code,
    struct error *e);

/*
 * Return whether an earlier run of the same attempt exited with 0 by itself, so
 * that the task is trained: 1, 0, or -1 if that cannot be read now.
 */
int run_start_is_done(
    const struct store_job *, const struct store_fact *run, struct error *e);

/*
 * Return how often Slurm had requeued a task when this run started, by Slurm's
 * count.  It is less than run->restart if run_start raised that, or if the task
 * continued from another one of its population.
 */
uint32_t run_start_count(
    const struct store_job *, const struct store_fact *run);

/*
 * Find the last run of a task that recorded its start, up to the run launch.
 * Returns 1 and sets *last, 0 if there is none, or -1.
 */
int run_start_last(const struct store_job *, const struct store_fact *launch,
    struct store_fact *last, struct error *e);

#endif
