/*
 * Queueing tasks again.  A restart is a new attempt: new chunks that hold the
 * tasks, recorded first and queued then.  What earlier attempts left, records,
 * logs and metrics, stays.
 *
 * A chunk is published under the next free number.  When somebody else had it
 * first, what is known is looked at again, and tasks that have a newer attempt
 * by now are left out: of two restarts at once one has the task.
 */
#ifndef STFM_CONTROL_RESTART_H
#define STFM_CONTROL_RESTART_H

#include "base/error.h"
#include "base/idset.h"
#include "control/enqueue.h"
#include "store/job.h"
#include "store/table.h"

struct job_restart {
	int resume;                    /* from the checkpoints */
	const struct strlist *options; /* for sbatch, behind the job's; or NULL:
					* a secret closes the job to others */
	const char *why;               /* for people, or NULL */
	int keep; /* what Slurm refuses waits until it takes it */
};

struct job_restarted {
	struct idset tasks;    /* that have a new attempt by this call */
	struct idset kept;     /* that have none: they are what they were */
	struct idset taken;    /* that somebody else restarted meanwhile */
	struct strlist chunks; /* the names of the new ones */
	struct job_enqueued queued;
	enum queue_answer answer; /* as of job_enqueue for these chunks */
};

void job_restarted_free(struct job_restarted *);

/*
 * Restart tasks that are over by the fold, which should be as of now, or that
 * Slurm did not put back; others are refused, and nothing is changed.
 *
 * Returns 0 when the new attempts are recorded: then all tasks are queued, or
 * a watcher queues the rest, as answer says with the reason in e.
 * Returns 1 when that holds for a part of them, out->tasks, and the others,
 * out->kept, could not be recorded or were refused by Slurm, which e says.
 * Returns -1 when it is so with all of them.  What Slurm refused is withdrawn:
 * these tasks are what they were, but one that is LOST does not train any more
 * in the attempt that was lost.  With how->keep it is not: a watcher asks
 * again.  Of a job that is removed meanwhile nothing is queued: -1.
 */
int job_restart(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const struct job_restart *,
    struct job_restarted *out, struct error *e);

#endif
