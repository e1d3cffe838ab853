/*
 * A live sweep edited: the points of a job compared with those of a plan, and
 * the job made what the plan wants.  A task stays what it is: what is new comes
 * behind the last task, and what is no longer wanted keeps its number.
 */
#ifndef STFM_SUBMIT_SYNC_H
#define STFM_SUBMIT_SYNC_H

#include "base/idset.h"
#include "store/job.h"
#include "submit/plan.h"

struct job_sync {
	uint64_t fresh;        /* points that are to be tasks */
	uint64_t same;         /* that are, and were wanted before */
	struct idset dropped;  /* tasks that were wanted before */
	struct idset back;     /* that had been dropped, and are wanted again */
	struct idset unwanted; /* all that are not wanted */
	char *points; /* the fresh ones, as points.tsv has them; or NULL */
	size_t length;
};

void job_sync_free(struct job_sync *);

/*
 * Compare the points of a plan, which is complete, with those of the stored
 * job of its name.  Points are the same when all their values are, as text; of
 * several that are alike each stands for one task.  Refused is a plan that
 * differs in anything else, or drops a canary that has not passed.  Free out in
 * any case.
 */
int job_sync_compare(const struct job_plan *, const struct store_job *,
    struct job_sync *out, struct error *e);

/* Whether there is anything to be recorded. */
int job_sync_is_news(
    const struct job_sync *, const struct job_plan *, const struct store_job *);

/*
 * Record it: the tasks are there then, and are still to be queued and stopped
 * (job-same).  Returns 0; 1 when somebody else has changed the points since the
 * job was loaded, and nothing is recorded; or -1.
 */
int job_sync_record(const struct job_sync *, const struct job_plan *,
    const struct store_job *, struct error *e);

#endif
