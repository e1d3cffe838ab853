/*
 * Editing a live sweep (--sync): compare the points of a job with the points of
 * a plan, and change the job to the plan's points.  Tasks keep their numbers:
 * new points come after the last task, and the number of a dropped task is not
 * reused.
 */
#ifndef STFM_SUBMIT_SYNC_H
#define STFM_SUBMIT_SYNC_H

#include "base/idset.h"
#include "submit/plan.h"

struct job_sync {
	uint64_t fresh;        /* new points, which become tasks */
	uint64_t same;         /* points that have a task already */
	struct idset dropped;  /* tasks to drop */
	struct idset back;     /* dropped tasks that are wanted again */
	struct idset unwanted; /* all tasks whose points are not wanted */
	char *points;          /* the new points as in points.tsv, or NULL */
	size_t length;
	struct strlist unseen; /* see job_resubmit_check */
};

void job_sync_free(struct job_sync *);

/*
 * Compare the points of a complete plan with the points of the stored job of
 * its name.  Points are equal if all their values are equal as text; each of
 * several equal points stands for one task.  Refuses a plan that differs in
 * anything else (but maybe the code), or that drops a canary that has not
 * passed.  Returns 0 or -1; always free out.
 */
int job_sync_compare(const struct job_plan *, const struct store_job *,
    int other_code, struct job_sync *out, struct error *e);

/* Return whether there is anything to record. */
int job_sync_is_new(
    const struct job_sync *, const struct job_plan *, const struct store_job *);

/*
 * Record the changes; then queue and stop tasks with job_resubmit_queue.
 * Returns 0; 1 if another process changed the points since the job was loaded
 * and nothing was recorded; or -1.
 */
int job_sync_record(const struct job_sync *, const struct job_plan *,
    const struct store_job *, struct error *e);

#endif
