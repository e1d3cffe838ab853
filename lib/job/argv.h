/*
 * How a task receives its point: the words of its command and its environment.
 * No value ever passes through a shell.
 */
#ifndef STFM_JOB_ARGV_H
#define STFM_JOB_ARGV_H

#include "base/error.h"
#include "store/job.h"

/* One task with its point; a value is NULL where the point has none. */
struct job_task {
	const struct store_job *job;
	uint64_t task;
	uint32_t attempt;
	const char *const *value; /* one for each of job->names */
	uint32_t restart;         /* how often Slurm has put it back */
	int resume;               /* go on from the checkpoint directory */
	uint32_t origin;          /* the attempt that made that directory */
	const char *log;          /* where what it prints goes, or NULL */
};

/*
 * Refuse a command that could not be given its points: an unknown argument
 * style or placeholder, a hyperparameter that S-TFManager's order misses.
 * optional tells which hyperparameters some points lack (one flag each).
 */
int job_argv_check(
    const struct store_job *, const char *optional, struct error *e);

/* The same of the place of the training log alone. */
int job_argv_check_metrics(
    const struct store_job *, const char *optional, struct error *e);

/* Put the words of the task's command into an empty list. */
void job_argv_words(const struct job_task *, struct strlist *out);

/*
 * The task's environment on top of base: STFM_JOB and the rest.  To free with
 * strlist_free; the list's word is an array that ends with NULL.
 */
void job_argv_environment(
    const struct job_task *, char *const base[], struct strlist *out);

/* Where the task's training log should go: a path, to free. */
char *job_argv_metrics(const struct job_task *);

/* Where the task's checkpoints should go: a path, to free. */
char *job_argv_checkpoint(const struct job_task *);

/*
 * The directory that S-TFManager's scripts expect, relative to job->directory:
 * results/JOB/TASK.  To free.
 */
char *job_argv_results(const struct job_task *);

/* A place named by --metrics, with its {placeholders} filled in.  To free. */
char *job_argv_place(const struct job_task *, const char *template);

#endif
