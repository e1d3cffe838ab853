/*
 * The messages of stfm-submit, and some of stfm-restart: which tasks were
 * queued, which were not, and what the user can do about it.  The command
 * prints them.
 */
#ifndef STFM_SUBMIT_MESSAGES_H
#define STFM_SUBMIT_MESSAGES_H

#include <stdio.h>

#include "control/enqueue.h"
#include "submit/resubmit.h"
#include "submit/sync.h"

struct submit_message {
	/* Called with each sentence: a warning, or a part of the report. */
	void (*warn)(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
	void (*print)(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
	/* Ask the user; NULL if nobody can be asked. */
	int (*confirm)(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
	void (*interrupted)(void); /* called if a signal waits for sbatch */
	FILE *out;                 /* for array ids and rows: standard output */
	int quiet;                 /* only errors */
	int parsable; /* only array ids; sentences go to standard error */
	int dry_run;  /* print what a real run would do */
	/*
	 * Message that tasks are queued, in case of an output error; or NULL.
	 */
	char *queued;
};

/*
 * Return a warning that word looks like a secret and is stored with the job, to
 * free.  word is what job_provenance_secret or a similar function found; for
 * NULL, the result is NULL.
 */
char *submit_message_secret(const char *word);

/*
 * Warn if a job holds a secret, if a condition of its space never holds, if its
 * tasks write to one log, or if its search cannot work.  learns says that it
 * will have results of another job.
 */
void submit_message_doubts(const struct submit_message *,
    const struct store_job *, const struct space *, int learns);

/* Warn that there is no copy of the code, unless the job has no code. */
void submit_message_no_copy(
    const struct submit_message *, const struct store_job *);

/* Say that the code of a stored job is copied again; which paths differ. */
void submit_message_copied(const struct submit_message *,
    const struct store_job *, const struct strlist *differing);

/* Say that all tasks are queued. */
void submit_message_queued(struct submit_message *, const struct store_job *,
    const struct job_enqueued *);

/* Say that the job waits for other jobs, and that a watcher will queue it. */
void submit_message_waiting(struct submit_message *, const struct store_job *);

/* Say that Slurm's answer left tasks unqueued; they are in the store. */
void submit_message_rest(struct submit_message *, const struct store_job *,
    enum queue_answer, const struct job_enqueued *);

/* Say how many tasks are not queued yet. */
void submit_message_to_come(
    const struct submit_message *, const struct store_job *, uint64_t tasks);

/* Print the result of submitting a job again. */
void submit_message_same(struct submit_message *, const struct store_job *,
    const struct job_resubmit *);

/*
 * Print the result of --sync; with dry_run, also the points that would change.
 */
void submit_message_sync(struct submit_message *, const struct store_job *,
    const struct job_sync *, const struct job_resubmit *);

/*
 * Say how many tasks wait to be queued and, if refused is set, which tasks
 * Slurm refused to queue again.
 */
void submit_message_unqueued(const struct submit_message *,
    const struct store_job *, const struct job_resubmit *, int refused);

/* The warning that stfm still waits for sbatch's answer. */
extern const char submit_message_interrupted[];

#endif
