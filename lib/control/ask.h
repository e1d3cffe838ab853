/*
 * Choosing the point of a task when it starts: what is known of the other tasks
 * is told to the sampler of the job's search.
 *
 * A task that is over counts with its best value.  Of the others, those count
 * that have a value at a rung: all are compared at the highest rung that has 16
 * values, and trials that did not reach it rank behind.  Optuna ranks every
 * finished trial before every pruned one.  stfm does so only if no rung has 16
 * values, or if 16 trials have finished.  Otherwise it compares values of the
 * same epoch, because these can be compared fairly.  A task that has
 * no value yet counts as bad, so that tasks that start together differ.  Tasks
 * that a person stopped before they had a value do not count.
 */
#ifndef STFM_CONTROL_ASK_H
#define STFM_CONTROL_ASK_H

#include <stdint.h>

#include "base/error.h"

struct store_fact_body;
struct store_job;

/* All that is known of a job's trials, and its sampler. */
struct job_asker;

/*
 * Read what is known of a job, which must outlive the result; to
 * job_asker_free.  If its points were chosen at submission, tpe is its sampler.
 * Returns NULL if the records cannot be read now.
 */
struct job_asker *job_asker_new(const struct store_job *, struct error *e);
void job_asker_free(struct job_asker *);

/* Like job_asker_new, for a job that is not stored: no task has a point. */
struct job_asker *job_asker_fresh(const struct store_job *, struct error *e);

/*
 * Check that it is known whether smaller or larger values of the job are
 * better.  Returns 0, or -1 with what to do.
 */
int job_asker_check_goal(const struct job_asker *, struct error *e);

/* Return the line of a task's point if it is known, or NULL. */
const char *job_asker_point(const struct job_asker *, uint64_t task);

/* Return whether another task than this one has the point of this line. */
int job_asker_has(const struct job_asker *, const char *line, uint64_t task);

/*
 * Choose the point of a task.  Sets point (a line of points.tsv), sampler and
 * seen of out, to free with store_fact_body_free; seen says which tasks had
 * which values: in "end:0-3 9:4,6 failed:5 running:7", tasks 0 to 3 had the
 * value of their end, and tasks 4 and 6 that of epoch 9.  The task then counts
 * as running.  If the job's own sampler command fails, the point is random, and
 * reason in out says why.  Returns 0, 1 if another task has the same point,
 * because there is no other, or -1 if conditions leave out all points, or if
 * the points of the job were not given as words like lr=0.1,0.2.
 */
int job_asker_ask(struct job_asker *, uint64_t task,
    struct store_fact_body *out, struct error *e);

/*
 * Choose a point near that of parent for a run of a task, and set out as
 * job_asker_ask does: the sampler is pbt.  step is the number of the choice.
 * Returns 0 or -1.
 */
int job_asker_explore(struct job_asker *, uint64_t task, uint64_t parent,
    uint64_t step, struct store_fact_body *out, struct error *e);

/*
 * Let only those trials count that a sampler saw, with the values that it saw;
 * seen is that of an earlier job_asker_ask.  Call it before job_asker_ask.
 * Returns 0, or -1 if some of them are missing.
 */
int job_asker_recall(struct job_asker *, const char *seen, struct error *e);

/*
 * Find the task with the best value so far, at the end, at a rung or in a log
 * that a pass has read.  Returns whether there is one.
 */
int job_asker_best(const struct job_asker *, uint64_t *task, double *value);

/*
 * Return the point of a task, a value for each name of the job, with its value:
 * the best one of a task that finished, where *reached is INT64_MAX, or that at
 * the highest rung, the epoch *reached.  NULL if it has no value.  The point
 * lasts until the next call.
 */
const char *const *job_asker_result(
    struct job_asker *, uint64_t task, double *value, int64_t *reached);

#endif
