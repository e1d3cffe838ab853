/*
 * A run of a task, as stfm-run handles it around the training: which task it
 * is, whether it may train, and the facts that it records.
 */
#ifndef STFM_RUNNER_TASK_H
#define STFM_RUNNER_TASK_H

#include "base/error.h"
#include "job/argv.h"
#include "job/points.h"
#include "store/chunk.h"
#include "store/facts.h"

struct job_run {
	const char *program; /* the path of stfm-run */
	struct store_job *job;
	struct store_chunk chunk;
	struct job_points *points;
	struct job_task task;
	struct store_fact fact;      /* task, attempt and restart of the run */
	struct store_fact_body body; /* the facts known so far */
	uint32_t array;
	uint32_t index;
	uint64_t packed; /* tasks at this index, which run at once */
	int has_point;   /* that a sampler chose; its task has it then */
	int unwanted;    /* a stop request names this task */
	/* Called with messages for people: into the log, and as a warning. */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
};

/*
 * Identify the run from words (the arguments in the batch script: job
 * directory, id, chunk), from the environment that Slurm gives to an array
 * task, and from number, which counts the tasks at this index from 0.  To
 * job_run_free, also on failure.
 */
int job_run_open(
    struct job_run *, char *const words[3], uint64_t number, struct error *e);
void job_run_free(struct job_run *);

/* Redirect our output and the training's to the task's log file. */
int job_run_redirect(const struct job_run *, struct error *e);

/*
 * Check that the task may train.  Returns 1 if this array holds the claim of
 * its chunk, the task has no newer attempt and no stop request names it; 0 if
 * not (e says why), or -1.
 */
int job_run_may_train(struct job_run *, struct error *e);

/*
 * Return 1 if a stop request names the task, 0 if none does, or -1 if that is
 * unknown, also because a stop request is damaged.
 */
int job_run_is_unwanted(const struct job_run *, struct error *e);

/*
 * Return why a rule has stopped the task, by its stop request, to free; NULL if
 * none has, or if that is unknown.
 */
char *job_run_stop_reason(const struct job_run *);

/*
 * Return 1 if the user has restarted the task after the search had stopped it,
 * 0 if not, or -1 if that is unknown.
 */
int job_run_is_spared(const struct job_run *, struct error *e);

/* Return how often this training has run before, by the facts. */
int64_t job_run_earlier(const struct job_run *);

/* Check that no other user can change the job: 0, or -1. */
int job_run_is_safe(const struct job_run *, struct error *e);

/*
 * Check that the training is what was submitted, as far as the store has it.
 * Returns 0 or -1.
 */
int job_run_is_sound(const struct job_run *, struct error *e);

/*
 * Set the umask so that no other user can write to the files that this run
 * creates in the store, whatever the user's umask is: no group with other
 * members either.  Our log files lose those permissions too.
 */
void job_run_close(const struct job_run *);

/* Create the directories that the training expects.  Returns 0 or -1. */
int job_run_places(const struct job_run *, struct error *e);

/* Find out where the run takes place, and where its output goes. */
void job_run_describe(struct job_run *);

/*
 * Record that the training starts.  Returns 1, or -1; or 0 if this run has
 * ended before: e says so, and body.exit is its exit code.
 */
int job_run_starts(struct job_run *, struct error *e);

/*
 * Record how the run ended; kind is that of the fact.  Failures to write are
 * retried for some seconds, since a file system can be full.  patience, in
 * seconds, allows retries for that long, unless a signal asks us to end.
 */
int job_run_ends(
    struct job_run *, const char *kind, int64_t patience, struct error *e);

#endif
