/*
 * A pass brings the store up to date with what happened: it asks Slurm once,
 * then, for each job, lists the facts, reads what is new in the training logs,
 * and publishes the fold when something changed.  When Slurm has forgotten a
 * task whose end nothing else explains, its accounting is asked, once.
 */
#ifndef STFM_RECONCILE_RECONCILE_H
#define STFM_RECONCILE_RECONCILE_H

#include "base/error.h"
#include "job/selection.h"
#include "slurm/queue.h"
#include "store/job.h"
#include "store/table.h"

struct reconcile;

/*
 * Begin a pass over these jobs, which must outlive it: the one question to
 * Slurm.  That it fails is no error.
 */
struct reconcile *reconcile_new(
    const struct store *, const struct selection *jobs, struct error *e);

/* The same without the question: what Slurm said before stays. */
struct reconcile *reconcile_alone(const struct store *, struct error *e);

/* ... and nothing is written either: the fold is made in memory only. */
struct reconcile *reconcile_look(int64_t now);
void reconcile_free(struct reconcile *);

/*
 * Do also what the jobs' policies ask for when tasks did not go well: queue
 * them again, stop the rest, let go of what is held.  For watchers.
 */
void reconcile_act(struct reconcile *);

/* Why Slurm did not answer, or NULL. */
const char *reconcile_trouble(const struct reconcile *);

/*
 * Why Slurm's accounting did not answer when the jobs that were looked at made
 * the pass ask it; "" when it did, and NULL when it was not asked or there is
 * none.
 */
const char *reconcile_silence(const struct reconcile *);

/* What Slurm answered, or NULL; it belongs to the pass. */
const struct queue *reconcile_queue(const struct reconcile *);

/*
 * Move to out the sentences, each with its job, about arrays that the pass
 * found in the queue although they were over, and cancelled.
 */
void reconcile_notes(struct reconcile *, struct strlist *out);

/* Whether tasks of the job that was looked at last still have to be queued. */
int reconcile_is_unqueued(const struct reconcile *);

/*
 * Called for each task of which something changed; before has the state, cause
 * and metrics as they were.
 */
typedef void job_change(void *arg, const struct store_job *,
    const struct store_row *before, const struct store_row *after);

/*
 * Bring one job up to date.  change may be NULL.  *out, when out is not NULL,
 * is the fold, to free.  Returns 0, 1 when all is well but
 * the fold could not be written, or -1 when the job's facts cannot be read.
 */
int reconcile_job(struct reconcile *p, const struct store_job *job,
    job_change *change, void *arg, struct store_table **out, struct error *e);

/*
 * One more pass over jobs in which a command has just changed something, so
 * that the store says so at once.  That it fails is no matter: the next one
 * finds the same.
 */
void reconcile_again(const struct store *, const struct selection *jobs);

#endif
