/*
 * Restarting tasks.  A restart is a new attempt: new chunks with these tasks
 * are recorded first and then queued.  Records, logs and metrics of earlier
 * attempts stay.
 *
 * A chunk is published under the next free number.  If another program has
 * taken that number, the records are read again, and tasks that now have a
 * newer attempt are left out.  So of two simultaneous restarts, one gets the
 * task.
 */
#ifndef STFM_CONTROL_RESTART_H
#define STFM_CONTROL_RESTART_H

#include "base/error.h"
#include "base/idset.h"
#include "control/enqueue.h"

struct store_table;

struct job_restart {
	int resume;                    /* continue from the checkpoints */
	const struct strlist *options; /* for sbatch, or NULL */
	const char *why;               /* reason, for people; or NULL */
	int keep; /* if Slurm refuses attempts, keep them for a watcher */
};

struct job_restarted {
	struct idset tasks;    /* tasks with a new attempt from this call */
	struct idset kept;     /* tasks without one: they are as before */
	struct idset taken;    /* tasks that another program restarted */
	struct strlist chunks; /* names of the new chunks */
	struct job_enqueued queued;
	enum queue_answer answer; /* answer of job_enqueue for these chunks */
};

/* Free the contents of a result. */
void job_restarted_free(struct job_restarted *);

/*
 * Restart tasks that are over in the table, which should be current, or that
 * Slurm did not requeue.  If there are other tasks among them, refuses and
 * changes nothing.  A secret in how->options makes the job private to its
 * owner.
 *
 * Call job_restarted_free on out in any case.  Returns:
 *
 *    0  Each task has a new attempt, or another program restarted it meanwhile
 *       (out->taken).  out->answer says whether all are queued; if not, e has
 *       the reason, and a watcher queues the rest.
 *    1  Only the tasks in out->tasks have one.  New attempts of the others,
 *       out->kept, could not be recorded or were refused by Slurm; e says why.
 *   -1  No task has one, or the job was removed meanwhile; e says why.
 *
 * Attempts that Slurm refuses are withdrawn: their tasks are as before, except
 * that a LOST task can no longer train in its lost attempt.  With how->keep
 * they stay recorded, and a watcher asks Slurm again.
 */
int job_restart(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const struct job_restart *how,
    struct job_restarted *out, struct error *e);

#endif
