/*
 * Resubmitting a job: queue all tasks that are not finished, running or
 * pending.
 */
#ifndef STFM_SUBMIT_RESUBMIT_H
#define STFM_SUBMIT_RESUBMIT_H

#include "control/enqueue.h"
#include "submit/plan.h"

struct store;

/* How a plan may differ from the stored job. */
struct job_resubmit_may {
	int sync;       /* other points of the same hyperparameters */
	int other_code; /* other files, and another text of the batch script */
};

/*
 * Refuse a plan that differs from the stored job of its name in the command,
 * the points, options or the code; e names the difference.  The struct allows
 * some differences.  --parallel may be that of the submission or the present
 * throttle; neither changes the throttle.  The plan must be complete, with its
 * batch script and its snapshot.  Adds to the empty list unseen, to be freed,
 * the files that were added to the code since it was copied.  Returns 0 or -1.
 */
int job_resubmit_check(const struct job_plan *, const struct store_job *,
    struct job_resubmit_may, struct strlist *unseen, struct error *e);

struct job_resubmit_how {
	int look; /* only count the tasks */
	int sync; /* requeue only dropped tasks wanted again */
	const struct idset *counted; /* tasks to count, or NULL */
};

struct job_resubmit {
	uint64_t counted_running, counted_waiting; /* tasks in how->counted */
	uint64_t stopped; /* dropped tasks that were running or pending */
	uint64_t done, running, waiting; /* tasks before this call */
	uint64_t again;                  /* tasks with a new attempt */
	uint64_t made;     /* tasks queued for the first time, or to queue */
	struct idset kept; /* tasks that could not be requeued */
	uint64_t left;     /* tasks still to be queued */
	uint32_t *array;   /* ids of the arrays queued now, in order */
	size_t arrays;
	enum queue_answer answer; /* answer of Slurm to job_enqueue */
};

void job_resubmit_free(struct job_resubmit *);

/*
 * Stop dropped tasks of the job called name, queue its tasks that were never
 * queued, and requeue its tasks in ERROR and STOPPED.  With look, only count
 * them.  Free out with job_resubmit_free in any case.
 *
 * Returns 0; 1 if Slurm refused some or all tasks, or new attempts could not be
 * recorded; or -1 if nothing was done.  With 1, out->array is queued, out->kept
 * is unchanged, and a watcher queues the rest.  With 1, and with any other
 * answer than QUEUE_QUEUED, the reason is in e.
 */
int job_resubmit_queue(const struct store *, const char *name,
    const struct job_resubmit_how *, struct job_resubmit *out, struct error *e);

#endif
