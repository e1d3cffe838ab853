/*
 * The reason of a stop request: --max-fail, or a user.
 */
#ifndef STFM_CONTROL_STOP_REASON_H
#define STFM_CONTROL_STOP_REASON_H

#include "store/cancel.h"
#include "store/job.h"

/*
 * The first attempt in which failures count: one after those that the rule has
 * stopped, so that tasks that are started again have their chance.
 */
uint32_t job_max_fail_since(const struct store_stops *);

/* What such a wish is called: "max-fail 3"; to free. */
char *job_max_fail_name(const struct store_job *);

/*
 * Whether the rule has stopped an attempt of a task, or wants it not to be
 * queued again.
 */
int job_max_fail_has_stopped(
    const struct store_stops *, uint64_t task, uint32_t attempt);

#endif
