/*
 * Pending reasons in words: why a task is pending and what the user can do, for
 * all reasons of Slurm and stfm.
 */
#ifndef STFM_STATE_PENDING_REASON_H
#define STFM_STATE_PENDING_REASON_H

#include "base/idset.h"

/* A pending task, for commands to type; strings are NULL if there are none. */
struct job_waiting {
	const char *job, *tasks; /* "conv2d", "conv2d/0-4,7" */
	const char *id;          /* the task ids in Slurm: "4102_0-4 4102_7" */
	const char *held;        /* tasks ahead that their user holds */
	const char *refused;     /* tasks ahead that Slurm refuses */
	/* The task can only wait for other tasks of its job. */
	int alone;
	/* The task waits for an imported job, which cannot be trained again. */
	int after_imported;
	enum {
		AFTER_ANY, /* all jobs to wait for must be over */
		AFTER_OK,  /* all tasks of these jobs must have FINISHED */
		AFTER_BOTH /* one for some of these jobs, one for others */
	} after;
	int begin;    /* it has --begin */
	int requeued; /* it was requeued */
	int imported; /* imported: sbatch has set its throttle */
	int learns;   /* its point will follow from the results of others */
};

struct job_pending_reason {
	char *why;     /* continues "it waits because"; to free */
	char *to_do;   /* a sentence without its full stop; to free, or NULL */
	char *command; /* the command for to_do; to free, or NULL */
};

/*
 * Explain a reason of Slurm ("Priority") or the cause of a pending task
 * ("(Priority)", "being queued", NULL); *out is to be freed with
 * job_pending_reason_free.  Returns 0, or -1 if the reason is unknown: why is
 * then the reason itself.
 */
int job_pending_reason(const struct job_waiting *, const char *cause,
    struct job_pending_reason *out);
void job_pending_reason_free(struct job_pending_reason *);

/* Return task ids for a cause, "conv2d/0-4,7" or "conv2d/0,2,..."; to free. */
char *job_pending_reason_ids(const char *job, const struct idset *tasks);

#endif
