/*
 * The words of causes: why a task is in its state, or why it waits.  Only
 * words.c contains them; code that decides by a cause calls cause_of().  Rows
 * of existing stores hold these words, and stop records those of stop_words():
 * if you reword a cause, cause_of() must still know the old words.
 *
 * Reasons and states of Slurm ("Priority", "TIMEOUT"), and reasons that a run
 * or a site made up, are causes in their own words: CAUSE_OTHER.
 */
#ifndef STFM_STATE_WORDS_H
#define STFM_STATE_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum cause {
	CAUSE_NONE,
	CAUSE_OTHER,

	/* Before the run. */
	CAUSE_UNQUEUED,    /* not queued yet */
	CAUSE_QUEUEING,    /* sbatch is running */
	CAUSE_FRESH,       /* just queued: Slurm does not list it yet */
	CAUSE_ABSENT,      /* queued, but Slurm does not list it */
	CAUSE_REQUEUE,     /* its run ended; it needs another array */
	CAUSE_HELD,        /* held by its user */
	CAUSE_HELD_BESIDE, /* shares an allocation with a held task */
	CAUSE_CANARY,      /* waits for the canary */
	CAUSE_CANARY_FAILED,
	CAUSE_CANARY_STOPPED,
	CAUSE_AFTER,  /* waits for other jobs; their names follow */
	CAUSE_BEHIND, /* an earlier array was refused; which, and how, follow */
	CAUSE_REFUSED_ARRAY, /* Slurm refuses its array; the reason follows */
	CAUSE_REFUSED,       /* Slurm takes no more; the limit follows */
	CAUSE_UNSURE,        /* a damaged record may be its stop request */

	/* During the run. */
	CAUSE_STOPPING,
	CAUSE_ENDING,
	CAUSE_RETURNING, /* is being requeued */
	CAUSE_RETURNED,  /* an earlier run that was requeued */

	/* After the run. */
	CAUSE_NO_END, /* finished by Slurm's record alone */
	CAUSE_LATE,   /* finished after Slurm gave it up; the state follows */
	CAUSE_UNRECORDED,   /* it trained, but its end could not be recorded */
	CAUSE_UNLAUNCHED,   /* stfm-run did not let it train */
	CAUSE_LAUNCH,       /* the batch script failed before stfm-run */
	CAUSE_UNSAFE,       /* other users may have changed the job */
	CAUSE_NO_DIRECTORY, /* no directory to train in; its path follows */
	CAUSE_SHUT_DIRECTORY,
	CAUSE_NO_IMAGE, /* no image of a container; its path follows */
	CAUSE_SHUT_IMAGE,
	CAUSE_NO_PROGRESS,   /* not requeued: no epoch within its time limit */
	CAUSE_REQUEUED_ONCE, /* not requeued again */
	CAUSE_REQUEUED,      /* not requeued again; how often follows */
	CAUSE_NOT_REQUEUED,  /* its requeue could not be recorded */
	CAUSE_SIGNAL,        /* the rest of the signal's name follows */
	CAUSE_SIGNAL_NUMBER, /* the number of a signal without a name follows */
	CAUSE_EXIT,          /* the exit status follows */
	CAUSE_IMPORTED,
	CAUSE_END_UNKNOWN, /* imported, and its end is unknown */
	CAUSES
};

/*
 * Return the words of a cause, without brackets; NULL for CAUSE_NONE and
 * CAUSE_OTHER.  If more text may follow, these words are its beginning.
 */
const char *cause_words(enum cause);

/*
 * Return which cause a text is, in brackets or not: CAUSE_NONE for NULL,
 * CAUSE_OTHER for words that are not in words.c.  *rest, unless rest is NULL,
 * is set to the text after the words, inside text.
 */
enum cause cause_of(const char *text, const char **rest);

/* The state of a job that another job waits for. */
enum cause_other {
	OTHER_WAITS,      /* not over yet */
	OTHER_REMOVED,    /* removed, although all its tasks had to finish */
	OTHER_UNREADABLE, /* its record cannot be read */
	OTHER_UNFINISHED, /* some of its tasks did not finish */
	OTHER_CANARY,     /* its canary did not pass */
	OTHER_NEVER,      /* it can never start */
	OTHERS
};

/* What a text of CAUSE_AFTER says. */
struct cause_after {
	char *names; /* "prep"; of several jobs "prep, eval and 2 more" */
	int one;     /* names is the name of one job */
	const char *standing; /* inside names: "of which 2 tasks did not
				 finish"; "" if it waits */
	enum cause_other how; /* the same as a code */
};

/*
 * Return the words of CAUSE_AFTER on one job, without brackets, to free: "after
 * prep", "after conv2d, of which 2 tasks did not finish".  bad is the number of
 * these tasks, for OTHER_UNFINISHED.
 */
char *cause_after_one(const char *name, enum cause_other, uint64_t bad);

/*
 * Return the words of CAUSE_AFTER on count jobs that are not over, to free. The
 * first of them, as many as shown, are named: "after prep, eval and 2 more".
 */
char *cause_after_all(char *const *names, size_t count, size_t shown);

/*
 * Read a text of CAUSE_AFTER, in brackets or not.  Returns whether it is one;
 * *out, which is empty if it is not, is to be freed with cause_after_free.
 */
int cause_after_read(const char *text, struct cause_after *out);
void cause_after_free(struct cause_after *);

/* Why a stop request was made. */
enum stop_reason {
	STOP_BY_USER,    /* no words */
	STOP_RESTARTED,  /* the task was restarted: the old attempt ends */
	STOP_DROPPED,    /* stfm-submit --sync dropped the task */
	STOP_MAX_FAIL,   /* --max-fail; its number follows */
	STOP_NO_REQUEUE, /* no rule queues the task again; ": WHO" may follow */
	STOP_PRUNED,     /* the search compared it; its standing follows */
	STOP_ENDED,      /* the search is over; the reason follows */
	STOP_REASONS
};

/* Return the words of a stop reason; NULL for STOP_BY_USER. */
const char *stop_words(enum stop_reason);

/*
 * Return why a stop request was made, by its words.  *rest, unless rest is
 * NULL, is set to the text after them.  Unknown words are a user's.
 */
enum stop_reason stop_reason_of(const char *why, const char **rest);

/* Why a search stopped a task: its place among the values at a rung. */
struct stop_pruned {
	int64_t epoch; /* of the rung */
	double value;  /* if it is nan, the rest has no part in the reason */
	size_t rank, count; /* its place, from 1, and the number of values */
	size_t kept;        /* how many of them continue */
	double needed;      /* the worst value that continues; nan: unknown */
};

/* Return the place of a task, to free: "0.751 is 31st of 44". */
char *stop_place_text(const struct stop_pruned *);

/*
 * Return the words of STOP_PRUNED with all that follows, to free: "pruned at
 * epoch 9: 0.751 is 31st of 44, the best 14 continue (0.803 or better)", or
 * "pruned at epoch 9: nan or inf is worse than any number".
 */
char *stop_pruned_text(const struct stop_pruned *);

/* These words if all that is left of a request is which task it stops. */
extern const char stop_pruned_lost[];

/*
 * Read such words into *out, unless out is NULL.  Returns 1, or 0 if why is
 * something else, or if out is not NULL and the words say no more than
 * stop_pruned_lost.
 */
int stop_pruned_read(const char *why, struct stop_pruned *out);

/*
 * Return a cause without the standing of a pruned task: "pruned at epoch 9",
 * written to out; any other cause, also NULL, as it is.
 */
enum { STOP_BRIEF = 48 };
const char *stop_brief(const char *cause, char out[STOP_BRIEF]);

/* The end of the words of a request that stops nothing: all tasks were over. */
extern const char stop_over[];

/* Return whether these words end with stop_over: the request stops nothing. */
int stop_is_over(const char *why);

/*
 * Return whether --max-fail made the request: to stop a task, or to forbid its
 * requeue.
 */
int stop_is_by_max_fail(const char *why);

#endif
