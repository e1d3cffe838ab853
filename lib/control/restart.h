/*
 * Restarting tasks.  A restart is a new attempt: new chunks with these tasks
 * are recorded first and then queued.  Records, logs and metrics of earlier
 * attempts stay.
 *
 * A chunk is published under the next free number.  If another program took
 * that number, the records are read again and tasks that have a newer attempt
 * by then are left out.  So of two simultaneous restarts, one gets the task.
 */
#ifndef STFM_CONTROL_RESTART_H
#define STFM_CONTROL_RESTART_H

#include "base/error.h"
#include "base/idset.h"
#include "control/enqueue.h"

struct store_table;

struct job_restart {
	int resume;                    /* continue from the checkpoints */
	const struct strlist *options; /* for sbatch, after the job's */
	const char *why;               /* reason, for people; or NULL */
	int keep;                      /* keep refused attempts for later */
};

struct job_restarted {
	struct idset tasks;    /* tasks with a new attempt from this call */
	struct idset kept;     /* tasks without one; they are unchanged */
	struct idset taken;    /* tasks that another program restarted */
	struct strlist chunks; /* names of the new chunks */
	struct job_enqueued queued;
	enum queue_answer answer; /* answer of job_enqueue for these chunks */
};

void job_restarted_free(struct job_restarted *);

/*
 * Restart tasks that are over by the table, which should be current, or that
 * Slurm did not requeue.  Other tasks are refused and nothing is changed.  A
 * secret in how->options makes the job private to its owner.  Returns:
 *
 *    0  All new attempts are recorded.  The tasks are queued, or a watcher
 *       queues the rest: see out->answer, with the reason in e.
 *    1  This holds only for out->tasks.  The others, out->kept, could not be
 *       recorded or were refused by Slurm; e says why.
 *   -1  It holds for none, or the job was removed: nothing is queued.
 *
 * Attempts that Slurm refuses are withdrawn, and their tasks are as before, but
 * a LOST task can no longer train in its lost attempt.  With how->keep they are
 * not withdrawn, and a watcher asks Slurm again.
 */
int job_restart(const struct store_job *, const struct store_table *,
    const struct idset *tasks, const struct job_restart *how,
    struct job_restarted *out, struct error *e);

#endif
