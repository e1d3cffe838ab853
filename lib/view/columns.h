/*
 * The columns of a task, by name: tables show them, conditions test them and
 * --sort sorts by them.  Some are fixed, the same for every job.  The others
 * are one for each hyperparameter and for each option that points set for Slurm
 * (@mem).  A hyperparameter with the name of a fixed column is called
 * param_NAME.
 */
#ifndef STFM_VIEW_COLUMNS_H
#define STFM_VIEW_COLUMNS_H

#include "view/view.h"

/* The fixed columns in order; tables show hyperparameters after the cause. */
enum {
	JOB_ID,
	JOB_JOB,
	JOB_TASK,
	JOB_STATE,
	JOB_CAUSE,
	JOB_EPOCH,
	JOB_EPOCHS,
	JOB_PROGRESS,
	JOB_METRIC,
	JOB_GOAL,
	JOB_BEST,
	JOB_BEST_EPOCH,
	JOB_LAST,
	JOB_NAN_SINCE,
	JOB_SUBMITTED,
	JOB_START,
	JOB_END,
	JOB_ELAPSED,
	JOB_NODE,
	JOB_GPUS,
	JOB_MEMORY,
	JOB_CPU,
	JOB_EXIT,
	JOB_SIGNAL,
	JOB_SLURM,
	JOB_ATTEMPT,
	JOB_RESTART,
	JOB_LOG,
	JOB_METRICS,
	JOB_EPOCH_TIME,
	JOB_ETA,
	JOB_ROOM,
	JOB_MARK,
	JOB_GPU_USE,
	JOB_GPU_MEMORY,
	JOB_GPU_IDLE,
	JOB_CPU_USE,
	JOB_MEMORY_USE,
	JOB_ACCOUNT,
	JOB_QOS,
	JOB_LOG_CAUSE,
	JOB_COLUMNS /* how many; also the first other column */
};

/* Return the name of a fixed column. */
const char *job_column_name(size_t column);

/* Return the name of a hyperparameter's column; to free. */
char *job_column_param(const char *hyperparameter);

/*
 * Return the column of a job with this name, or -1.  JOB_COLUMNS + i is its
 * i-th hyperparameter; the columns of job->groups follow.
 */
int job_column_find(const struct store_job *, const char *name);

/*
 * Set e to "NAME: no such column" with the most similar column name of these
 * jobs.  Returns -1.
 */
int job_column_unknown(struct job_view *const *views, size_t count,
    const char *name, struct error *e);

enum job_kind {
	JOB_NO_VALUE,
	JOB_TEXT,
	JOB_NUMBER, /* nan and infinities as well */
	JOB_TIME    /* in seconds since 1970 */
};

/* The value of a column.  room holds texts that are stored nowhere else. */
struct job_value {
	enum job_kind kind;
	const char *text; /* for every kind; NULL if there is no value */
	double number;
	char *own; /* a text to free, or NULL */
	char room[160];
};

/*
 * Put the value of a task's column into out, to job_value_free.  Its text lasts
 * until the next call for the same view; a hyperparameter is a text as typed.
 */
void job_column_value(
    struct job_view *, uint64_t task, int column, struct job_value *out);
void job_value_free(struct job_value *);

#endif
