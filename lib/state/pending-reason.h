/*
 * Why a task waits, and what can be done, in words: for every reason that Slurm
 * has, and for ours.
 */
#ifndef STFM_STATE_PENDING_REASON_H
#define STFM_STATE_PENDING_REASON_H

#include "base/idset.h"

/* Who waits, for what to type; NULL where there is none. */
struct job_waiting {
	const char *job, *tasks; /* "conv2d", "conv2d/0-4,7" */
	const char *id;          /* in Slurm: "4102_0-4 4102_7" */
	const char *held;        /* by its user, of what it waits for */
	const char *refused;     /* by Slurm, which it is queued behind */
	/* Nothing but others of the job can be what it waits for. */
	int alone;
	/* What it waits for was imported: nobody can train that again. */
	int after_imported;
	/* Whether what it waits for only has to be over, or FINISHED. */
	enum { AFTER_ANY, AFTER_OK, AFTER_BOTH } after;
	int imported; /* others told sbatch how many of it may run at once */
};

struct job_pending_reason {
	char *why;     /* goes on "it waits because": to free */
	char *to_do;   /* a sentence without its full stop: to free, or NULL */
	char *command; /* that does it, as it is typed: to free, or NULL */
};

/*
 * The words for a reason as Slurm spells it ("Priority"), or for a cause of a
 * task that waits ("(Priority)", "being queued", NULL).  Returns 0, or -1 when
 * nobody knows this reason: why is then the reason as it is.
 */
int job_pending_reason(const struct job_waiting *, const char *cause,
    struct job_pending_reason *out);
void job_pending_reason_free(struct job_pending_reason *);

/*
 * Whether Slurm refuses one array for this reason, and others perhaps not: it
 * is no limit of all.  And whether a cause is of one that is so refused, or
 * waits behind such: it says in words why.
 */
int job_pending_reason_is_of_one(const char *refusal);
int job_pending_reason_is_refused(const char *cause);
int job_pending_reason_is_behind(const char *cause);

/* "conv2d/0-4,7", or "conv2d/0,2,4,...": short, for a cause.  To free. */
char *job_pending_reason_ids(const char *job, const struct idset *tasks);

#endif
