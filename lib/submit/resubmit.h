/*
 * The same job submitted again: what is not done and not alive is queued.
 */
#ifndef STFM_SUBMIT_RESUBMIT_H
#define STFM_SUBMIT_RESUBMIT_H

#include "control/enqueue.h"
#include "store/table.h"
#include "submit/plan.h"

/*
 * Refuse a plan that differs from the stored job of its name, with what
 * differs: the command, the points, options, or the code.  The plan is
 * complete, with its batch script and its snapshot.
 */
int job_resubmit_check(
    const struct job_plan *, const struct store_job *, struct error *e);

/*
 * The same, but that the points may be others, of the same hyperparameters: for
 * job-sync.
 */
int job_resubmit_check_others(
    const struct job_plan *, const struct store_job *, struct error *e);

struct job_resubmit_how {
	int look; /* only find out how many */
	int sync; /* again only those that had been dropped, and are wanted */
	const struct idset *counted; /* tasks to count, or NULL */
};

struct job_resubmit {
	uint64_t counted_running, counted_waiting; /* before, of how->counted */
	uint64_t stopped; /* that had been dropped and were alive */
	uint64_t done, running, waiting; /* tasks, before anything was queued */
	uint64_t again;                  /* tasks that have a new attempt */
	uint64_t
	    made; /* tasks that had not been queued, and are; or would be */
	struct idset kept; /* tasks that could not be queued again */
	uint64_t left;     /* tasks that still have to be queued */
	uint32_t *array;   /* the arrays that were queued now, in order */
	size_t arrays;
	enum queue_answer answer; /* as of job_enqueue */
};

void job_resubmit_free(struct job_resubmit *);

/*
 * Stop tasks of the job with this name that have been dropped, queue those that
 * have not been queued yet, and again those in ERROR and STOPPED; with look,
 * only find out how many.  Returns 0; 1 when Slurm refuses some or all of it,
 * or new attempts could not be recorded: what is in out->array is queued all
 * the same, out->kept is what it was, and a watcher queues what is left; or -1
 * when nothing was done.  With 1, and with another answer than QUEUE_QUEUED,
 * the reason is in e.  Free out with job_resubmit_free in any case.
 */
int job_resubmit_queue(const struct store *, const char *name,
    const struct job_resubmit_how *, struct job_resubmit *out, struct error *e);

#endif
