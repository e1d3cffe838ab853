/*
 * Slurm's accounting database: the records of array tasks that slurmctld has
 * forgotten.  sacct(1) is asked once for any number of arrays, within the
 * deadline for reading the queue.
 *
 * Many clusters have no accounting, and a database may be down.  Neither is an
 * error: the account is then empty.  A missing record proves nothing while the
 * database is down.
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
	const char *name; /* the name of the Slurm job */
	/*
	 * The earliest time at which the array was submitted.  Slurm reuses
	 * ids: a job with this id that was submitted more than a day earlier is
	 * another job.  Several entries of a request may have the same id.
	 */
	int64_t since;
	/*
	 * since is the exact submit time by Slurm's clock.  The array is then
	 * recognized even if its job was renamed.
	 */
	int exact;
	int alone; /* 1 if the job is not an array */
};

/* The last run of a task.  Times are seconds since 1970, or 0. */
struct queue_account_record {
	enum queue_state state;
	int alive;              /* not final, as far as the accounting knows */
	const char *state_name; /* "TIMEOUT", "CANCELLED" */
	int exit_status;   /* encoded as in waitpid(2), without the core flag */
	uint32_t restarts; /* number of earlier runs on record */
	int64_t submit, end;
	int64_t start; /* 0 also for a run that may never have begun */
	/* This record stands for all tasks that were pending when it ended. */
	int shared;
};

struct queue_account_entries {
	struct queue_account_entry *entry;
	size_t count;
};

/* The answer of the accounting. */
struct queue_account {
	char *trouble; /* why there was no answer, or NULL */
	/*
	 * Whether an answer was to be expected: not if the cluster has no
	 * accounting or this machine has no sacct.  1 if sacct was not asked.
	 */
	int expected;
	size_t count; /* how many arrays; if 0, sacct was not asked */

	/* Private. */
	struct queue_account_array *asked; /* sorted; names of the caller */
	struct queue_account_entries own;  /* sorted; last run of each task */
	struct queue_account_entries shared;
};

/*
 * Ask about all tasks of the count arrays in list.  Returns an account to free
 * with queue_account_free, never NULL.
 */
struct queue_account *queue_account_load(
    const struct queue_account_array *list, size_t count);

/* Free an account; does nothing for NULL. */
void queue_account_free(struct queue_account *);

/*
 * Return the record of the task at index of an array that was asked about, or
 * NULL.  The record belongs to the account.  A task's own record takes
 * precedence over a shared one, which is always final.  The name in the
 * queue_account_array is ignored, and so is index if the job is alone.
 */
const struct queue_account_record *queue_account_find(
    const struct queue_account *, const struct queue_account_array *,
    uint32_t index);

/* The accounting's record of a job of this user, found by its id alone. */
struct queue_account_job {
	/* Indices of its array; empty if the job is not an array. */
	struct idset indices;
	int64_t submit;
	char *name;
};

/*
 * Ask for job id and fill *out; free it with queue_account_job_free in any
 * case.  Returns 0, or -1 with ERROR_ABSENT if there is no such job or no
 * accounting.  After -1 with another code the job may exist.
 */
int queue_account_job(
    uint32_t id, struct queue_account_job *out, struct error *e);

/* Free the fields of a job and clear it. */
void queue_account_job_free(struct queue_account_job *);

/*
 * Read the output of sacct into an account, for queue_account_load and its
 * tests.  Returns an account to free with queue_account_free.
 */
struct queue_account *queue_account_read(
    const char *text, const struct queue_account_array *list, size_t count);

#endif
