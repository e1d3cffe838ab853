/*
 * Slurm's accounting database: what is known of array tasks that slurmctld has
 * forgotten.  It is asked through the program sacct, once for any number of
 * arrays, and may take as long as a reading of the queue.
 *
 * Many clusters have none, and where there is one it may be down: that is no
 * error, just nothing is found in it.  What it does not say when it is down
 * proves nothing.
 */
#ifndef STFM_SLURM_ACCOUNT_H
#define STFM_SLURM_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/idset.h"
#include "slurm/queue.h"

/* An array to ask about. */
struct queue_account_array {
	uint32_t array;
	const char *name; /* of the Slurm job */
	/*
	 * When it was submitted, at the earliest.  Ids are given away again:
	 * what was submitted more than a day before is another job, and several
	 * that are asked for may have the same one.
	 */
	int64_t since;
	/*
	 * That is when it was, by Slurm's clock: so it is the job whatever its
	 * name is by now.
	 */
	int exact;
	int alone; /* it is no array */
};

/* The last run of a task.  Times are seconds since 1970, or 0. */
struct queue_account_record {
	enum queue_state state;
	int alive;              /* not final, at least as far as is known */
	const char *state_name; /* "TIMEOUT", "CANCELLED" */
	int exit_status;   /* as waitpid(2) gives it, without the core flag */
	uint32_t restarts; /* how many runs before it are on record */
	int64_t submit, end;
	int64_t start; /* 0 also of what may never have begun */
	/* One for all tasks that were still waiting when it ended. */
	int shared;
};

struct queue_account;

/* Ask about all tasks of these arrays; to queue_account_free. */
struct queue_account *queue_account_load(
    const struct queue_account_array *list, size_t count);

/* Takes NULL too. */
void queue_account_free(struct queue_account *);

/*
 * Why there was no answer, or NULL.  When there is no accounting at all, it
 * was also not expected; of no arrays it is not asked, and may be there.
 */
const char *queue_account_trouble(const struct queue_account *);
int queue_account_was_asked(const struct queue_account *);
int queue_account_expected(const struct queue_account *);

/*
 * The record of a task of an array that was asked for, or NULL; it belongs to
 * the account.  A task's own record comes before a shared one, which is always
 * final.  The array's name is not looked at, nor the index of what is none.
 */
const struct queue_account_record *queue_account_find(
    const struct queue_account *, const struct queue_account_array *,
    uint32_t index);

/* What the accounting knows of a job of this user, by its id alone. */
struct queue_account_job {
	struct idset indices; /* of its array; none: it is no array */
	int64_t submit;
	char *name;
};

/*
 * Ask for it; *out is to be freed by queue_account_job_free in any case.  -1
 * with errno ENOENT when there is no such job, or no accounting; otherwise it
 * is not known whether there is.
 */
int queue_account_job(
    uint32_t id, struct queue_account_job *out, struct error *e);
void queue_account_job_free(struct queue_account_job *);

/* What queue_account_load makes of the output of sacct. */
struct queue_account *queue_account_read(
    const char *text, const struct queue_account_array *list, size_t count);

#endif
