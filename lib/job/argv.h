/*
 * The arguments and variables by which a task receives its point.  No value
 * ever passes through a shell.
 */
#ifndef STFM_JOB_ARGV_H
#define STFM_JOB_ARGV_H

#include <inttypes.h>
#include <stdint.h>

#include "base/xalloc.h"
#include "store/load.h"

#include "job/checkpoint-dir.h"

#include "base/error.h"

struct strlist;

/* A task and its point; a value is NULL if the point has none. */
struct job_task {
	const struct store_job *job;
	uint64_t task;
	uint32_t attempt;
	const char *const *value; /* a value for each of job->names */
	uint32_t restart;         /* requeues by Slurm so far */
	int resume;               /* resume from the checkpoint directory */
	uint32_t origin;          /* the attempt that created that directory */
	const char *log;          /* the path of its output, or NULL */
	/* Number of its copy of the code; 0 or -1: the copy of submission. */
	int64_t code;
};

/*
 * Check that a command can receive its points: refuse an unknown argument style
 * or placeholder.  With --args=positional, also refuse points without one of
 * the hyperparameters that S-TFManager passes by position.  optional has a flag
 * for each hyperparameter: some points lack it.  Returns 0, or -1.
 */
int job_argv_check(
    const struct store_job *, const char *optional, struct error *e);

/*
 * Check only the placeholders in the path of the training log.  Parameters and
 * result are those of job_argv_check.
 */
int job_argv_check_metrics(
    const struct store_job *, const char *optional, struct error *e);

/*
 * Return the path given to --metrics, which may have placeholders; NULL if none
 * is given, or the word "none".  It belongs to the job.
 */
const char *job_argv_metrics_path(const struct store_job *);

/* Put the words of the task's command into out, an empty list. */
void job_argv_words(const struct job_task *, struct strlist *out);

/*
 * Make the task's environment, base plus STFM_JOB and the other variables, to
 * free with strlist_free.  out->word is an array that ends with NULL.
 */
void job_argv_environment(
    const struct job_task *, char *const base[], struct strlist *out);

/* Return the value of STFM_METRICS, the default path of its log; to free. */
char *job_argv_metrics(const struct job_task *);

/* Return the path for the task's checkpoints; to free. */
static inline char *
job_argv_checkpoint(const struct job_task *t)
{
	return job_checkpoint_path(t->job, t->task, t->origin);
}

/*
 * Return the directory that S-TFManager's scripts expect, relative to
 * job->directory: results/JOB/TASK.  To free.
 */
static inline char *
job_argv_results(const struct job_task *t)
{
	return xasprintf(
	    "results/%s/%" PRIu64, store_job_name(t->job), t->task);
}

/*
 * Return template, such as the path given to --metrics, with the values of the
 * task in place of its {placeholders}; to free.
 */
char *job_argv_place(const struct job_task *, const char *template);

#endif
