/*
 * What is true of a task, given all that is known of its current run.
 *
 * The order is fixed: how the run itself said it ended; what Slurm says; what
 * Slurm's accounting says; and only when a task has left Slurm without a trace
 * for longer than the grace time, ERROR with cause LOST.  Not being in the
 * queue never means dead, a query that failed changes nothing, a state that
 * Slurm may invent counts as alive, and STOPPED needs somebody who asked, and a
 * run that did not end by itself.
 */
#ifndef STFM_STATE_RESOLVE_H
#define STFM_STATE_RESOLVE_H

#include <stdint.h>

#include "base/error.h"
#include "store/cancel.h"
#include "store/table.h"

/* How long file systems and Slurm may lag behind each other, in seconds. */
enum { JOB_GRACE = 120 };

/*
 * Words that are not Slurm's, on tasks that others have trained: it is known
 * that one was trained to its end, or how it ended is not known.
 */
extern const char state_imported[], state_unproven[];

/* How far the clocks of hosts may be apart, in seconds. */
enum { JOB_SKEW = 5 };

/* JOB_GRACE, or what STFM_GRACE has; -1 with the reason when that is wrong. */
int job_grace(int64_t *seconds, struct error *e);

struct job_evidence {
	/* Facts of the current run; the end's numbers are in the row. */
	int started, ended;
	int adopted; /* others queued it: only Slurm tells, started or not */
	int back;    /* it ended to be put back into the queue */
	const char *judged; /* the state of an X fact, "TIMEOUT", or NULL */
	int wished;         /* somebody asked to stop it */
	int unsure;         /* ... or may have: such a record is damaged */
	const char *why;    /* ... a rule: its name; or NULL */
	int held;           /* it is not to begin */
	const char
	    *after_others; /* "after prep", for which it waits; or NULL */
	int late;          /* ... when Slurm did not know it any more */
	int after;         /* ... when it was over, by Slurm's account */
	int beside;        /* others share its allocation, and Slurm's word */

	/* Slurm. */
	int queued;          /* an array was claimed for it */
	int fresh;           /* ... since Slurm was asked */
	int intended;        /* sbatch may be at work, or have been */
	const char *refusal; /* why Slurm takes no more, or NULL */
	const char *ahead;   /* ... of "conv2d/1", before it; or NULL */
	int answered;        /* the query worked */
	int found;           /* ... and knows the task */
	/*
	 * It knows the task no more, but its array, and the task waited so
	 * shortly ago that it cannot have run since: only one that is
	 * cancelled goes like that.
	 */
	int vanished;
	int alive;          /* ... as pending, running or unknown to us */
	int returns;        /* ... and it waits for its next run already */
	const char *state;  /* "PENDING", as Slurm spells it */
	const char *reason; /* why it waits, or NULL */
	int exit_status;    /* as waitpid(2) gives it, when over; also there */
	int64_t end;        /* when it was over, or 0; also there */

	/* Slurm's accounting, when it was asked. */
	int expected;         /* there is one: it may still get to know */
	int64_t failed;       /* when asking it last failed, or 0 */
	const char *recorded; /* the final state there, or NULL */

	int64_t now;   /* the store's clock */
	int64_t grace; /* JOB_GRACE, unless the user wants another */
};

/*
 * Whether the task is to be queued again by us: its run ended to be put back
 * into the queue, and Slurm has not done it.  The row is as state_resolve left
 * it.
 */
int state_wants_array(const struct store_row *);

/*
 * Whether there is nothing of a task to stop any more: it is over, or Slurm
 * said that its run was COMPLETED, which is not recorded yet for that may still
 * tell how it ended.
 */
int state_is_over(const struct store_table *, uint64_t task);

/* Whether a wish was made when a run was over that ended then (0: unknown). */
int state_is_after(const struct store_stop *, int64_t end);

/*
 * Whether the accounting should be asked: Slurm answered and does not know the
 * task, and what is known otherwise does not tell how it ended.
 */
int state_wants_record(
    const struct job_evidence *, const struct store_row *row);

/*
 * Whether a task that was found LOST may still be explained: where there is an
 * accounting it is asked for a day more, for records can come late, and its
 * word then comes before LOST.  The row, as state_resolve left it, has that
 * from then on among its facts, as STORE_END_DUE, or no more.
 */
void state_note_due(const struct job_evidence *, struct store_row *row);

/*
 * Bring state, cause and gone of the row up to date.  The row carries the
 * numbers of the end fact (exit, signal, asked).  *verdict, when not NULL, is
 * set to the state that should now be recorded as an X fact ("TIMEOUT",
 * "LOST"), or to NULL.
 */
void state_resolve(
    const struct job_evidence *, struct store_row *row, const char **verdict);

/* Whether it is one of these causes, which may be NULL. */
int state_is_unrecorded(const char *cause);

/*
 * Whether the row, with one of these causes, was judged so shortly before now,
 * by less than grace (seconds), that the record may still come.
 */
int state_may_be_late(const struct store_row *, int64_t now, int64_t grace);

/*
 * Which of two words of Slurm on the end of one run counts, when two programs
 * recorded different ones: the one that says more.  Whether a comes before b:
 * OUT_OF_MEMORY, TIMEOUT, DEADLINE, NODE_FAIL, BOOT_FAIL, PREEMPTED, CANCELLED,
 * FAILED, COMPLETED, any other by the alphabet, and LOST last.
 */
int state_outranks(const char *a, const char *b);

/* "SIGTERM" for 15; "signal 99" for one without a name.  Never freed. */
const char *job_signal_name(int64_t signal, char out[32]);

/*
 * Return the words of a stop request that only forbids rules to queue a failed
 * task again; who, which may be NULL, wants that.  To free.
 */
char *state_not_again(const char *who);

/*
 * Whether a stop request gives the task up: no rule queues it again.  One that
 * ends the attempt before a restart, or drops a point, does not.
 */
int state_is_for_good(const struct store_stop *);

/* Whether one of the requests gives up an attempt of a task. */
int state_is_given_up(
    const struct store_stops *, uint64_t task, uint32_t attempt);

/*
 * Return the stop request by which an attempt of a task is to end, or NULL.
 * Not those that end an attempt for a restart, forbid a requeue, or came when
 * all was over.
 */
const struct store_stop *state_wish(
    const struct store_stops *, uint64_t task, uint32_t attempt);

#endif
