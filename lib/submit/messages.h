/*
 * What stfm-submit tells its user: what it has queued, what it has not, and
 * what can be done about that; some of it stfm-restart does, too.
 */
#ifndef STFM_SUBMIT_MESSAGES_H
#define STFM_SUBMIT_MESSAGES_H

#include <stdio.h>

#include "control/enqueue.h"
#include "store/job.h"
#include "submit/resubmit.h"
#include "submit/sync.h"

struct submit_message {
	FILE *out;    /* standard output */
	int quiet;    /* nothing but errors */
	int parsable; /* array ids only: people read standard error then */
	int dry_run;  /* what would be */
	char *queued; /* what is, for when it cannot be told; or NULL */
};

/*
 * What is queued with a secret, which job_provenance_secret and its like have
 * found, is stored with it; NULL is none.
 */
void submit_message_secret(const char *word);

/* What is doubtful about a job: it holds a secret, or its logs clash. */
void submit_message_doubts(
    const struct submit_message *, const struct store_job *);

/* There is no copy of its code, and the user may count on one. */
void submit_message_no_copy(
    const struct submit_message *, const struct store_job *);

/* All of it is queued. */
void submit_message_queued(struct submit_message *, const struct store_job *,
    const struct job_enqueued *);

/* It waits for other jobs, and a watcher queues it then. */
void submit_message_waiting(struct submit_message *, const struct store_job *);

/* Some of it is not queued, with this answer, but is in the store. */
void submit_message_rest(struct submit_message *, const struct store_job *,
    enum queue_answer, const struct job_enqueued *);

/* So many tasks are still to be queued. */
void submit_message_to_come(const struct store_job *, uint64_t tasks);

/* What came of submitting a job again. */
void submit_message_same(struct submit_message *, const struct store_job *,
    const struct job_resubmit *);

/* What came of other points for a stored job; with dry_run, which they are. */
void submit_message_sync(struct submit_message *, const struct store_job *,
    const struct job_sync *, const struct job_resubmit *);

/* Of what was to be queued again Slurm has refused some, or all. */
void submit_message_kept(const struct store_job *, const struct job_resubmit *);

/* What of it waits to be queued, if anything. */
void submit_message_left(const struct store_job *, const struct job_resubmit *);

/* For proc_hold_tell: say that the answer of an sbatch is waited for. */
void submit_message_interrupted(void);

#endif
