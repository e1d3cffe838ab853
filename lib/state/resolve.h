/*
 * The state of a task, resolved from all evidence on its current run.
 *
 * The order is fixed: first how the run itself said it ended, then Slurm's
 * queue, then Slurm's accounting.  A task that has left Slurm without a trace
 * for longer than the grace time becomes ERROR with cause LOST.  These rules
 * hold: a task that is not in the queue may be alive; a failed query changes
 * nothing; a state that a later Slurm may introduce counts as alive; STOPPED
 * requires a stop request and a run that did not end by itself.
 */
#ifndef STFM_STATE_RESOLVE_H
#define STFM_STATE_RESOLVE_H

#include <stdint.h>

#include "store/table-row.h"

#include "base/error.h"
#include "store/request.h"

struct store_row;
struct store_table;

/* How many seconds file systems and Slurm may lag behind each other. */
enum { JOB_GRACE = 120 };

/*
 * Pseudo-causes of imported tasks: IMPORTED (finished) and UNPROVEN (how it
 * ended is unknown).
 */
extern const char state_imported[], state_unproven[];

/* How many seconds the clocks of hosts may differ. */
enum { JOB_SKEW = 5 };

/*
 * Set *seconds to $STFM_GRACE, or else JOB_GRACE.  Returns 0, or -1 with the
 * reason if the variable is no such number.
 */
int job_grace(int64_t *seconds, struct error *e);

struct job_evidence {
	/* Facts of the current run; exit code and signal are in the row. */
	int started, ended;
	int adopted; /* stfm did not queue it: only Slurm knows its state */
	int back;    /* the run ended to be requeued */
	const char *judged; /* the state of an X fact, "TIMEOUT", or NULL */
	int stop_asked;     /* there is a stop request */
	int unsure;         /* there may be one: a record is damaged */
	const char *why;    /* the policy behind the stop request, or NULL */
	int held;           /* the user holds the task */
	const char *after_others; /* dependency: "after prep", or NULL */
	int late;   /* the stop request came after the task left Slurm */
	int after;  /* it came after the end that Slurm reports */
	int packed; /* other tasks share its allocation and its Slurm state */

	/* Slurm's queue. */
	int queued;          /* an array was claimed for it */
	int fresh;           /* the claim is newer than Slurm's answer */
	int intended;        /* sbatch may be running for it, or have run */
	const char *refusal; /* why Slurm takes no more tasks, or NULL */
	const char *ahead;   /* refused before it: "conv2d/1", or NULL */
	int answered;        /* the query succeeded */
	int found;           /* the answer has the task */
	/*
	 * The answer has the array but not the task, which was pending so
	 * recently that it cannot have run since: so it was cancelled.
	 */
	int vanished;
	int alive;          /* if found: pending, running or an unknown state */
	int returns;        /* if found: already requeued */
	const char *state;  /* "PENDING", as Slurm spells it */
	const char *reason; /* the pending reason, or NULL */
	int exit_status;    /* when over, as waitpid(2); or from accounting */
	int64_t end;        /* when it ended, or 0; or from accounting */

	/* Slurm's accounting, if it was asked. */
	int expected;   /* there is accounting, which may still learn more */
	int64_t failed; /* time of the last failed query, or 0 */
	const char *recorded; /* the final state of the task, or NULL */

	int64_t now;   /* the store's clock */
	int64_t grace; /* JOB_GRACE, or as the user set it */
};

/*
 * Return whether stfm must queue the task again: its run ended to be requeued,
 * but Slurm has not done it.  Call it after state_resolve.
 */
static inline int
state_wants_array(const struct store_row *row)
{
	return (row->facts & STORE_HAS_Q) != 0 && row->state == STORE_SUBMITTED;
}

/*
 * Return whether a task cannot be stopped any more: it is over, or Slurm
 * reported its run as COMPLETED.  COMPLETED is not the state of the task yet: a
 * later fact may tell how it ended.
 */
int state_is_over(const struct store_table *, uint64_t task);

/* Return whether a stop request came after the end of a run (0: unknown). */
static inline int
state_is_after(const struct store_request *stop, int64_t end)
{
	return stop != NULL && end > 0 && stop->time > end + JOB_SKEW;
}

/* Return whether the search of the job stopped the task. */
int state_is_pruned(const struct store_row *);

/*
 * Return whether to ask the accounting: Slurm answered and does not have the
 * task, and the other evidence does not tell how it ended.
 */
int state_wants_record(
    const struct job_evidence *, const struct store_row *row);

/*
 * Set or clear STORE_END_DUE in the facts of a row after state_resolve: whether
 * a task found LOST may still be explained.  If there is accounting, it is
 * asked for another day, because records can come late.  Its state then
 * replaces LOST.
 */
void state_note_due(const struct job_evidence *, struct store_row *row);

/*
 * Update state, cause and gone of the row.  The row has the numbers of the end
 * fact (exit, signal, asked).  *verdict, unless verdict is NULL, is set to the
 * state that must now be recorded as an X fact ("TIMEOUT", "LOST"), or to NULL.
 */
void state_resolve(
    const struct job_evidence *, struct store_row *row, const char **verdict);

/*
 * Return whether a cause is CAUSE_UNRECORDED or CAUSE_UNLAUNCHED; 0 for NULL.
 */
int state_is_unrecorded(const char *cause);

/*
 * Return whether the row has had a cause of state_is_unrecorded for less than
 * grace seconds, so that the record of its end may still come.
 */
static inline int
state_may_be_late(const struct store_row *row, int64_t now, int64_t grace)
{
	return state_is_unrecorded(row->cause) && row->gone != -1 &&
	    now - row->gone < grace;
}

/*
 * Return whether state a takes precedence over state b, if two programs
 * recorded different states of Slurm for the end of one run.  The order is:
 * OUT_OF_MEMORY, TIMEOUT, DEADLINE, NODE_FAIL, BOOT_FAIL, PREEMPTED, CANCELLED,
 * FAILED, COMPLETED, others alphabetically, LOST.
 */
int state_outranks(const char *a, const char *b);

/*
 * Return the name of a signal, "SIGTERM" for 15, or "signal 99" for one without
 * a name; in out or static.
 */
const char *job_signal_name(int64_t signal, char out[32]);

/*
 * Return the text of a stop request that stops nothing: it forbids rules to
 * queue a failed task again.  who names the rule that asks for it; NULL: a
 * user.  To free.
 */
char *state_not_again(const char *who);

/*
 * Return whether a stop request gives the task up, so that no rule requeues it.
 * Requests that end the attempt before a restart, or drop a point, do not.
 */
int state_is_for_good(const struct store_request *);

/* Return whether one of the requests gives up an attempt of a task. */
static inline int
state_is_given_up(
    const struct store_requests *stops, uint64_t task, uint32_t attempt)
{
	return store_stop_for(stops, task, attempt, state_is_for_good) != NULL;
}

/*
 * Return the stop request that ends an attempt of a task, or NULL.  Requests
 * that end an attempt for a restart, forbid a requeue, or came when all was
 * over do not count.
 */
const struct store_request *state_stop(
    const struct store_requests *, uint64_t task, uint32_t attempt);

#endif
