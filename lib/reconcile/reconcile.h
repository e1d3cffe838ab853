/*
 * A reconcile pass brings the store up to date.  It asks Slurm once; then, for
 * each job, it lists the facts, reads the new lines of the training logs, and
 * publishes the table if something changed.  Slurm's accounting is asked, once,
 * if Slurm forgot a task and nothing else explains its end.
 */
#ifndef STFM_RECONCILE_RECONCILE_H
#define STFM_RECONCILE_RECONCILE_H

#include "base/error.h"
#include "base/strlist.h"
#include "job/selection.h"

struct store;
struct store_row;
struct store_table;

struct reconcile {
	/*
	 * Set it to apply the jobs' policies, too: requeue tasks, stop the
	 * rest, release held tasks.  For watchers.
	 */
	int acts;

	/* Results; they belong to the pass. */
	char *trouble;       /* why Slurm did not answer, or NULL */
	struct queue *queue; /* Slurm's answer, or NULL */
	/*
	 * Why Slurm's accounting did not answer, "" if it answered, or NULL if
	 * no job made the pass ask it or there is no accounting.
	 */
	char *silence;
	/*
	 * A sentence, with its job, about each array that was over but still in
	 * the queue and that the pass cancelled.
	 */
	struct strlist notes;
	int unqueued; /* tasks of the last job still have to be queued */
	int idle;     /* the last job is over, and nothing was or is to do */
	/* Set by the caller: the user named the jobs. */
	int is_named;

	/* Private. */
	const struct reconcile_slurm *slurm; /* NULL: Slurm is not asked */
	const struct selection *jobs;
	struct job_marked *marked;     /* stfm's records in queue; or NULL */
	struct queue_account *account; /* NULL: not asked yet */
	struct strlist ids;            /* of jobs in queue, sorted */
	/* The accounting of each job that one of the jobs waits for. */
	struct reconcile_other *other;
	size_t others;
	int64_t asked;  /* when Slurm was asked (store clock) */
	int64_t now;    /* when Slurm had answered (store clock) */
	int64_t memory; /* seconds Slurm keeps ended jobs; -1: not asked */
	int64_t grace;  /* seconds */
	int looks;      /* 1: write nothing */
};

/*
 * Begin a reconcile pass over jobs, which must outlive it: ask Slurm.  It is no
 * error if Slurm does not answer.  Returns the pass, to reconcile_free, or
 * NULL.
 */
struct reconcile *reconcile_new(
    const struct store *, const struct selection *jobs, struct error *e);

/*
 * Begin a reconcile pass that does not ask Slurm; its earlier answers stay.
 * Returns the pass, to reconcile_free, or NULL.
 */
struct reconcile *reconcile_alone(const struct store *, struct error *e);

/*
 * Begin a reconcile pass as of now that neither asks Slurm nor writes: tables
 * are made in memory only.  Returns the pass, to reconcile_free.
 */
struct reconcile *reconcile_look(int64_t now);
void reconcile_free(struct reconcile *);

/*
 * Return whether Slurm's answer mentions the job with this id, in whatever
 * state.
 */
int reconcile_has_queued(const struct reconcile *, const char *id);

/* Called for each changed task; before: its old state, cause and metrics. */
typedef void job_change(void *arg, const struct store_job *,
    const struct store_row *before, const struct store_row *after);

/*
 * Bring one job up to date.  change may be NULL.  *out, if out is not NULL, is
 * set to the table, to store_table_free.  Returns 0, 1 if only writing the
 * table failed, or -1 if the job's facts cannot be read.
 */
int reconcile_job(struct reconcile *p, const struct store_job *job,
    job_change *change, void *arg, struct store_table **out, struct error *e);

/*
 * Read what is new in the log of a running task into its row, which
 * store_table_edit returned, in memory only.
 */
void reconcile_look_at_log(
    const struct store_job *, struct store_table *, struct store_row *);

/*
 * Make a reconcile pass over jobs that a command has just changed, so that the
 * store shows it at once.  Errors are ignored: the next pass finds the same.
 * The queue was read after the change and not before asked (store clock); it is
 * freed.  If it is NULL, Slurm is asked.
 */
void reconcile_again(const struct store *, const struct selection *jobs,
    struct queue *, int64_t asked);

#endif
