/*
 * The point of a run, if a sampler chooses it: the first run of a task asks for
 * a point and records it, and every later run of the task trains the same one.
 */
#ifndef STFM_RUNNER_POINT_H
#define STFM_RUNNER_POINT_H

#include "base/error.h"

struct job_run;

/*
 * Set the point of the run, as far as it is known: if the sampler has not
 * chosen it yet, all values are NULL.  Returns 0 or -1.
 */
int run_point_open(struct job_run *, struct error *e);

/*
 * Let the sampler choose the point of a run that has none, and record it.  If
 * another run of the task records a point at the same time, that is the point.
 * Returns 0 or -1.
 */
int run_point_choose(struct job_run *, struct error *e);

#endif
