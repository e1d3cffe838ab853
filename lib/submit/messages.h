/*
 * The messages of stfm-submit, and some of stfm-restart: what was queued, what
 * was not, and what the user can do about it.  The command prints them.
 */
#ifndef STFM_SUBMIT_MESSAGES_H
#define STFM_SUBMIT_MESSAGES_H

#include <stdio.h>

#include "control/enqueue.h"
#include "store/job.h"
#include "submit/resubmit.h"
#include "submit/sync.h"

struct submit_message {
	/* Called with each sentence: a warning, or a part of the report. */
	void (*warn)(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
	void (*print)(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
	FILE *out;    /* for array ids and rows: standard output */
	int quiet;    /* only errors */
	int parsable; /* only array ids; sentences go to standard error */
	int dry_run;  /* say what would be done */
	char *queued; /* what is queued, if it cannot be printed; or NULL */
};

/*
 * Return a warning that word looks like a secret and is stored with the job, to
 * free.  word is what job_provenance_secret or a similar function found; for
 * NULL, the result is NULL.
 */
char *submit_message_secret(const char *word);

/* Warn about a job that holds a secret, or whose tasks write one log. */
void submit_message_doubts(
    const struct submit_message *, const struct store_job *);

/* Say that there is no copy of the code, if the user may count on one. */
void submit_message_no_copy(
    const struct submit_message *, const struct store_job *);

/* Say that all tasks are queued. */
void submit_message_queued(struct submit_message *, const struct store_job *,
    const struct job_enqueued *);

/* Say that the job waits for others, and that a watcher will queue it. */
void submit_message_waiting(struct submit_message *, const struct store_job *);

/* Say that this answer left some tasks unqueued, though in the store. */
void submit_message_rest(struct submit_message *, const struct store_job *,
    enum queue_answer, const struct job_enqueued *);

/* Say that this many tasks are still to be queued. */
void submit_message_to_come(
    const struct submit_message *, const struct store_job *, uint64_t tasks);

/* Print the result of submitting a job again. */
void submit_message_same(struct submit_message *, const struct store_job *,
    const struct job_resubmit *);

/* Print the result of --sync; with dry_run, also which points would change. */
void submit_message_sync(struct submit_message *, const struct store_job *,
    const struct job_sync *, const struct job_resubmit *);

/*
 * Say how many tasks wait to be queued and, if refused is set, which tasks
 * Slurm refused to queue again, some or all.
 */
void submit_message_unqueued(const struct submit_message *,
    const struct store_job *, const struct job_resubmit *, int refused);

/* A warning that sbatch's answer is awaited. */
extern const char submit_message_interrupted[];

#endif
