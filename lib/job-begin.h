/*
 * Beginning a run of a task, so that none is trained twice.
 *
 * A controller of Slurm that crashed has lost what it did in its last seconds:
 * it starts tasks once more that ran already, as the same run, and ends those
 * that still run and that it does not know.
 */
#ifndef STFM_JOB_BEGIN_H
#define STFM_JOB_BEGIN_H

#include <stdint.h>

#include "error.h"
#include "store-fact.h"
#include "store-job.h"

/*
 * Publish that a run starts: the "S" of fact, with body.  Returns 1 when it may
 * train, or -1.
 * When this run was there before, and it ended by itself, that is the end of
 * the task: returns 0, and *code is the one it ended with.  When it was ended
 * from outside, or does not end for as long as patience (seconds), its node is
 * gone, and ours is the next run: fact->restart is raised.
 */
int job_begin(const struct store_job *, struct store_fact *fact,
    const struct store_fact_body *body, int64_t patience, int64_t *code,
    struct error *e);

#endif
