/*
 * The words of causes: why a task is in its state, or why it waits.  They are
 * written in words.c and nowhere else; whoever has to decide by a cause asks
 * cause_of() which one it is.
 *
 * What Slurm calls a reason or a state ("Priority", "TIMEOUT") and a reason
 * that a run or a site made up are causes in their own words: CAUSE_OTHER.
 */
#ifndef STFM_STATE_WORDS_H
#define STFM_STATE_WORDS_H

#include <stdint.h>

enum cause {
	CAUSE_NONE,
	CAUSE_OTHER,

	/* Before it runs. */
	CAUSE_UNQUEUED,    /* nobody has queued it yet */
	CAUSE_QUEUEING,    /* sbatch is at work */
	CAUSE_FRESH,       /* just queued: Slurm does not list it yet */
	CAUSE_ABSENT,      /* queued, but not in the queue */
	CAUSE_REQUEUE,     /* its run ended, and another array is wanted */
	CAUSE_HELD,        /* held by its user */
	CAUSE_HELD_BESIDE, /* shares an allocation with a held task */
	CAUSE_CANARY,      /* waits for the canary */
	CAUSE_CANARY_FAILED,
	CAUSE_CANARY_STOPPED,
	CAUSE_AFTER,  /* waits for other jobs; their names follow */
	CAUSE_BEHIND, /* an array before it was refused; which, and how, follow
		       */
	CAUSE_REFUSED_ARRAY, /* Slurm refuses its array; the reason follows */
	CAUSE_REFUSED,       /* Slurm takes no more; the limit follows */
	CAUSE_UNSURE,        /* a damaged record may be a stop request for it */

	/* While it runs. */
	CAUSE_STOPPING,
	CAUSE_ENDING,
	CAUSE_RETURNING, /* goes back into the queue */
	CAUSE_RETURNED,  /* it went back, in an earlier run */

	/* After it. */
	CAUSE_NO_END, /* finished by Slurm's account alone */
	CAUSE_LATE,   /* finished after it was given up; the state follows */
	CAUSE_UNRECORDED,   /* it trained, and its end could not be recorded */
	CAUSE_UNLAUNCHED,   /* stfm-run did not let it train */
	CAUSE_LAUNCH,       /* the batch script failed before stfm-run */
	CAUSE_UNSAFE,       /* others may have changed the job */
	CAUSE_NO_DIRECTORY, /* no directory to train in; its path follows */
	CAUSE_SHUT_DIRECTORY,
	CAUSE_NO_IMAGE, /* no image of a container; its path follows */
	CAUSE_SHUT_IMAGE,
	CAUSE_NO_PROGRESS,   /* not requeued: no epoch within its time limit */
	CAUSE_REQUEUED_ONCE, /* not requeued again */
	CAUSE_REQUEUED,      /* not requeued again; how often follows */
	CAUSE_NOT_REQUEUED,  /* it was to be, but that could not be recorded */
	CAUSE_IMPORTED,
	CAUSE_END_UNKNOWN, /* imported, and nobody knows how it ended */
	CAUSES
};

/*
 * Return the words of a cause, without brackets.  Where more follows they are
 * the beginning, with the blank before it.  NULL for the first two.
 */
const char *cause_words(enum cause);

/*
 * Return which cause a text is, in brackets or not: CAUSE_NONE for NULL,
 * CAUSE_OTHER for words that are not ours.  *rest, where rest is not NULL, is
 * set to what follows the words, inside text.
 */
enum cause cause_of(const char *text, const char **rest);

/* How a job stands that another one waits for. */
enum cause_other {
	OTHER_WAITS,      /* not over yet */
	OTHER_REMOVED,    /* removed, although all of it had to finish */
	OTHER_UNREADABLE, /* its record cannot be read */
	OTHER_UNFINISHED, /* tasks of it did not finish */
	OTHER_CANARY,     /* its canary did not pass */
	OTHER_NEVER,      /* it cannot start itself */
	OTHERS
};

/*
 * Return the words of CAUSE_AFTER on a job or several, without brackets, to
 * free: "after prep", "after conv2d, of which 2 tasks did not finish".  bad is
 * how many tasks of OTHER_UNFINISHED those are.
 */
char *cause_after(const char *names, enum cause_other, uint64_t bad);

/*
 * Return how the job stands that a text of CAUSE_AFTER names, without the
 * brackets around it.
 */
enum cause_other cause_other_of(const char *text);

/* Why a stop request was made. */
enum stop_reason {
	STOP_BY_USER,    /* no words */
	STOP_RESTARTED,  /* the task was restarted: the old attempt ends */
	STOP_DROPPED,    /* stfm-submit --sync dropped the task */
	STOP_MAX_FAIL,   /* --max-fail; its number follows */
	STOP_NO_REQUEUE, /* no rule queues the task again; ": WHO" may follow */
	STOP_REASONS
};

/* Return the words of such a reason; NULL for STOP_BY_USER. */
const char *stop_words(enum stop_reason);

/*
 * Return why a stop request was made, by its words.  *rest, where rest is not
 * NULL, is set to what follows them.  Words that are not ours are a user's.
 */
enum stop_reason stop_reason_of(const char *why, const char **rest);

/* What ends the words of a request that stops nothing: all was over by then. */
extern const char stop_over[];

/* Whether such a request stops nothing, as all was over by then. */
int stop_is_over(const char *why);

/* Whether --max-fail made the request, also one that forbids a requeue. */
int stop_is_by_max_fail(const char *why);

#endif
