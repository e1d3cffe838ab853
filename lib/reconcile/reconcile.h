/*
 * A reconcile pass brings the store up to date.  It asks Slurm once; then, for
 * each job, it lists the facts, reads the new lines of the training logs, and
 * publishes the table if something changed.  Slurm's accounting is asked, once,
 * if Slurm forgot a task and nothing else explains its end.
 */
#ifndef STFM_RECONCILE_RECONCILE_H
#define STFM_RECONCILE_RECONCILE_H

#include "base/error.h"
#include "job/selection.h"

struct reconcile;
struct store;
struct store_row;
struct store_table;
struct strlist;

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
 * Make the pass also apply the jobs' policies: requeue tasks, stop the rest,
 * release held tasks.  For watchers.
 */
void reconcile_act(struct reconcile *);

/* Return why Slurm did not answer, or NULL. */
const char *reconcile_trouble(const struct reconcile *);

/*
 * Return why Slurm's accounting did not answer, "" if it answered, or NULL if
 * no job made the pass ask it or there is no accounting.
 */
const char *reconcile_silence(const struct reconcile *);

/* Return Slurm's answer, or NULL; it belongs to the pass. */
const struct queue *reconcile_queue(const struct reconcile *);

/*
 * Move the notes to out: a sentence, with its job, about each array that was
 * over but still in the queue and that the pass cancelled.
 */
void reconcile_notes(struct reconcile *, struct strlist *out);

/* Return whether tasks of the last job still have to be queued. */
int reconcile_is_unqueued(const struct reconcile *);

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
 * Make a reconcile pass over jobs that a command has just changed, so that the
 * store shows it at once.  Errors are ignored: the next pass finds the same.
 */
void reconcile_again(const struct store *, const struct selection *jobs);

#endif
