/*
 * Queueing tasks again.  A restart is a new attempt: new chunks that hold the
 * tasks, recorded first and queued then.  What earlier attempts left, records,
 * logs and metrics, stays.
 *
 * A chunk is published under the next free number.  When somebody else had it
 * first, what is known is looked at again, and tasks that have a newer attempt
 * by now are left out: of two restarts at once one has the task.
 */
#ifndef STFM_JOB_RESTART_H
#define STFM_JOB_RESTART_H

#include "error.h"
#include "job-queue.h"
#include "ranges.h"
#include "store-fold.h"
#include "store-job.h"

struct job_restart {
	int resume;                  /* from the checkpoints */
	const struct words *options; /* for sbatch, behind the job's; or NULL */
	const char *why;             /* for people, or NULL */
};

struct job_restarted {
	struct ranges tasks; /* that have a new attempt by this call */
	struct ranges taken; /* that somebody else restarted meanwhile */
	struct words chunks; /* the names of the new ones */
	struct job_queued queued;
	enum queue_answer answer; /* as of job_queue for these chunks */
};

void job_restarted_free(struct job_restarted *);

/*
 * Restart tasks that are over by the fold, which should be as of now, or that
 * Slurm did not put back; others are refused, and nothing is changed.
 *
 * Returns 0 when the new attempts are recorded: then all tasks are queued, or
 * a watcher queues the rest, as answer says with the reason in e.
 * Returns -1 when nothing could be recorded, or Slurm refused: attempts that
 * are not in the queue are withdrawn then, and their tasks are what they were,
 * but one that is LOST does not train any more in the attempt that was lost.
 */
int job_restart(const struct store_job *, const struct store_fold *,
    const struct ranges *tasks, const struct job_restart *,
    struct job_restarted *out, struct error *e);

#endif
