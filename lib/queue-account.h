/*
 * Slurm's accounting database: what is known of array tasks that slurmctld has
 * forgotten.  It is asked through the program sacct, once for any number of
 * arrays, and may take as long as a reading of the queue.
 *
 * Many clusters have none, and where there is one it may be down: that is no
 * error, just nothing is found in it.
 */
#ifndef STFM_QUEUE_ACCOUNT_H
#define STFM_QUEUE_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "queue.h"

/* An array to ask about. */
struct queue_account_array {
	uint32_t array;
	const char *name; /* of the Slurm job */
	/*
	 * When it was submitted, at the earliest.  Ids are given away again:
	 * what was submitted more than a day before is another job.
	 */
	int64_t since;
};

/* The last run of a task.  Times are seconds since 1970, or 0. */
struct queue_account_record {
	enum queue_state state;
	int alive;              /* not final, at least as far as is known */
	const char *state_name; /* "TIMEOUT", "CANCELLED" */
	int exit_status;   /* as waitpid(2) gives it, without the core flag */
	uint32_t restarts; /* how many runs before it are on record */
	int64_t submit, start, end;
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
 * was also not expected.
 */
const char *queue_account_trouble(const struct queue_account *);
int queue_account_expected(const struct queue_account *);

/*
 * The record of a task, or NULL; it belongs to the account.  A task's own
 * record comes before a shared one, which is always final.
 */
const struct queue_account_record *queue_account_find(
    const struct queue_account *, uint32_t array, uint32_t index);

/* What queue_account_load makes of the output of sacct. */
struct queue_account *queue_account_read(
    const char *text, const struct queue_account_array *list, size_t count);

#endif
