/*
 * Editing a live sweep (--sync): compare the points of a job with those of a
 * plan, and change the job to the plan's points.  Tasks keep their numbers: new
 * points come after the last task, and a dropped task keeps its number.
 */
#ifndef STFM_SUBMIT_SYNC_H
#define STFM_SUBMIT_SYNC_H

#include "base/idset.h"
#include "store/job.h"
#include "submit/plan.h"

struct job_sync {
	uint64_t fresh;        /* points that become tasks */
	uint64_t same;         /* points that are tasks and stay so */
	struct idset dropped;  /* tasks that are no longer wanted */
	struct idset back;     /* dropped tasks that are wanted again */
	struct idset unwanted; /* all tasks that are not wanted */
	char *points;          /* the fresh points as in points.tsv; or NULL */
	size_t length;
};

void job_sync_free(struct job_sync *);

/*
 * Compare the points of a complete plan with those of the stored job of its
 * name.  Points are equal if all their values are, as text; each of several
 * equal points stands for one task.  A plan that differs in anything else, or
 * drops a canary that has not passed, is refused.  Returns 0 or -1; always free
 * out.
 */
int job_sync_compare(const struct job_plan *, const struct store_job *,
    struct job_sync *out, struct error *e);

/* Return whether there is anything to record. */
int job_sync_is_news(
    const struct job_sync *, const struct job_plan *, const struct store_job *);

/*
 * Record the changes; then queue and stop tasks with job_resubmit_queue.
 * Returns 0, 1 if another program changed the points since the job was loaded
 * and nothing was recorded, or -1.
 */
int job_sync_record(const struct job_sync *, const struct job_plan *,
    const struct store_job *, struct error *e);

#endif
